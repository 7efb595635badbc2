// The event that one line of the kernel log makes: what every such event has, and what a decoder found in it.

import type { EventInput, TextRecord } from '../../../model/record.ts';
import { carried } from '../carried.ts';
import { lineEvidence, recordTime } from '../evidence.ts';
import { streamPlace } from '../stream-place.ts';
import type { StateFinding } from './finding.ts';

export function finished(record: TextRecord, { attributes, ...known }: StateFinding): EventInput {
  return { ...base(record, attributes), ...known };
}

export function base(
  record: TextRecord,
  attributes: EventInput['attributes'] = {},
): Omit<EventInput, 'kind' | 'component'> {
  return {
    timeMs: recordTime(record),
    timeDigits: record.timeMs === null ? 3 : record.timeDigits,
    observedMs: record.observedMs,
    trust: record.trust,
    source: record.source,
    attributes: { ...carried(record), ...attributes },
    evidence: [lineEvidence(record)],
    // The kernel numbers its own lines.
    discriminator: record.source === 'kernel-log' ? record.position : streamPlace(record),
  };
}
