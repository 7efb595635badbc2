// Bar places: where the values of a progress bar are in its line, for lines that differ from it in their digits and in how far it is drawn.

import { type BarParts, barParts, parseBar, rateAt } from './bar.ts';
import { BAR_FIELDS, barStep, GLOBAL_STEP } from './bar-step.ts';
import type { Framework } from './framework.ts';
import type { Put, PutDigits, Step, ValueText } from './put.ts';
import { isWhole, type RunNumber, readRuns } from './run-number.ts';
import { placesAfter, spotAfter, type ValuePlace } from './step-fields.ts';

/** The description with the number of its epoch, where it has one, and the percents. */
const HEAD = /(?:^|\])[^\]|]{0,60}?(?:(\d{1,6})[\s:]{0,8})?:\s{0,4}(\d{1,3})$/d;
/** Digits that they have at most, as `bar.ts` and `bar-step.ts` read them. */
const MOST = { percent: 3, epoch: 6, count: 9, fraction: 6, global: 12 };

export interface BarPlaces {
  readonly places: readonly ValuePlace[];
  /** What is drawn, which says nothing that the percents do not. */
  readonly drawn: readonly [from: number, to: number];
}

/** Null where it counts no steps by itself, or where others with the same words might say something else. */
export function barPlaces(line: string, wanted: (framework: Framework) => boolean): BarPlaces | null {
  const parts = barParts(line);
  const bar = parseBar(line);
  const found = bar === null ? null : barStep(bar, wanted);
  // What is behind its bracket may be a message.
  if (parts === null || found === null || found.withLinesOnly || !line.endsWith(']')) return null;
  const [, epoch, percent] = HEAD.exec(line.slice(0, parts.percent))?.indices ?? [];
  if (percent === undefined || (found.ofEpoch && epoch === undefined)) return null;
  const put: Put = Object.assign((step: Step, text: string) => putBar(step, text, wanted), {
    compile: (value: ValueText) =>
      compileBar(value, { parts, rate: rateAt(line, parts), percent: percent[0], epoch: found.ofEpoch ? (epoch?.[0] ?? 0) : null }), // biome-ignore format: one line
  });
  const places = placesAfter(line, parts.rest, BAR_FIELDS);
  return { places: [...places, { put, from: 0, to: line.length }], drawn: [parts.percent + 2, parts.close] };
}

/** The step of a line by its words, but for the fields that are read already. */
function putBar(step: Step, text: string, wanted: (framework: Framework) => boolean): void {
  const bar = parseBar(text);
  const found = (bar === null ? null : barStep(bar, wanted))?.step ?? null;
  step.iteration = found?.iteration ?? null;
  step.target_iteration = found?.target_iteration ?? null;
  step.step_time_ms = found?.step_time_ms ?? null;
  step.step_time_from = found?.step_time_from ?? null;
}

interface Where {
  readonly parts: BarParts;
  readonly rate: number | null;
  readonly percent: number;
  readonly epoch: number | null;
}

/** What `barStep` makes of the numbers; false where they have more digits than it takes. */
function compileBar({ text, numberAt }: ValueText, where: Where): PutDigits | null {
  const { parts, rate: rateFrom } = where;
  const wholeAt = (at: number): RunNumber | null => {
    const number = numberAt(at);
    return number !== null && isWhole(number) ? number : null;
  };
  const percent = wholeAt(where.percent);
  const epoch = where.epoch === null ? null : wholeAt(where.epoch);
  const [done, total] = [wholeAt(parts.done[0]), wholeAt(parts.total[0])];
  const rate = rateFrom === null ? null : numberAt(rateFrom);
  const spot = spotAfter(text, parts.rest, GLOBAL_STEP);
  const global = spot === null ? null : numberAt(spot.at);
  if (percent === null || done === null || total === null) return null;
  if ((where.epoch !== null && epoch === null) || (rateFrom !== null && (rate === null || rate.negative))) return null;
  if (spot !== null && (global === null || global.negative || global.exponent > 0)) return null;
  const inSeconds = rate !== null && text.startsWith('s/', rate.end);
  return (step, runs) => {
    const { values, digits } = runs;
    const fits = (number: RunNumber | null, most: number): boolean =>
      number === null || ((digits[number.whole] ?? 0) <= most && (digits[number.fraction] ?? 0) <= MOST.fraction);
    if (!fits(percent, MOST.percent) || !fits(epoch, MOST.epoch) || !fits(done, MOST.count)) return false;
    if (!fits(total, MOST.count) || !fits(rate, MOST.count)) return false;
    let eachMs: number | null = null;
    if (rate !== null) {
      const value = readRuns(rate, runs);
      if (!(value > 0)) return false;
      eachMs = inSeconds ? value * 1000 : 1000 / value;
    }
    if (global !== null && ((digits[global.whole] ?? 0) > MOST.global || (values[global.fraction] ?? 0) > 0))
      return false;
    const [epochs, all, counted] = [epoch === null ? 0 : (values[epoch.whole] ?? 0), values[total.whole] ?? 0, values[done.whole] ?? 0]; // biome-ignore format: one line
    step.iteration = global === null ? epochs * all + counted : (values[global.whole] ?? 0);
    step.target_iteration = where.epoch === null ? all : null;
    step.step_time_ms ??= eachMs;
    step.step_time_from = step.step_time_ms === null ? null : 'printed';
    return true;
  };
}
