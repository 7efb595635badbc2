// Over certificate: what to do where kubelets do not reach their API server because its certificate has ended. Pods that run continue.

import type { Incident } from '../../model/incident.ts';
import { OVER_CERTIFICATE } from '../../model/served-by-unit.ts';
import type { Special } from './special-step.ts';

const STEP: Special = {
  does: 'renew the certificates of the control plane of Kubernetes that % asks',
  now: 'on each host of the control plane, sudo kubeadm certs check-expiration, then sudo kubeadm certs renew all; start etcd, kube-apiserver, kube-controller-manager and kube-scheduler again (move their files out of /etc/kubernetes/manifests for 20 s), and take the new admin.conf; where the certificate is in date, the clock of @ is wrong (date -u). Pods that run continue: drain nothing',
  call: 'who runs the control plane of Kubernetes',
};

/** Null where no line says that it has ended. */
export function overCertificate({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  return root.kind === 'host.degraded' && own?.attributes.reason === OVER_CERTIFICATE ? STEP : null;
}
