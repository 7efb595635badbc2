// Speed gates: one for each rule about the speed of jobs and ranks, fed with their samples and with what makes steps slow by right.

import { isDeepStrictEqual } from 'node:util';
import { hasRoom } from '../../helpers/has-room.ts';
import { type Component, componentText, parseComponent } from '../../model/component.ts';
import { parseSeriesKey, seriesKey } from '../../model/reading.ts';
import type { EventInput, SampleBatch } from '../../model/record.ts';
import type { DetectorEdge } from '../../native.ts';
import type { DetectionRule } from '../rules/rule.ts';
import type { PauseMark } from '../text/job/decoded.ts';
import { type DropSpec, OwnBaseline } from './own-baseline.ts';
import { pauseEvent } from './pause-event.ts';
import { SlowRanks } from './slow-ranks.ts';
import { type Passed, SpeedGate } from './speed-gate.ts';

/** Lines after which a job runs at its speed: the first compile, load and warm up. */
const FIRST_STEPS = 3;
const MAX_OWN = 512;
/** Series of which it is kept what watches them. */
const MOST_SERIES = 16_384;

/** What watches a series. */
interface Watch {
  readonly spec: DropSpec;
  readonly gate: SpeedGate;
  /** Of detector and series. */
  readonly name: string;
}

export class SpeedGates {
  /** By detector, and by what it watches ("job#step_time"). */
  readonly #byDetector = new Map<string, SpeedGate>();
  readonly #byWatched = new Map<string, SpeedGate>();
  readonly #specs = new Map<string, DropSpec>();
  /** By series; null where nothing watches it. */
  readonly #watches = new Map<string, Watch | null>();
  #confirmed: Passed[] = [];
  /** By detector and series: of jobs whose work changed, in place of what native code judges. */
  readonly #own = new Map<string, OwnBaseline>();
  /** Onsets that were reported and not ended, by detector and series. */
  readonly #reported = new Map<string, DetectorEdge>();
  #ownEdges: DetectorEdge[] = [];
  readonly #ranksOf: (job: string) => readonly string[];
  readonly #slowRanks: SlowRanks;

  /** `ranksOf` gives the text forms of a job's ranks that report their own speed. */
  constructor(rules: readonly DetectionRule[], ranksOf: (job: string) => readonly string[] = () => []) {
    this.#ranksOf = ranksOf;
    this.#slowRanks = new SlowRanks({
      of: ranksOf,
      slow: (key, afterMs) => this.#byWatched.get(watched(key))?.slow(key, afterMs) ?? null,
    });
    this.rules(rules);
  }

  /** Rules from now on. One that changed learns again, as its native detector does; the others keep what they know. */
  rules(rules: readonly DetectionRule[]): void {
    this.#watches.clear();
    for (const { spec } of rules) {
      const { componentType, quantity } = spec.select;
      if (spec.type !== 'drop' || (componentType !== 'job' && componentType !== 'rank')) continue;
      const watches = `${componentType}#${quantity}`;
      const before = this.#specs.get(watches);
      if (before !== undefined && isDeepStrictEqual(before, spec)) continue;
      const gate = new SpeedGate(spec);
      this.#specs.set(watches, spec);
      this.#byDetector.set(spec.name, gate);
      this.#byWatched.set(watches, gate);
      this.#learnAgain(spec);
    }
  }

  /** What a detector reported is over where it changed; jobs whose work changed are judged by the new limits too. */
  #learnAgain(spec: DropSpec): void {
    const of = `${spec.name} `;
    for (const name of this.#reported.keys()) if (name.startsWith(of)) this.#reported.delete(name);
    for (const name of this.#own.keys())
      if (name.startsWith(of)) this.#own.set(name, new OwnBaseline(spec, name.slice(of.length)));
    this.#confirmed = this.#confirmed.filter(({ edge }) => edge.detector !== spec.name);
    this.#ownEdges = this.#ownEdges.filter(({ detector }) => detector !== spec.name);
    this.#slowRanks.forget(spec.name);
  }

  /** The series of a job and its ranks, each with its gate. */
  #seriesOf(job: Component): { readonly key: string; readonly gate: SpeedGate; readonly spec: DropSpec }[] {
    const texts = [componentText(job), ...this.#ranksOf(job.id)];
    return texts.flatMap((text) =>
      [...this.#byWatched].flatMap(([name, gate]) => {
        const key = seriesKey(text, parseSeriesKey(name).quantity);
        const spec = this.#specs.get(name);
        return spec === undefined || watched(key) !== name ? [] : [{ key, gate, spec }];
      }),
    );
  }

  /** Takes what a line reported, before the samples of the same line. */
  events(events: readonly EventInput[]): void {
    for (const { kind, component } of events) {
      if (kind !== 'job.started' || component === null) continue;
      for (const { gate, key } of this.#seriesOf(component)) {
        gate.expect(key, FIRST_STEPS);
        gate.restart(key);
      }
    }
  }

  /** Takes what a line said of a pause. */
  pause({ component, why, ends }: PauseMark): void {
    for (const { gate, key } of this.#seriesOf(component)) gate.mark(key, why, ends);
  }

  /** Slow steps that were reported and turned out to have been a pause. */
  takePauses(): EventInput[] {
    if (!this.#hasPauses()) return [];
    return [...this.#byWatched.values()]
      .flatMap((gate) => gate.takePauses())
      .filter(({ key }) => this.#slowRanks.wasReported(key))
      .flatMap((pause) => {
        const component = parseComponent(parseSeriesKey(pause.key).component);
        return component === null ? [] : [pauseEvent(component, pause)];
      });
  }

  #hasPauses(): boolean {
    for (const gate of this.#byWatched.values()) if (gate.hasPauses) return true;
    return false;
  }

  /** The job's work changed: its speed is learned again, and what was reported against the old one is over. */
  workChanged(job: Component): void {
    for (const { key, gate, spec } of this.#seriesOf(job)) {
      const name = `${spec.name} ${key}`;
      if (!hasRoom(this.#own, name, MAX_OWN)) continue;
      this.#own.set(name, new OwnBaseline(spec, key));
      gate.forget(key);
      gate.expect(key, FIRST_STEPS);
    }
  }

  samples({ keys, timesMs, values }: SampleBatch): void {
    for (let i = 0; i < keys.length; i += 1) {
      const key = keys[i] ?? '';
      const watch = this.#watchOf(key);
      if (watch === null) continue;
      const { spec, gate, name } = watch;
      const [timeMs, value] = [timesMs[i] ?? Number.NaN, values[i] ?? Number.NaN];
      const passed = gate.sample(key, timeMs, value);
      if (passed !== null) this.#confirmed.push(passed);
      this.#slowRanks.sample(key, timeMs, value);
      const own = this.#own.get(name);
      if (own === undefined) continue;
      const edge = own.sample(timeMs, value) ?? this.#void(spec.name, key, timeMs, value, own);
      if (edge !== null) this.#ownEdges.push(edge);
    }
  }

  #watchOf(key: string): Watch | null {
    const known = this.#watches.get(key);
    if (known !== undefined) return known;
    const ofJob = key.startsWith('job/') || key.startsWith('rank/');
    const [spec, gate] = [this.#specs.get(watched(key)), this.#byWatched.get(watched(key))];
    const watch =
      !ofJob || spec === undefined || gate === undefined ? null : { spec, gate, name: `${spec.name} ${key}` };
    if (this.#watches.size >= MOST_SERIES) this.#watches.clear();
    this.#watches.set(key, watch);
    return watch;
  }

  /** The end of an onset that was reported before the work changed. */
  #void(detector: string, key: string, timeMs: number, value: number, own: OwnBaseline): DetectorEdge | null {
    const reported = this.#reported.get(`${detector} ${key}`);
    if (reported === undefined || own.reporting) return null;
    return { ...reported, edge: 'clear', timeMs, previousMs: timeMs, value, detectedMs: timeMs };
  }

  /** The edges that count, with those that were held back and are confirmed since. */
  pass(edges: readonly DetectorEdge[]): Passed[] {
    if (edges.length + this.#confirmed.length + this.#ownEdges.length === 0 && !this.#slowRanks.hasReleased) return [];
    const confirmed = this.#confirmed.splice(0);
    const native = edges.filter(({ detector, key }) => !this.#own.has(`${detector} ${key}`));
    const passed = [...native, ...this.#ownEdges.splice(0)].flatMap((edge) => {
      const gate = this.#byDetector.get(edge.detector);
      return (gate === undefined ? { edge, spread: null } : gate.edge(edge)) ?? [];
    });
    const all = this.#slowRanks.pass([...confirmed, ...passed]);
    for (const { edge } of all) this.#note(edge);
    return all;
  }

  #note(edge: DetectorEdge): void {
    if (!this.#byDetector.has(edge.detector)) return;
    const name = `${edge.detector} ${edge.key}`;
    this.#reported.delete(name);
    if (edge.edge === 'onset' && this.#reported.size < MAX_OWN) this.#reported.set(name, edge);
  }
}

/** "job#step_time": what a rule watches, of the key of a series. */
function watched(key: string): string {
  const { component, quantity } = parseSeriesKey(key);
  return `${component.slice(0, component.indexOf('/'))}#${quantity}`;
}
