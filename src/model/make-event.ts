// Turns what a source or decoder knows into a finished event: defaults of its kind, its id, its host.

import type { FaultEvent } from './event.ts';
import { eventId } from './identity.ts';
import { kindInfo } from './kind.ts';
import type { EventInput } from './record.ts';

export function makeEvent(host: string, input: EventInput): FaultEvent {
  const state = input.state ?? 'point';
  return {
    id: eventId(host, { ...input, state }, input.discriminator),
    kind: input.kind,
    component: input.component,
    severity: input.severity ?? kindInfo(input.kind).severity,
    timeMs: input.timeMs,
    timeDigits: input.timeDigits ?? 3,
    interval: input.interval ?? { earliestMs: input.timeMs, latestMs: input.timeMs },
    observedMs: input.observedMs,
    trust: input.trust,
    state,
    count: input.count ?? 1,
    source: input.source,
    attributes: input.attributes ?? {},
    evidence: input.evidence ?? [],
  };
}
