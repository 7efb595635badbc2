// Step seen: a step with its line's place, time and rank.

import type { TextRecord } from '../../../model/record.ts';
import { formatTime } from '../../../model/time.ts';
import type { StepSeen } from './decoded.ts';
import type { LineTime } from './prefix.ts';
import type { Mutable, Progress, StepLine } from './progress.ts';

/** The step with when and by whom it was made. */
export function seenAt({ position }: TextRecord, time: LineTime, rank: number | null, reported: StepLine): StepSeen {
  const { timeMs } = time;
  return { position, timeMs, progress: isPlaced(reported) ? reported : { ...reported, time: stampOf(time), rank } };
}

/** It belongs to this line alone, and its time and rank were put in where it was read. */
export function isPlaced(step: StepLine): step is Mutable<Progress> {
  return 'rank' in step;
}

/** RFC 3339; null where the line has no time of its own. */
export function stampOf({ from, timeMs, digits }: LineTime): string | null {
  return from === 'line' ? formatTime(timeMs, digits) : null;
}
