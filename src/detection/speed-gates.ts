// Speed gates: one for each rule about the speed of jobs, fed with their samples and with what makes steps slow by right.

import { componentText, parseComponent } from '../model/component.ts';
import type { Kind } from '../model/kind.ts';
import { parseSeriesKey, seriesKey } from '../model/reading.ts';
import type { EventInput, SampleBatch } from '../model/record.ts';
import type { DetectorEdge } from '../native.ts';
import { pauseEvent } from './pause-event.ts';
import type { DetectionRule } from './rule.ts';
import { type Passed, SpeedGate } from './speed-gate.ts';
import type { PauseMark } from './text/job.ts';

/** Lines after which a job runs at its speed: the first compile, load and warm up. */
const SLOW_LINES: Partial<Record<Kind, number>> = { 'job.started': 3 };

export class SpeedGates {
  /** By detector, and by the quantity that it watches. */
  readonly #byDetector = new Map<string, SpeedGate>();
  readonly #byQuantity = new Map<string, SpeedGate>();
  #confirmed: Passed[] = [];

  constructor(rules: readonly DetectionRule[]) {
    for (const { spec } of rules) {
      if (spec.type !== 'drop' || spec.select.componentType !== 'job') continue;
      const gate = new SpeedGate(spec);
      this.#byDetector.set(spec.name, gate);
      this.#byQuantity.set(spec.select.quantity, gate);
    }
  }

  /** Takes what a line told, before the samples of the same line. */
  events(events: readonly EventInput[]): void {
    for (const { kind, component } of events) {
      const lines = SLOW_LINES[kind];
      if (lines === undefined || component === null) continue;
      for (const [quantity, gate] of this.#byQuantity)
        this.#startAnew(gate, seriesKey(componentText(component), quantity), lines);
    }
  }

  #startAnew(gate: SpeedGate, key: string, lines: number): void {
    gate.expect(key, lines);
    gate.restart(key);
  }

  /** Takes what a line told of a pause. */
  pause({ component, why, ends }: PauseMark): void {
    for (const [quantity, gate] of this.#byQuantity)
      gate.mark(seriesKey(componentText(component), quantity), why, ends);
  }

  /** Slow steps that were told and turned out to have been a pause. */
  takePauses(): EventInput[] {
    return [...this.#byQuantity.values()]
      .flatMap((gate) => gate.takePauses())
      .flatMap((pause) => {
        const component = parseComponent(parseSeriesKey(pause.key).component);
        return component === null ? [] : [pauseEvent(component, pause)];
      });
  }

  samples({ keys, timesMs, values }: SampleBatch): void {
    for (const [i, key] of keys.entries()) {
      if (!key.startsWith('job/')) continue;
      const gate = this.#byQuantity.get(parseSeriesKey(key).quantity);
      const passed = gate?.sample(key, timesMs[i] ?? Number.NaN, values[i] ?? Number.NaN) ?? null;
      if (passed !== null) this.#confirmed.push(passed);
    }
  }

  /** The edges that count, with those that were held back and are confirmed since. */
  pass(edges: readonly DetectorEdge[]): Passed[] {
    const confirmed = this.#confirmed.splice(0);
    const passed = edges.flatMap((edge) => {
      const gate = this.#byDetector.get(edge.detector);
      return (gate === undefined ? { edge, spread: null } : gate.edge(edge)) ?? [];
    });
    return [...confirmed, ...passed];
  }
}
