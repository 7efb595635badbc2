// Lines of systemd: services that a node needs to run jobs did not start, or ended with a failure.

import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import type { KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

interface Unit {
  /** As its file calls it, for "Failed to start %s." of systemd before 250. */
  readonly description: string;
  readonly kind: Kind;
  readonly severity?: Severity;
}

const FABRIC = { kind: 'fabric_manager.error' } as const;
/** The node takes no pods without them. */
const PODS = { kind: 'host.not_ready' } as const;
/** Jobs continue without them, but less is known of the GPUs, or their first use is slow. */
const ASIDE = { kind: 'host.degraded', severity: 'warning' } as const;
/** No job starts, or none reaches its network or its files, without them. */
const NEEDED = { kind: 'host.degraded', severity: 'error' } as const;
const UNITS: Readonly<Record<string, Unit | undefined>> = {
  'nvidia-fabricmanager': { description: 'NVIDIA fabric manager service', ...FABRIC },
  'nvidia-imex': { description: 'NVIDIA IMEX service', ...FABRIC },
  'nvidia-persistenced': { description: 'NVIDIA Persistence Daemon', ...ASIDE },
  'nvidia-dcgm': { description: 'NVIDIA DCGM service', ...ASIDE },
  'dcgm-exporter': { description: 'DCGM Exporter', ...ASIDE },
  'nvidia-cdi-refresh': { description: 'Refresh NVIDIA CDI specification file', ...ASIDE },
  'nvidia-peermem': { description: 'NVIDIA peer memory', ...ASIDE },
  munge: { description: 'MUNGE authentication service', ...NEEDED },
  openibd: { description: 'openibd - configure Mellanox devices', ...NEEDED },
  opensm: { description: 'Starts the OpenSM InfiniBand fabric Subnet Manager', ...NEEDED },
  lnet: { description: 'lnet management', ...NEEDED },
  'beegfs-client': { description: 'Start BeeGFS Client', ...NEEDED },
  gpfs: { description: 'General Parallel File System', ...NEEDED },
  'weka-agent': { description: 'WEKA Agent Service', ...NEEDED },
  slurmctld: { description: 'Slurm controller daemon', ...NEEDED },
  slurmdbd: { description: 'Slurm DBD accounting daemon', ...NEEDED },
  mariadb: { description: '', ...NEEDED },
  mysql: { description: 'MySQL Community Server', ...NEEDED },
  mysqld: { description: 'MySQL Server', ...NEEDED },
  named: { description: 'Berkeley Internet Name Domain (DNS)', ...NEEDED },
  bind9: { description: 'BIND Domain Name Server', ...NEEDED },
  unbound: { description: 'Unbound DNS server', ...NEEDED },
  dnsmasq: { description: 'dnsmasq - A lightweight DHCP and caching DNS server', ...NEEDED },
  sssd: { description: 'System Security Services Daemon', ...NEEDED },
  slapd: { description: 'OpenLDAP Server Daemon', ...NEEDED },
  'dirsrv@': { description: '', ...NEEDED },
  krb5kdc: { description: 'Kerberos 5 KDC', ...NEEDED },
  nslcd: { description: 'Naming services LDAP client daemon', ...NEEDED },
  ypserv: { description: 'NIS/YP (Network Information Service) Server', ...NEEDED },
  ypbind: { description: 'NIS/YP (Network Information Service) Clients to NIS Domain Binder', ...NEEDED },
  pdns: { description: 'PowerDNS Authoritative Server', ...NEEDED },
  'pdns-recursor': { description: 'PowerDNS Recursor', ...NEEDED },
  'systemd-resolved': { description: 'Network Name Resolution', ...ASIDE },
  etcd: { description: 'etcd key-value store', ...NEEDED },
  docker: { description: 'Docker Application Container Engine', ...PODS },
  slurmd: { description: 'Slurm node daemon', kind: 'host.degraded', severity: 'error' },
  kubelet: { description: 'kubelet: The Kubernetes Node Agent', ...PODS },
  containerd: { description: 'containerd container runtime', ...PODS },
  crio: { description: 'Container Runtime Interface for OCI (CRI-O)', ...PODS },
  'k3s-agent': { description: 'Lightweight Kubernetes', ...PODS },
  'rke2-agent': { description: 'Rancher Kubernetes Engine v2 (agent)', ...PODS },
};
const BY_DESCRIPTION = new Map(
  Object.entries(UNITS).flatMap(([name, unit]) => (unit?.description ? [[unit.description, name] as const] : [])),
);

/**
 * core/unit.c (`%s: Failed with result '%s'.`) and core/job.c (`Failed to start %s.`, with the unit's name before its description since
 * 250) of systemd, process 1 alone: the user's own manager prints the words of its user.
 */
const FAILED = /^systemd\[1\]: ([\w@.-]{1,64})\.service: Failed with result '([\w-]{1,32})'/;
/** The process of a unit ended with a status, before systemd says what it makes of that; a signal to end it is an ordinary stop. */
const ENDED =
  /^systemd\[1\]: ([\w@.-]{1,64})\.service: (?:Control|Main) process exited, code=(?:exited, status=([1-9]\d{0,2}(?:\/(?!TERM)[\w-]{1,24})?)|(?:killed|dumped), status=(\d{1,2}\/(?!TERM|INT|HUP)\w{2,8}))/;
const NOT_STARTED = /^systemd\[1\]: Failed to start (?:([\w@.-]{1,64})\.service\b|([^\n]{1,120}?)\.?\s*$)/;

/** "Failed to mount scratch.mount - /scratch." since 250, "Failed to mount /scratch." before: jobs do not find their files. */
const NOT_MOUNTED =
  /^systemd\[1\]: Failed to mount (?:([\w@.\\-]{1,128})\.mount\b(?: - [^\n]{1,120})?|(\/[^\n]{1,120}?))\.?\s*$/;

export function unitLine(text: string, { host }: KernelContext): Finding | null {
  const [unmounted, mount, path] = NOT_MOUNTED.exec(text) ?? [];
  if (unmounted !== undefined)
    return {
      ...NEEDED,
      component: { type: 'host', id: host },
      attributes: { unit: evidenceText(mount === undefined ? (path ?? '') : `${mount}.mount`) },
    };
  const [, ended, status, signal] = ENDED.exec(text) ?? [];
  if (ended !== undefined) return unitFinding(ended, status ?? signal, host);
  const [, failed, result] = FAILED.exec(text) ?? [];
  const [, started, described = ''] = failed === undefined ? (NOT_STARTED.exec(text) ?? []) : [];
  const name = failed ?? started ?? BY_DESCRIPTION.get(described) ?? '';
  return unitFinding(name, result, host) ?? endedForMemory(name, result, host);
}

/** Of a user's session, a job or one command: their owners start them again, or do not want to. */
const OF_USER = /^(?:user(?:-runtime-dir)?@|run-|session|slurmstepd|docker-|cri-|libpod-)/;

/** Any service that was killed for memory: it stays down unless its file says otherwise. */
function endedForMemory(name: string, result: string | undefined, host: string): Finding | null {
  if (result !== 'oom-kill' || OF_USER.test(name)) return null;
  return { ...ASIDE, component: { type: 'host', id: host }, attributes: { unit: `${name}.service`, result } };
}

/** Null where no job misses the service. `name`: of the unit, without ".service"; `result`: as systemd says it, where it does. */
export function unitFinding(name: string, result: string | undefined, host: string): Finding | null {
  // Of a template each instance is the same service.
  const of = name.replace(/@.*$/, '@');
  const unit = Object.hasOwn(UNITS, of) ? UNITS[of] : undefined;
  if (unit === undefined) return null;
  const { kind, severity } = unit;
  return {
    kind,
    component: { type: 'host', id: host },
    ...(severity === undefined ? {} : { severity }),
    attributes: { unit: `${name}.service`, ...(result === undefined ? {} : { result }) },
  };
}
