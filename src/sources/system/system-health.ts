// How the system source fares, in one line: what it reads, what this kernel does not show, and what to do about it.

import { join } from 'node:path';
import type { SourceHealth } from '../source.ts';
import type { HostReader } from './host-reader.ts';

const DENIED = ['EACCES', 'EPERM'];

/** `stuck`: file systems that do not answer. `trouble`: further lines that begin with their code. */
export function systemHealth(reader: HostReader, stuck: readonly string[], trouble: readonly string[]): SourceHealth {
  const { root, failures, rounds } = reader;
  if (rounds === 0) return { source: 'system', status: 'absent', detail: 'starting', remedy: null };
  const { cpu, memory, pressure, disks, interfaces } = reader.seen;
  if (!cpu && !memory) {
    const reason = failures.get('stat');
    return {
      source: 'system',
      status: reason !== undefined && DENIED.includes(reason) ? 'no_permission' : 'absent',
      detail: `FL2501 ${join(root, 'stat')} shows no host${reason === undefined ? '' : ` (${reason})`}`,
      remedy: "in a container, mount the host's /proc and name it in roots.proc",
    };
  }
  const there = [
    ...(cpu ? ['CPU'] : []),
    ...(memory ? ['memory'] : []),
    ...(pressure ? ['pressure'] : []),
    ...(disks === null ? [] : [many(disks, 'disk')]),
    ...(interfaces === null ? [] : [many(interfaces, 'network interface')]),
  ];
  const missing = pressure ? [] : ['no pressure: this kernel keeps none (boot it with psi=1)'];
  const hanging = [
    ...stuck.map((path) => `FL2502 the file system at ${path} does not answer`),
    ...reader.hanging.map((path) => `${path} does not answer`),
  ];
  return {
    source: 'system',
    status: 'works',
    detail: [there.join(', '), ...missing, ...hanging, ...trouble].join('; '),
    remedy: null,
  };
}

function many(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
