// Late core: native detectors that are made with the first series: most hosts of a cluster's log have lines of jobs, and no numbers.

import type { DetectionCore } from '../../detection/detection.ts';
import type { ComponentType } from '../../model/component.ts';
import { type DetectorEdge, type DetectorSpec, type NativeCore, native } from '../../native.ts';

/** What text has numbers of; detectors of devices watch nothing here, and cost most of what a core does. */
const OF_TEXT: ReadonlySet<string> = new Set(['job', 'rank', 'service'] satisfies ComponentType[]);
/** A job has some tens of series. */
const OPTIONS = { historySeconds: 180, maxSeries: 1024 };

export class LateCore implements DetectionCore {
  #core: NativeCore | null = null;
  #specs: readonly DetectorSpec[] = [];
  readonly #groups = new Map<string, number | null>();

  setDetectors(specs: readonly DetectorSpec[]): void {
    this.#specs = specs.filter(({ select }) => OF_TEXT.has(select.componentType));
    this.#core?.setDetectors(this.#specs);
  }

  setPeerGroup(component: string, group: number | null): void {
    if (this.#core === null) this.#groups.set(component, group);
    else this.#core.setPeerGroup(component, group);
  }

  series(key: string): number {
    return this.#made().series(key);
  }

  seriesKeys(): string[] {
    return this.#core?.seriesKeys() ?? [];
  }

  push(ids: Uint32Array, timesMs: Float64Array, values: Float64Array, traceparent?: string): void {
    if (ids.length > 0) this.#made().push(ids, timesMs, values, traceparent);
  }

  history(key: string, fromMs: number, toMs: number): { timesMs: Float64Array; values: Float64Array } {
    return this.#core?.history(key, fromMs, toMs) ?? { timesMs: new Float64Array(), values: new Float64Array() };
  }

  /** Edges since the last call. */
  edges(): readonly DetectorEdge[] {
    return this.#core?.drain().edges ?? [];
  }

  close(): void {
    this.#core?.close();
  }

  #made(): NativeCore {
    if (this.#core !== null) return this.#core;
    this.#core = new (native().Core)(OPTIONS);
    this.#core.setDetectors(this.#specs);
    for (const [component, group] of this.#groups) this.#core.setPeerGroup(component, group);
    this.#groups.clear();
    return this.#core;
  }
}
