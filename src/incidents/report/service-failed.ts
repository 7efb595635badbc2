// Service failed: a program of the host that a unit of systemd runs crashed or did not start; the host itself is not broken.

import type { Incident } from '../../model/incident.ts';
import { failsWithout } from '../../model/served-by-unit.ts';
import { NAME } from './drain.ts';
import { HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** `slurmd`; null where the root is not a unit's failure, or its name has more in it. */
export function failedUnit({ root, events }: Pick<Incident, 'root' | 'events'>): string | null {
  const named = events.find(({ id }) => id === root.eventId)?.attributes.unit;
  const unit = typeof named === 'string' ? named.replace(/\.service$/, '') : undefined;
  return root.kind === 'host.degraded' && unit !== undefined && NAME.test(unit) ? unit : null;
}

export function serviceFailed(incident: Incident): Special | null {
  const unit = failedUnit(incident);
  if (unit === null || unit === 'slurmdbd') {
    const queue = recordsQueue(incident);
    if (queue !== null) return queue;
  }
  if (unit === null) return null;
  const jobs = unit === 'slurmd' ? ', which leaves running jobs alone' : '';
  return {
    does: `see why ${unit} of % failed, and start it again${meanwhile(unit)}`,
    now: `on @, systemctl status ${unit}, journalctl -u ${unit} -n 50 and coredumpctl list ${unit} say why; sudo systemctl restart ${unit} starts it again${jobs}. Where it fails again, DRAIN`,
    call: HOST,
  };
}

/** `: names are not resolved meanwhile`; empty where it is not known what misses it. */
export function meanwhile(unit: string): string {
  const fails = failsWithout(unit);
  return fails === null ? '' : `: ${fails.says} meanwhile`;
}

export const NOT_REACHED = 'slurmdbd is not reached';

/** Slurm's controller keeps what its accounting daemon cannot take, and drops it once its queue is full; null where no line says so. */
export function recordsQueue({ root, events }: Pick<Incident, 'root' | 'events'>): Special | null {
  const said = events.filter(({ attributes }) => attributes.reason === NOT_REACHED);
  if (root.kind !== 'host.degraded' || said.length === 0) return null;
  return {
    does: `start slurmdbd again, which slurmctld does not reach${queueText(events)}`,
    now: `on the host of slurmdbd (scontrol show config | grep AccountingStorageHost), systemctl status slurmdbd mariadb; journalctl -u slurmdbd -n 50; df -h /var/lib/mysql say why it ended; once its database runs, sudo systemctl restart slurmdbd; jobs run on meanwhile, but records of them are lost once the queue of slurmctld is full (sdiag | grep -i dbd)`,
    call: 'who runs the scheduler',
  };
}

/** ": 40412 of 80000 records wait"; empty where no line has both. */
export function queueText(events: Incident['events']): string {
  const counts = events.map(({ attributes: { queued, most } }) => ({ queued, most }));
  const last = counts.findLast(({ queued }) => typeof queued === 'number');
  if (last === undefined) return '';
  return `: ${last.queued}${typeof last.most === 'number' ? ` of ${last.most}` : ''} records wait`;
}
