// Counted back: a log with times since boot alone is dated by when its file was written, and may be hours off: it does not show that something was repaired after what another log dates.

import type { Incident } from '../../model/incident.ts';
import type { EventInput } from '../../model/record.ts';
import { logOf } from './found-events.ts';

/** Without what would else be taken for a repair, where the same log reports nothing before it; `logs`: those counted back. */
export function withoutGuessedRepairs(inputs: readonly EventInput[], logs: ReadonlySet<string>): readonly EventInput[] {
  if (logs.size === 0) return inputs;
  const begun = new Set<string>();
  return inputs.filter((event) => {
    const log = logOf(event);
    const isFirst = logs.has(log) && !begun.has(log);
    if (isFirst && REPAIRS.has(event.kind)) return false;
    begun.add(log);
    return true;
  });
}

const REPAIRS: ReadonlySet<string> = new Set(['gpu.reset', 'host.rebooted', 'driver.reloaded']);

/** Without "gone" of what only was not seen again until a time that is counted back. */
export function withoutGuessedEnd(incident: Incident, logs: ReadonlySet<string>): Incident {
  const { stages } = incident;
  if (logs.size === 0 || stages === undefined || stages.some(({ name }) => name === 'remediated')) return incident;
  return { ...incident, stages: stages.filter(({ name }) => name !== 'verified') };
}
