// Working labels: the labels of a component's series with those of the work that it does, made again only when that changes.

import type { LabelBook } from '../work/label-book.ts';
import type { WorkLabels } from '../work/work-labels.ts';
import type { Labels } from './metric-family.ts';

export class WorkingLabels {
  readonly #component: string | null;
  readonly #plain: Labels;
  #version = -1;
  #work: WorkLabels | null = null;
  #labels: Labels;

  /** `plain`: what it has when it works for no job; no component: what never does. */
  constructor(component: string | null, plain: Labels) {
    this.#component = component;
    this.#plain = plain;
    this.#labels = plain;
  }

  /** The same list while it works for the same: what is written of it is kept with it. */
  now(book: LabelBook): Labels {
    if (book.version === this.#version) return this.#labels;
    this.#version = book.version;
    const work = this.#component === null ? null : book.of(this.#component);
    if (work !== this.#work) {
      this.#work = work;
      this.#labels = withWork(this.#plain, work);
    }
    return this.#labels;
  }
}

/** By the names of dcgm-exporter, behind the others. */
export function withWork(plain: Labels, work: WorkLabels | null): Labels {
  if (work === null) return plain;
  const { container, hpcJob, namespace, pod, rank } = work;
  const all = [
    ['container', container],
    ['hpc_job', hpcJob],
    ['namespace', namespace],
    ['pod', pod],
    ['rank', rank === null ? null : String(rank)],
  ] as const;
  return [...plain, ...all.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))];
}
