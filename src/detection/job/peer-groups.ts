// Peer groups: which GPUs do the same work — same job, same role, same model — and can be held against each other.

import { type Component, componentText } from '../../model/component.ts';
import type { Discovery, EventInput } from '../../model/record.ts';
import type { NativeCore } from '../../native.ts';

const OVER = /^job\.(?:ended|preempted|cancelled|requeued)$/;
const MAX_GPUS = 1024;

interface Placed {
  readonly rank: string;
  readonly role: string;
}

/** Without a job that is known a GPU has no peers: two jobs on one host may run at different speeds by right. */
export class PeerGroups {
  readonly #core: Pick<NativeCore, 'setPeerGroup'>;
  readonly #models = new Map<string, string>();
  /** GPU → the rank that it runs; rank → its job. */
  readonly #ranks = new Map<string, Placed>();
  readonly #jobs = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  readonly #reported = new Map<string, number>();
  #last = 0;

  constructor(core: Pick<NativeCore, 'setPeerGroup'>) {
    this.#core = core;
  }

  learn({ component, links, attributes }: Discovery): void {
    if (component.type === 'gpu' && typeof attributes?.model === 'string') {
      if (this.#models.size < MAX_GPUS) this.#models.set(componentText(component), attributes.model);
      this.#report(componentText(component));
    }
    const role = typeof attributes?.role === 'string' ? attributes.role : '';
    for (const { from, to, relation } of links) {
      if (relation === 'member_of' && from.type === 'rank' && to.type === 'job' && this.#jobs.size < MAX_GPUS)
        this.#member(componentText(from), to.id);
    }
    for (const { from, to, relation } of links) {
      if (relation === 'runs' && from.type === 'gpu' && to.type === 'rank') this.#place(from, to, role);
    }
  }

  /** A job that is over leaves its GPUs without peers. */
  heard({ kind, component }: EventInput): void {
    if (!OVER.test(kind) || component?.type !== 'job') return;
    for (const [gpu, { rank }] of this.#ranks) {
      if (this.#jobs.get(rank) !== component.id) continue;
      this.#ranks.delete(gpu);
      this.#jobs.delete(rank);
      this.#report(gpu);
    }
  }

  /** What a rank runs on may have been configured before its job was found. */
  #member(rank: string, job: string): void {
    if (this.#jobs.get(rank) === job) return;
    this.#jobs.set(rank, job);
    for (const [gpu, placed] of this.#ranks) if (placed.rank === rank) this.#report(gpu);
  }

  #place(gpu: Component, rank: Component, role: string): void {
    const text = componentText(gpu);
    if (this.#ranks.size >= MAX_GPUS && !this.#ranks.has(text)) return;
    this.#ranks.set(text, { rank: componentText(rank), role });
    this.#report(text);
  }

  #report(gpu: string): void {
    const placed = this.#ranks.get(gpu);
    const job = placed === undefined ? undefined : this.#jobs.get(placed.rank);
    if (placed === undefined || job === undefined) {
      if (this.#reported.delete(gpu)) this.#core.setPeerGroup(gpu, null);
      return;
    }
    const group = this.#number(JSON.stringify([job, placed.role, this.#models.get(gpu) ?? '']));
    if (this.#reported.get(gpu) === group) return;
    this.#reported.set(gpu, group);
    this.#core.setPeerGroup(gpu, group);
  }

  #number(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    // A number that was given away stays given: what is forgotten here is at most taken for another once too often.
    if (this.#numbers.size >= MAX_GPUS) this.#numbers.clear();
    this.#last += 1;
    this.#numbers.set(key, this.#last);
    return this.#last;
  }
}
