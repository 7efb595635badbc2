// Rechecks: whose causes are looked at again later because time alone changes what explains them.

import type { Condition } from './belief/condition.ts';
import { type EdgeContext, recheckMs } from './graph/edge.ts';

export class Rechecks {
  readonly #waiting = new Set<Condition>();
  readonly #schedule: (atMs: number, condition: Condition) => void;

  constructor(schedule: (atMs: number, condition: Condition) => void) {
    this.#schedule = schedule;
  }

  /** An explanation may end by the passing of time alone. */
  get waiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Those that are looked at again. */
  get conditions(): ReadonlySet<Condition> {
    return this.#waiting;
  }

  /** When a condition is new: causes that explain it only while it is short. */
  begin(condition: Condition, latenessMs: number): void {
    const atMs = recheckMs(condition, latenessMs);
    if (atMs !== null) this.#schedule(atMs, condition);
  }

  /** Of several times the earliest is kept; looked at then, the condition asks for the next one. */
  readonly at: EdgeContext['recheckAt'] = (condition, atMs) => {
    if (condition.causeCheckMs !== null && condition.causeCheckMs <= atMs) return;
    condition.causeCheckMs = atMs;
    this.#waiting.add(condition);
    this.#schedule(atMs, condition);
  };

  /** Its time came. */
  due(condition: Condition, atMs: number): void {
    if (condition.causeCheckMs === null || condition.causeCheckMs > atMs) return;
    condition.causeCheckMs = null;
    this.#waiting.delete(condition);
  }

  /** It is gone. */
  forget(condition: Condition): void {
    condition.causeCheckMs = null;
    this.#waiting.delete(condition);
  }
}
