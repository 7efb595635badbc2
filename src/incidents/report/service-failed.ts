// Service failed: a program of the host that a unit of systemd runs crashed or did not start; the host itself is not broken.

import type { Incident } from '../../model/incident.ts';
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
  if (unit === null) return null;
  const jobs = unit === 'slurmd' ? ', which leaves running jobs alone' : '';
  return {
    does: `see why ${unit} of % failed, and start it again`,
    now: `on @, systemctl status ${unit}, journalctl -u ${unit} -n 50 and coredumpctl list ${unit} say why; sudo systemctl restart ${unit} starts it again${jobs}. Where it fails again, DRAIN`,
    call: HOST,
  };
}
