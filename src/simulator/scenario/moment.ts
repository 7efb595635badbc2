// Moment: a time of the timeline that a truth names, by itself or after the beginning or the end of a step.

import { parseDuration } from '../../config/quantity.ts';
import type { MomentDocument } from './document.ts';
import type { Finding, Path } from './validate.ts';

/** What is known of a step when a truth is planned. */
export interface TimedStep {
  readonly id: string | null;
  readonly atMs: number;
  readonly forMs?: number | null;
}

/** ms of the timeline. */
export function planMoment(
  moment: MomentDocument,
  steps: readonly TimedStep[],
  path: Path,
  findings: Finding[],
): number {
  if (typeof moment === 'string') return parseDuration(moment) ?? 0;
  const { after, after_end_of: ended, by = '0s' } = moment;
  const key = after === undefined ? 'after_end_of' : 'after';
  const step = steps.findLast(({ id }) => id === (after ?? ended));
  const wrong = (text: string): number => {
    findings.push({ code: 'FL5109', path: [...path, key], text });
    return 0;
  };
  if (step === undefined) return wrong(`no step ${after ?? ended} in timeline`);
  const laterMs = parseDuration(by) ?? 0;
  if (after !== undefined) return step.atMs + laterMs;
  if (typeof step.forMs !== 'number') return wrong(`step ${ended} has no end: it needs for`);
  return step.atMs + step.forMs + laterMs;
}
