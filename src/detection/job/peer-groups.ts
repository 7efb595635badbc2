// Peer groups: GPUs that do the same work — same job, same role, same model — can be held against each other.

import { remember } from '../../helpers/remember.ts';
import type { Placement } from '../../identity/placement.ts';
import type { NativeCore } from '../../native.ts';

const MAX_GROUPS = 1024;

/** Without a job that is known a GPU has no peers: two jobs on one host may run at different speeds by right. */
export class PeerGroups {
  readonly #core: Pick<NativeCore, 'setPeerGroup'>;
  readonly #placement: Placement;
  readonly #numbers = new Map<string, number>();
  /** GPU → the group that native code has of it. */
  readonly #reported = new Map<string, number>();
  #seen = -1;
  #last = 0;

  constructor(core: Pick<NativeCore, 'setPeerGroup'>, placement: Placement) {
    this.#core = core;
    this.#placement = placement;
  }

  /** To be called where something may have been learned: native code gets what changed. */
  refresh(): void {
    if (this.#seen === this.#placement.version) return;
    this.#seen = this.#placement.version;
    for (const gpu of new Set([...this.#placement.gpus(), ...this.#reported.keys()])) this.#report(gpu);
  }

  #report(gpu: string): void {
    const work = this.#placement.workOf(gpu);
    if (work === null) {
      if (this.#reported.delete(gpu)) this.#core.setPeerGroup(gpu, null);
      return;
    }
    const group = this.#number(JSON.stringify([work.job, work.role, work.model]));
    if (this.#reported.get(gpu) === group) return;
    this.#reported.set(gpu, group);
    this.#core.setPeerGroup(gpu, group);
  }

  /** A number that was given away stays given: what is forgotten here is at most taken for another once too often. */
  #number(key: string): number {
    const known = this.#numbers.get(key);
    if (known === undefined) this.#last += 1;
    const number = known ?? this.#last;
    remember(this.#numbers, key, number, MAX_GROUPS);
    return number;
  }
}
