// Served by unit: what fails on other hosts while a service of one is down, by the name of its unit.

const NAMES = 'names are not resolved';
const USERS = 'users cannot log in';
const LEASES = 'the control plane of Kubernetes waits';
const OF: Readonly<Record<string, string>> = {
  named: NAMES,
  bind9: NAMES,
  unbound: NAMES,
  dnsmasq: NAMES,
  coredns: NAMES,
  nsd: NAMES,
  pdns: NAMES,
  'pdns-recursor': NAMES,
  'systemd-resolved': NAMES,
  slapd: USERS,
  'dirsrv@': USERS,
  krb5kdc: USERS,
  ypserv: USERS,
  sssd: USERS,
  nslcd: USERS,
  ypbind: USERS,
  etcd: LEASES,
};

export type Failing = 'names' | 'users' | 'leases';

/** They ask others for their own host, which alone misses them. */
const OWN: ReadonlySet<string> = new Set(['systemd-resolved', 'sssd', 'nslcd', 'ypbind']);

/** `named`, `named.service`, `dirsrv@hpc.service`: null where nothing of it is known. */
export function failsWithout(unit: string): {
  readonly what: Failing;
  readonly says: string;
  readonly isOfHost: boolean;
} | null {
  const name = unit.replace(/\.service$/, '').replace(/@.*$/, '@');
  const says = Object.hasOwn(OF, name) ? OF[name] : undefined;
  if (says === undefined) return null;
  return { what: says === NAMES ? 'names' : says === USERS ? 'users' : 'leases', says, isOfHost: OWN.has(name) };
}

/** Of a line that says that a login failed for its directory, or that none is reached. */
export const NO_DIRECTORY = 'the directory (LDAP, Kerberos, NIS) does not answer';
export const DIRECTORY_CONFIRMED_BY =
  'getent passwd USER on that host, of a user who is not in its cache, or the log of the server of users';

/** Of a kubelet whose API server shows a certificate that is over: a year after kubeadm made it, as a rule. */
export const OVER_CERTIFICATE = 'the certificate of the API server is over';
export const CERTIFICATE_CONFIRMED_BY =
  'sudo kubeadm certs check-expiration on a host of the control plane, and date -u';
