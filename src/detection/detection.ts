// Detection: samples go through the native detectors, text through the decoders; events come out.

import type { Trust } from '../model/event.ts';
import { parseSeriesKey } from '../model/reading.ts';
import type { EventInput, SampleBatch, TextRecord } from '../model/record.ts';
import type { DetectorEdge, NativeCore } from '../native.ts';
import { DETECTION_RULES, type DetectionRule } from './detectors.ts';
import { edgeEvent } from './edge-event.ts';
import { TextDetection } from './text/text-detection.ts';

/** Who reads the series of a component type where native code samples it, and how far that can be trusted. */
const NATIVE_ORIGIN: Record<string, { source: string; trust: Trust }> = {
  gpu: { source: 'gpu', trust: 'driver' },
  cpu: { source: 'cpu', trust: 'kernel' },
  host: { source: 'cpu', trust: 'kernel' },
};

/** An event, and whether what caused it was handed to `samples` or `text` (then a replay finds it again by itself). */
export interface Detected {
  readonly event: EventInput;
  readonly derived: boolean;
}

export class Detection {
  readonly #core: NativeCore;
  readonly #host: string;
  readonly #text: TextDetection;
  readonly #rules = new Map<string, DetectionRule>();
  readonly #pushed = new Map<string, { id: number; source: string; trust: Trust; silent: boolean }>();

  constructor(core: NativeCore, host: string, rules: readonly DetectionRule[] = DETECTION_RULES) {
    this.#core = core;
    this.#host = host;
    this.#text = new TextDetection(host);
    for (const rule of rules) this.#rules.set(rule.spec.name, rule);
    core.setDetectors(rules.map((rule) => rule.spec));
  }

  /** Hands samples to the native detectors; their edges are in the core's next drain. */
  samples(batch: SampleBatch): void {
    this.#push(batch, false);
  }

  /** Keeps samples for evidence only: what the detectors say of them is dropped. */
  background(batch: SampleBatch): void {
    this.#push(batch, true);
  }

  #push(batch: SampleBatch, silent: boolean): void {
    const count = batch.keys.length;
    const ids = new Uint32Array(count);
    for (let i = 0; i < count; i += 1) ids[i] = this.#seriesId(batch.keys[i] ?? '', batch, silent);
    this.#core.push(ids, Float64Array.from(batch.timesMs), Float64Array.from(batch.values));
  }

  text(record: TextRecord): Detected[] {
    const { events, samples } = this.#text.decode(record);
    if (samples !== null) this.samples(samples);
    return events.map((event) => ({ event, derived: true }));
  }

  /** Counts of repeated lines that were held back and are due by now. */
  settle(nowMs: number): Detected[] {
    return this.#text.settle(nowMs).map((event) => ({ event, derived: true }));
  }

  edges(edges: readonly DetectorEdge[], observedMs: number): Detected[] {
    const found: Detected[] = [];
    for (const edge of edges) {
      const rule = this.#rules.get(edge.detector);
      const pushed = this.#pushed.get(edge.key);
      const origin = pushed ?? NATIVE_ORIGIN[parseSeriesKey(edge.key).component.split('/', 1)[0] ?? ''];
      if (rule === undefined || origin === undefined || pushed?.silent === true) continue;
      const event = edgeEvent(rule, edge, {
        host: this.#host,
        source: origin.source,
        trust: origin.trust,
        observedMs,
        history: (key, fromMs, toMs) => this.#core.history(key, fromMs, toMs),
      });
      if (event !== null) found.push({ event, derived: pushed !== undefined });
    }
    return found;
  }

  #seriesId(key: string, batch: SampleBatch, silent: boolean): number {
    let entry = this.#pushed.get(key);
    if (entry === undefined) {
      entry = { id: this.#core.series(key), source: batch.source, trust: batch.trust, silent };
      this.#pushed.set(key, entry);
    }
    return entry.id;
  }
}
