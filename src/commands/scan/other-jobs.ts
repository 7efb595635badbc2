// Other jobs: failed jobs of a scheduler's log that names no node of them. The log names hosts in other lines, which are not the jobs' hosts.

import { kindInfo } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';

/** Collectives wait for ten minutes before they end a job; what ends later by itself has nothing to do with a fault of a host. */
const ENDS_MS = 660_000;

interface OfHost {
  readonly host: string;
  readonly inputs: readonly EventInput[];
}

/** The same events; those of jobs that nothing connects with the faults of their group make one by themselves. */
export function apartFromOtherJobs({ host, inputs }: OfHost): OfHost[] {
  const kept = inputs.filter(isKeptEnd);
  if (kept.length === 0) return [{ host, inputs }];
  const others = inputs.filter((input) => !isKeptEnd(input));
  const known = new Set(others.flatMap((input) => jobOf(input) ?? []));
  const faultMs = others.filter(isFault).map(({ timeMs }) => timeMs);
  const isNear = (ms: number): boolean => faultMs.some((since) => ms >= since && ms - since <= ENDS_MS);
  const apart = new Set(kept.filter((input) => !known.has(jobOf(input) ?? '') && !isNear(input.timeMs)));
  if (apart.size === 0) return [{ host, inputs }];
  return [
    { host, inputs: inputs.filter((input) => !apart.has(input)) },
    { host, inputs: [...apart] },
  ];
}

function isKeptEnd({ kind, attributes = {} }: EventInput): boolean {
  return kind === 'job.failed' && attributes.program === 'slurmctld' && attributes.node === undefined;
}

function jobOf({ component, attributes = {} }: EventInput): string | null {
  if (component?.type === 'job') return component.id;
  return typeof attributes.job === 'string' ? attributes.job : null;
}

function isFault({ kind, severity = kindInfo(kind).severity, state }: EventInput): boolean {
  return !kind.startsWith('job.') && state !== 'clear' && (severity === 'error' || severity === 'critical');
}
