// Standing: what is believed of one condition at the moment, and which part of that no longer holds.

import type { Condition } from '../window/condition.ts';
import type { Cluster } from './cluster.ts';
import type { Family } from './family.ts';
import type { Weighed } from './weighing.ts';

const NONE: readonly Weighed[] = [];

export class Standing {
  /** With what it hangs together; null while it stands alone and nobody asked. */
  family: Family | null = null;
  /** All causes weighed, best first, believed or not. */
  weighed: readonly Weighed[] = NONE;
  weighAnew = true;
  /** At how many places it may have had effects. */
  places = 0;
  countPlaces = true;
  /** Something planned or declared explains it directly. */
  explained = false;
  root: Condition;
  /** The pass over its family that found `root`. */
  pass = 0;
  cluster: Cluster | null = null;

  constructor(condition: Condition) {
    this.root = condition;
  }

  /** What is told of the condition is no longer what is the case. */
  outdate(): void {
    if (this.cluster !== null) this.cluster.outdated = true;
  }

  /** Its count grew within the same power of two: told only of what is over. */
  recount(): void {
    if (this.cluster?.ended === true) this.cluster.outdated = true;
  }

  /** Its end moved; `told` where the end itself is part of what is told. */
  moveEnd(told: boolean): void {
    if (this.cluster === null) return;
    this.cluster.endKnown = false;
    if (told) this.cluster.outdated = true;
  }
}
