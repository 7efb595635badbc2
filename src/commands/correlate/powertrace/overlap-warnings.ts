// Overlap warnings: what is said of two incidents at one time. There are many more pairs than incidents, so that they are counted as
// numbers, and their text is made where it is printed.

import { plain } from '../../../model/plain.ts';
import { clock, secondOfDay } from './clock.ts';
import type { Degradation } from './degradations.ts';
import { type Interval, overlapsOf } from './overlaps.ts';

const DAY_S = 86_400;

interface Timed extends Interval {
  readonly degradation: Degradation;
}

export class OverlapWarnings {
  /** How many different ones there are. */
  readonly count: number;
  readonly #incidents: readonly Timed[];
  /** Of each incident the places of those that it overlaps, in order. */
  readonly #others: readonly number[][];
  /** Of each incident: service, begin and end as they are shown. */
  #shown: readonly (readonly [string, string, string])[] | null = null;

  constructor(incidents: readonly Timed[]) {
    this.#incidents = incidents;
    this.#others = overlapsOf(incidents);
    this.count = differentOf(incidents, this.#others);
  }

  /** Those about the incident at this place, in the order of the others. */
  of(place: number): string[] {
    const others = this.#others[place] ?? [];
    if (others.length === 0) return [];
    this.#shown ??= this.#incidents.map(({ degradation: { service }, startS, endS }) => [
      `'${plain(service, 200)}'`,
      clock(startS),
      clock(endS),
    ]);
    return others.map((other) => this.#textOf(Math.min(place, other), Math.max(place, other)));
  }

  #textOf(a: number, b: number): string {
    const [one, other] = [this.#incidents[a], this.#incidents[b]];
    const [shown, shownOther] = [this.#shown?.[a], this.#shown?.[b]];
    if (one === undefined || other === undefined || shown === undefined || shownOther === undefined) return '';
    const from = one.startS > other.startS ? shown[1] : shownOther[1];
    const to = one.endS < other.endS ? shown[2] : shownOther[2];
    return `Incidents of ${shown[0]} and ${shownOther[0]} overlap in time (${from} to ${to}). They were not merged and may share a cause.`;
  }
}

/** How many of the pairs differ in what is said: the two services, and the two times of day. Loops by place: this runs once, uncompiled. */
function differentOf(incidents: readonly Timed[], others: readonly number[][]): number {
  const count = incidents.length;
  const services = serviceNumbers(incidents);
  const startsS = new Float64Array(count);
  const endsS = new Float64Array(count);
  for (let place = 0; place < count; place += 1) {
    startsS[place] = incidents[place]?.startS ?? 0;
    endsS[place] = incidents[place]?.endS ?? 0;
  }
  const [fromS, toS] = [startsS.map(secondOfDay), endsS.map(secondOfDay)];
  const byServices = new Map<number, number[]>();
  for (let a = 0; a < count; a += 1) {
    const own = others[a] ?? [];
    for (let index = 0; index < own.length; index += 1) {
      const b = own[index] ?? 0;
      if (b < a) continue;
      const pair = (services[a] ?? 0) * count + (services[b] ?? 0);
      const from = ((startsS[a] ?? 0) > (startsS[b] ?? 0) ? fromS[a] : fromS[b]) ?? 0;
      const to = ((endsS[a] ?? 0) < (endsS[b] ?? 0) ? toS[a] : toS[b]) ?? 0;
      const times = byServices.get(pair);
      if (times === undefined) byServices.set(pair, [from * DAY_S + to]);
      else times.push(from * DAY_S + to);
    }
  }
  let different = 0;
  for (const times of byServices.values()) different += differentNumbers(times);
  return different;
}

function differentNumbers(values: readonly number[]): number {
  const sorted = new Float64Array(values).sort();
  let different = 0;
  for (let index = 0; index < sorted.length; index += 1)
    if (index === 0 || sorted[index] !== sorted[index - 1]) different += 1;
  return different;
}

/** Of each incident a number for its service, the same for names that are shown alike. */
function serviceNumbers(incidents: readonly Timed[]): Uint32Array {
  const byShown = new Map<string, number>();
  const byName = new Map<string, number>();
  return Uint32Array.from(incidents, ({ degradation: { service } }) => {
    const known = byName.get(service);
    if (known !== undefined) return known;
    const shown = plain(service, 200);
    const number = byShown.get(shown) ?? byShown.size;
    byShown.set(shown, number);
    byName.set(service, number);
    return number;
  });
}
