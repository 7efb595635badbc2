// Standing: what is believed of one condition at the moment, and which part of that no longer holds.

import type { ClusterRecord } from '../cluster-book.ts';
import type { Condition } from '../window/condition.ts';
import type { Assigned, Cluster } from './cluster.ts';
import type { Family } from './family.ts';
import type { Weighed } from './weighing.ts';

const NONE: readonly Weighed[] = [];
const NO_RECORDS: readonly ClusterRecord[] = [];

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
  /** While a family is assigned: those that have this one as their root. */
  group: Condition[] | null = null;
  /** The causes inside its cluster that are believed, best first, as of the last time that one was linked. */
  believed: readonly Weighed[] = NONE;
  /** The pass of linking that last found something above it moved, and the one that last looked. */
  aboveMoved = 0;
  settled = 0;
  /** Its place in a cluster as of the last assignment. */
  assigned: Assigned | null = null;
  /** What was told with it in it; null for nothing. */
  told: ClusterRecord | null = null;
  /** What it opened. Nearly always one; more after it absorbed another, until that is told. */
  opened: readonly ClusterRecord[] = NO_RECORDS;
  /** Changed, and not told yet. */
  waits = false;

  readonly #condition: Condition;

  constructor(condition: Condition) {
    this.root = condition;
    this.#condition = condition;
  }

  /**
   * The condition is no more, and lets go of all others: what died old must not keep alive what is young, or each hands
   * the next one on, and nothing is given back before all memory is gone through.
   */
  end(): void {
    this.family = null;
    this.weighed = NONE;
    this.believed = NONE;
    this.root = this.#condition;
    this.cluster = null;
    this.assigned = null;
  }

  /** Nothing that was told has to do with it any more. */
  forget(): void {
    this.told = null;
    this.opened = NO_RECORDS;
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
