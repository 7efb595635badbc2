// No directory: what to do where logins fail because the server of users (LDAP, Kerberos, NIS) does not answer: it is that server's, not the host's.

import type { Incident } from '../../model/incident.ts';
import { NO_DIRECTORY } from '../../model/served-by-unit.ts';
import type { Special } from './special-step.ts';

const STEP: Special = {
  does: 'see why the server of users that % asks does not answer',
  now: 'on @, sudo sssctl domain-list and sudo sssctl domain-status DOMAIN name that server (nslcd: grep ^uri /etc/nslcd.conf); ping -c 3 it; nc -zv it 636; on it, systemctl status slapd krb5kdc dirsrv.target says whether it runs, and sudo systemctl restart starts it; once it answers, hosts that stay offline come back by sudo systemctl restart sssd; jobs that run continue',
  call: 'who runs the directory (LDAP, Kerberos, NIS)',
};

/** Null where no line says that a login failed for it. */
export function noDirectory({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  const own = events.find(({ id }) => id === root.eventId);
  return root.kind === 'host.degraded' && own?.attributes.reason === NO_DIRECTORY ? STEP : null;
}
