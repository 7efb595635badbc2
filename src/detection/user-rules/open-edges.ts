// Open edges: what detectors reported and did not end. Where a detector is taken away or changed, it can end nothing any more.

import { isDeepStrictEqual } from 'node:util';
import type { DetectorEdge } from '../../native.ts';
import type { DetectionRule } from '../rules/rule.ts';

const MOST = 16_384;

export interface Gone {
  readonly rule: DetectionRule;
  readonly edge: DetectorEdge;
}

export class OpenEdges {
  readonly #open = new Map<string, DetectorEdge>();

  take(rule: DetectionRule, edge: DetectorEdge): void {
    const what = `${edge.detector} ${edge.key}`;
    if (edge.edge === 'clear') this.#open.delete(what);
    else if (rule.point !== true && this.#open.size < MOST) this.#open.set(what, edge);
  }

  /** The ends of what is open of detectors that are not the same any more. */
  gone(
    before: ReadonlyMap<string, DetectionRule>,
    after: ReadonlyMap<string, DetectionRule>,
    nowMs: number,
  ): readonly Gone[] {
    const ended: Gone[] = [];
    for (const [what, edge] of this.#open) {
      const rule = before.get(edge.detector);
      if (rule === undefined || isDeepStrictEqual(rule.spec, after.get(edge.detector)?.spec)) continue;
      this.#open.delete(what);
      ended.push({ rule, edge: { ...edge, edge: 'clear', timeMs: nowMs, previousMs: nowMs, detectedMs: nowMs } });
    }
    return ended;
  }
}
