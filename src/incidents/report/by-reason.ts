// By reason: what to do where a host is not what is wrong, but a server that it asks and its lines name a reason of: the directory of users,
// the control plane of Kubernetes.

import type { Incident } from '../../model/incident.ts';
import { NO_DIRECTORY, OVER_CERTIFICATE } from '../../model/served-by-unit.ts';
import type { Special } from './special-step.ts';

const DIRECTORY: Special = {
  does: 'see why the server of users that % asks does not answer',
  now: 'on @, sudo sssctl domain-list and sudo sssctl domain-status DOMAIN name that server (nslcd: grep ^uri /etc/nslcd.conf); ping -c 3 it; nc -zv it 636; on it, systemctl status slapd krb5kdc dirsrv.target says whether it runs, and sudo systemctl restart starts it; once it answers, hosts that stay offline come back by sudo systemctl restart sssd; jobs that run continue',
  call: 'who runs the directory (LDAP, Kerberos, NIS)',
};

/** Pods that run continue without it. */
const CERTIFICATE: Special = {
  does: 'renew the certificates of the control plane of Kubernetes that % asks',
  now: 'on each host of the control plane, sudo kubeadm certs check-expiration, then sudo kubeadm certs renew all; start etcd, kube-apiserver, kube-controller-manager and kube-scheduler again (move their files out of /etc/kubernetes/manifests for 20 s), and take the new admin.conf; where the certificate is in date, the clock of @ is wrong (date -u). Pods that run continue: drain nothing',
  call: 'who runs the control plane of Kubernetes',
};

const STEPS: ReadonlyMap<unknown, Special> = new Map([
  [NO_DIRECTORY, DIRECTORY],
  [OVER_CERTIFICATE, CERTIFICATE],
]);

/** Null where its first line says no such reason. */
export function byReason({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  return root.kind === 'host.degraded' ? (STEPS.get(own?.attributes.reason) ?? null) : null;
}
