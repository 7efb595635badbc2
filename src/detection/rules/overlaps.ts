// Overlaps: several detectors can report the same thing of one component; it is over when the last of them says so.

import type { DetectorEdge } from '../../native.ts';
import type { DetectionRule } from './rule.ts';

export class Overlaps {
  /** Kind and component → detectors that hold it open. */
  readonly #open = new Map<string, Set<string>>();

  /** Kind and component → time of the sample that ended it last, epoch ms. */
  readonly #ended = new Map<string, number>();

  /** True for the end of one detector's part while another's continues, and for a point that is the end just reported. */
  continues({ kind, point }: DetectionRule, { detector, edge, key, timeMs }: DetectorEdge): boolean {
    const what = `${kind} ${key.slice(0, key.lastIndexOf('#'))}`;
    if (point === true) return edge === 'onset' && this.#ended.get(what) === timeMs;
    const open = this.#open.get(what) ?? new Set();
    if (edge === 'onset') {
      this.#open.set(what, open.add(detector));
      return false;
    }
    open.delete(detector);
    if (open.size === 0) {
      this.#open.delete(what);
      this.#ended.set(what, timeMs);
    }
    return open.size > 0;
  }
}
