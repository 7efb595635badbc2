// Counted back: a log with times since boot alone is dated by when its file was written, and may be hours off: it does not show that something was repaired after what another log dates.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { EventInput } from '../../model/record.ts';
import type { Stage } from '../../model/stage.ts';
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

/** Without what such a log shows to be repaired of what another one reports, and without "gone" of what only was not seen again until a guessed time. */
export function withoutGuessedEnd(
  incident: Incident,
  events: readonly FaultEvent[],
  logs: ReadonlySet<string>,
): Incident {
  const { stages, root } = incident;
  if (logs.size === 0 || stages === undefined) return incident;
  const own = incident.events.find(({ id }) => id === root.eventId);
  const guessed = events.filter(
    (event) => REPAIRS.has(event.kind) && logs.has(logOf(event)) && (own === undefined || logOf(event) !== logOf(own)),
  );
  const isGuessed = ({ name, beganMs }: Stage): boolean =>
    name === 'remediated' && guessed.some(({ timeMs }) => Math.abs(timeMs - beganMs) < SAME_MS);
  const left = stages.filter((stage) => !isGuessed(stage));
  if (left.some(({ name }) => name === 'remediated')) return { ...incident, stages: left };
  return { ...incident, stages: left.filter(({ name }) => name !== 'verified') };
}

/** Times of one line, with and without their fractions. */
const SAME_MS = 1000;
