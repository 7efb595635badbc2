// Verdict: what is exported of an incident's pattern, under the names that Tracecore gave its verdicts.

import type { Incident } from '../../model/incident.ts';
import { kindInfo } from '../../model/kind.ts';
import { plain } from '../../model/plain.ts';
import { formatTime } from '../../model/time.ts';
import { namedPattern } from './match.ts';

/** Held by catalog/pattern-verdict.schema.json. */
export interface PatternVerdict {
  readonly 'pattern.id': string;
  readonly 'pattern.confidence': 'full' | 'partial';
  readonly 'pattern.headline': string;
  readonly 'pattern.remediation': string;
}

export interface WholeVerdict extends PatternVerdict {
  readonly evidence_trail: readonly {
    readonly kind: string;
    readonly uid: string;
    readonly timestamp: string;
    readonly description: string;
  }[];
}

const TRAIL = 32;
/**
 * By the family of the event's kind; what is not here is of the hardware. Not by its source: a revision that is sent again is read
 * from the log, which has only the events that were new in it.
 */
const KIND_OF_FAMILY: Readonly<Record<string, string>> = {
  host: 'kernel_event',
  driver: 'kernel_event',
  storage: 'kernel_event',
  process: 'kernel_event',
  pod: 'pod_event',
  job: 'job_event',
  net: 'job_event',
  service: 'job_event',
  power: 'facility_event',
  psu: 'facility_event',
  cooling: 'facility_event',
};

/** Null where the incident has no pattern. */
export function patternVerdict(incident: Incident): PatternVerdict | null {
  const match = namedPattern(incident);
  if (match === null) return null;
  return {
    'pattern.id': match.pattern.id,
    'pattern.confidence': match.confidence,
    'pattern.headline': match.pattern.headline,
    'pattern.remediation': match.pattern.remediation,
  };
}

/** With the events that it rests on, root first. */
export function wholeVerdict(incident: Incident): WholeVerdict | null {
  const verdict = patternVerdict(incident);
  if (verdict === null) return null;
  const evidence_trail = incident.chain.slice(0, TRAIL).map(({ eventId, kind, component, timeMs }) => {
    const where = component === null ? '' : ` on ${component.type}/${component.id}`;
    return {
      kind: KIND_OF_FAMILY[kind.split('.', 1)[0] ?? ''] ?? 'hw_error',
      uid: eventId,
      timestamp: formatTime(timeMs, 3),
      description: plain(`${kindInfo(kind).title}${where}`, 200),
    };
  });
  return { ...verdict, evidence_trail };
}
