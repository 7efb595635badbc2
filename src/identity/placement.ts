// Placement: which GPU runs which rank of which job, in which role, and of which model it is.

import { hasRoom } from '../helpers/has-room.ts';
import { type Component, componentText } from '../model/component.ts';
import type { Discovery } from '../model/record.ts';
import type { Link } from '../model/topology.ts';

const MAX_GPUS = 1024;

interface Placed {
  readonly rank: string;
  readonly role: string;
}

/** What a GPU works on; those of which all three are equal do the same work. */
export interface Work {
  readonly job: string;
  /** Of its rank; empty where nothing says. */
  readonly role: string;
  /** Empty where it is not known. */
  readonly model: string;
}

export class Placement {
  readonly #models = new Map<string, string>();
  /** GPU → the rank that it runs; rank → its job. */
  readonly #ranks = new Map<string, Placed>();
  readonly #jobs = new Map<string, string>();
  #version = 0;

  /** Another one where something changed. */
  get version(): number {
    return this.#version;
  }

  /** All that run a rank, as texts. */
  gpus(): Iterable<string> {
    return this.#ranks.keys();
  }

  /** Null where no job is known of it. */
  workOf(gpu: string): Work | null {
    const placed = this.#ranks.get(gpu);
    const job = placed === undefined ? undefined : this.#jobs.get(placed.rank);
    return placed === undefined || job === undefined
      ? null
      : { job, role: placed.role, model: this.#models.get(gpu) ?? '' };
  }

  learn({ component, links, attributes }: Discovery): void {
    if (component.type === 'gpu' && typeof attributes?.model === 'string')
      this.#set(this.#models, componentText(component), attributes.model);
    const role = typeof attributes?.role === 'string' ? attributes.role : '';
    for (const { from, to, relation } of links) {
      if (relation === 'member_of' && from.type === 'rank' && to.type === 'job')
        this.#set(this.#jobs, componentText(from), to.id);
      if (relation === 'runs' && from.type === 'gpu' && to.type === 'rank') this.#place(from, to, role);
    }
  }

  /** The configuration has this link no more; what the host shows of it is learned again at its next look. */
  forget({ from, to, relation }: Link): void {
    const [text, of] = [componentText(from), componentText(to)];
    const isRank = relation === 'member_of' && this.#jobs.get(text) === to.id;
    const isPlace = relation === 'runs' && this.#ranks.get(text)?.rank === of;
    if (isRank) this.#jobs.delete(text);
    if (isPlace) this.#ranks.delete(text);
    if (isRank || isPlace) this.#version += 1;
  }

  /** A job that is over leaves its GPUs without work. */
  ended(job: string): void {
    for (const [gpu, { rank }] of this.#ranks) {
      if (this.#jobs.get(rank) !== job) continue;
      this.#ranks.delete(gpu);
      this.#version += 1;
    }
    // Also those ranks of which no GPU is known: there is room for a number of ranks only.
    for (const [rank, of] of this.#jobs) if (of === job) this.#jobs.delete(rank);
  }

  #place(gpu: Component, rank: Component, role: string): void {
    const [text, of] = [componentText(gpu), componentText(rank)];
    const known = this.#ranks.get(text);
    if ((known?.rank === of && known.role === role) || !hasRoom(this.#ranks, text, MAX_GPUS)) return;
    this.#ranks.set(text, { rank: of, role });
    this.#version += 1;
  }

  #set(map: Map<string, string>, key: string, value: string): void {
    if (map.get(key) === value || !hasRoom(map, key, MAX_GPUS)) return;
    map.set(key, value);
    this.#version += 1;
  }
}
