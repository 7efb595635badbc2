// The chain of one degradation: the device events near its beginning in order of time, each scored by penalties.

import { plain } from '../../../model/plain.ts';
import type { DeviceEvent } from '../records.ts';
import type { Degradation } from './degradations.ts';
import type { Ordered } from './ordered-events.ts';
import { rounded } from './round.ts';

/** More than this before the degradation, or after the event before it, counts as indirect, s. */
const LONG_S = 30;
const CLOSE_S = 10;
const BASE = 0.9;
/** What a device in no mapping costs, and one of other services where none of this service is near. */
const OF_NONE = 0.2;
const OF_OTHERS = 0.08;
const LEAST = 0.3;
const MOST = 0.99;

export interface ChainOptions {
  readonly lag: number;
  readonly window: number;
}

export interface Step {
  readonly event: DeviceEvent;
  readonly score: number;
  readonly indirect: boolean;
  /** s; of the first up to the degradation, of the others from the one before. */
  readonly lag: number;
}

export interface Chain {
  /** The first event. */
  readonly root: DeviceEvent;
  /** Made each time that they are asked for: what is kept of them are numbers. */
  readonly steps: readonly [Step, ...Step[]];
  readonly confidence: number;
  readonly unmapped: readonly string[];
  readonly warnings: readonly string[];
}

export class Chains {
  readonly #sorted: Ordered;
  readonly #options: ChainOptions;
  /** Of the steps of all chains, one after the other: the event's place in order, and its score. */
  readonly #places: number[] = [];
  readonly #scores: number[] = [];
  /** Whose devices are marked. */
  #service: string | null = null;
  readonly #serves: Uint8Array;

  constructor(sorted: Ordered, options: ChainOptions) {
    this.#sorted = sorted;
    this.#options = options;
    this.#serves = new Uint8Array(sorted.unmapped.length);
  }

  /** Null where no event is near. */
  of({ service, startS }: Degradation): Chain | null {
    const { events, times, devices, unmapped } = this.#sorted;
    const places = this.#places;
    const serves = this.#serving(service);
    const begin = firstAt(times, startS - this.#options.lag, false);
    const end = firstAt(times, startS + this.#options.window, true);
    const first = places.length;
    const lost: string[] = [];
    for (let place = begin; place < end; place += 1) {
      const device = devices[place] ?? 0;
      if (unmapped[device] === 1) lost.push(events[place]?.device ?? '');
      else if (serves[device] !== 1) continue;
      places.push(place);
    }
    const isRelated = places.length > first;
    if (!isRelated) for (let place = begin; place < end; place += 1) places.push(place);
    const root = events[places[first] ?? -1];
    if (root === undefined) return null;
    const { sum, longest } = this.#score(first, startS, isRelated ? 0 : OF_OTHERS);
    return new FoundChain(this, {
      root,
      first,
      end: places.length,
      startS,
      confidence: rounded(sum / (places.length - first), 2),
      unmapped: lost.length < 2 ? lost : [...new Set(lost)],
      warnings: lost.map(inNoMapping),
      longestS: longest,
    });
  }

  /** Of each device, 1 where it can degrade the service. Degradations come by service. */
  #serving(service: string): Uint8Array {
    if (service === this.#service) return this.#serves;
    const { serving } = this.#sorted;
    this.#serves.fill(0);
    for (const device of serving.get(service) ?? []) this.#serves[device] = 1;
    this.#service = service;
    return this.#serves;
  }

  /** Scores the steps from `first` on: their sum, and the longest time between two of them, s. `penalty`: of a device in a mapping. */
  #score(first: number, startS: number, penalty: number): { sum: number; longest: number } {
    const { times, penalties, devices, unmapped } = this.#sorted;
    const places = this.#places;
    const { lag } = this.#options;
    let sum = 0;
    let longest = 0;
    let beforeS = Number.NaN;
    for (let index = first; index < places.length; index += 1) {
      const place = places[index] ?? 0;
      const at = times[place] ?? Number.NaN;
      const gap = index === first ? 0 : at - beforeS;
      const lead = startS - at;
      // In this order: sums of doubles depend on it.
      let score = BASE - (unmapped[devices[place] ?? 0] === 1 ? OF_NONE : penalty) - (penalties[place] ?? 0);
      if (lead > LONG_S) score -= 0.25;
      else if (lead > 0 && lag > 0) score -= (lead / lag) * 0.06;
      if (gap > LONG_S) score -= 0.25;
      else if (gap > CLOSE_S) score -= 0.1;
      score = Math.max(LEAST, Math.min(rounded(score, 4), MOST));
      this.#scores.push(score);
      sum += score;
      if (gap > longest) longest = gap;
      beforeS = at;
    }
    return { sum, longest };
  }

  steps({ root, first, end, startS }: Pick<Figures, 'root' | 'first' | 'end' | 'startS'>): [Step, ...Step[]] {
    const step = (index: number, event: DeviceEvent, before: DeviceEvent | null): Step => {
      const gap = before === null ? 0 : event.at - before.at;
      const lead = startS - event.at;
      const score = this.#scores[index] ?? Number.NaN;
      const indirect = lead > LONG_S || gap > LONG_S;
      return { event, score, indirect, lag: rounded(before === null ? lead : gap, 1) };
    };
    const steps: [Step, ...Step[]] = [step(first, root, null)];
    let before = root;
    for (let index = first + 1; index < end; index += 1) {
      const event = this.#sorted.events[this.#places[index] ?? 0] ?? root;
      steps.push(step(index, event, before));
      before = event;
    }
    return steps;
  }
}

interface Figures {
  readonly root: DeviceEvent;
  /** Of its steps among those of all chains. */
  readonly first: number;
  readonly end: number;
  /** When the degradation begins, s since 1970. */
  readonly startS: number;
  readonly confidence: number;
  readonly unmapped: readonly string[];
  readonly warnings: readonly string[];
  /** The longest time between two steps, s. */
  readonly longestS: number;
}

class FoundChain implements Chain {
  readonly #chains: Chains;
  readonly #figures: Figures;

  constructor(chains: Chains, figures: Figures) {
    this.#chains = chains;
    this.#figures = figures;
  }

  get root(): DeviceEvent {
    return this.#figures.root;
  }

  get confidence(): number {
    return this.#figures.confidence;
  }

  get unmapped(): readonly string[] {
    return this.#figures.unmapped;
  }

  get steps(): readonly [Step, ...Step[]] {
    return this.#chains.steps(this.#figures);
  }

  get warnings(): readonly string[] {
    const { warnings, longestS } = this.#figures;
    return longestS > LONG_S ? [...warnings, ...longLags(this.steps)] : warnings;
  }
}

function inNoMapping(device: string): string {
  return `Device '${plain(device, 200)}' is in no mapping: it counts, with less confidence.`;
}

function longLags(steps: readonly Step[]): string[] {
  return steps.flatMap(({ event, indirect, lag }, index) => {
    const before = steps[index - 1];
    if (before === undefined || !indirect || lag <= LONG_S) return [];
    return [`${rounded(lag, 0)} s lie between '${plain(before.event.id, 200)}' and '${plain(event.id, 200)}': possibly an indirect cause.`]; // biome-ignore format: one line
  });
}

/** The first index whose time is not before `at`; with `after`, the first that is later. */
function firstAt(times: Float64Array, at: number, after: boolean): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const time = times[middle] ?? 0;
    if (after ? time > at : time >= at) high = middle;
    else low = middle + 1;
  }
  return low;
}
