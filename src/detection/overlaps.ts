// Overlaps: several detectors can tell the same thing of one component; it is over when the last of them says so.

import type { DetectorEdge } from '../native.ts';
import type { DetectionRule } from './rule.ts';

export class Overlaps {
  /** Kind and component → detectors that hold it open. */
  readonly #open = new Map<string, Set<string>>();

  /** True for the end of one detector's part while another's goes on. */
  goesOn({ kind, point }: DetectionRule, { detector, edge, key }: DetectorEdge): boolean {
    if (point === true) return false;
    const what = `${kind} ${key.slice(0, key.lastIndexOf('#'))}`;
    const open = this.#open.get(what) ?? new Set();
    if (edge === 'onset') {
      this.#open.set(what, open.add(detector));
      return false;
    }
    open.delete(detector);
    if (open.size === 0) this.#open.delete(what);
    return open.size > 0;
  }
}
