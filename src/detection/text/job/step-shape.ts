// Step shapes: lines that differ from one that was read in their digits alone are read by where its values stood. A job prints its step in
// the same words a million times: what the words decide is decided once.

import { barPlaces } from './bar-places.ts';
import { parseColumns } from './columns-line.ts';
import { type Framework, traitsOf } from './framework.ts';
import { parsePairs } from './pairs-line.ts';
import { labelDigits, type Prefix, prefixTime, readPrefix } from './prefix.ts';
import { EMPTY_STEP, type Mutable, type Progress, type StepLine } from './progress.ts';
import type { Put, PutDigits } from './put.ts';
import { type NumberAt, numbersOf, type Runs } from './run-number.ts';
import { type ShapeTime, timeOf } from './shape-time.ts';
import type { ValuePlace } from './step-fields.ts';
import { mayTellStep, parseStepLine } from './step-line.ts';
import { speaksOfWorld } from './work-size.ts';

/** No step line is longer, and no limit of what reads them is reached in so few characters. */
const MAX_LINE = 500;
/** No number of a step has more digits. */
const MOST_DIGITS = 12;
/** A number that is read by its digits is in so many characters, whatever they are. */
const LEAST_ROOM = 30;
const ZERO = 48;
/** What came last; a printer has one or two, numbers with and without an exponent make more of each. */
const MOST_SHAPES = 12;
/** Lines that were looked at in vain before the next is learned: a log whose steps never repeat costs little. */
const MOST_WAITS = 64;
/** What a bar is drawn with is anything but a word. */
const BAR = /%\||━/;
const DRAWN = /^[ #=>.\d\u2580-\u259f-]*$/;

type Span = readonly [from: number, to: number];

/** Where the values are of the line that a shape is of, and where a bar is drawn in it. */
interface Places {
  readonly places: readonly ValuePlace[];
  readonly drawn: Span | null;
}

/** In a line: so far behind the end of a run of digits, where runs count from 1; 0 is the begin of the line. */
interface Place {
  readonly run: number;
  readonly behind: number;
}

interface Value {
  readonly put: Put;
  readonly from: Place;
  readonly to: Place | { readonly most: number };
  /** Null where only the text of the value says what it is. */
  readonly digits: PutDigits | null;
}

/** What was read of a line by its shape. */
export interface ShapedLine {
  /** No one else's, with room for what the line's place adds. */
  readonly step: Mutable<Progress>;
  readonly prefix: Prefix;
}

class Shape {
  /** The letters between the digits, one after another; and where those of each text end. */
  readonly #letters: Uint16Array;
  readonly #until: Int32Array;
  readonly #values: readonly Value[];
  readonly #empty: Progress;
  readonly #prefix: Prefix;
  readonly #time: ShapeTime | null;
  /** The run that is a drawn bar; 0 for none. */
  readonly #drawn: number;
  readonly #ends: Int32Array;
  readonly #runs: Runs;

  constructor(runs: readonly Span[], line: string, { places, drawn }: Places, step: StepLine, prefix: Prefix) {
    this.#drawn = drawn === null ? 0 : runs.indexOf(drawn) + 1;
    const froms = [0, ...runs.map(([, to]) => to)];
    const texts = froms.map((from, i) => line.slice(from, runs[i]?.[0] ?? line.length));
    this.#letters = Uint16Array.from(texts.join('').split(''), (letter) => letter.charCodeAt(0));
    this.#until = Int32Array.from(texts, (_, i) => texts.slice(0, i + 1).join('').length);
    const place = (at: number): Place => {
      const run = froms.findLastIndex((from) => from <= at);
      return { run, behind: at - (froms[run] ?? 0) };
    };
    const numberAt = numbersOf(line, runs);
    this.#values = places.map((value) => ({
      put: value.put,
      from: place(value.from),
      to: typeof value.to === 'number' ? place(value.to) : value.to,
      digits: digitsOf(value, line, numberAt),
    }));
    this.#empty = { ...EMPTY_STEP, framework: step.framework, time: null, rank: null };
    this.#prefix = prefix;
    this.#time = prefix.time === null ? null : timeOf(line, runs);
    this.#ends = new Int32Array(froms.length);
    this.#runs = { values: new Float64Array(froms.length), digits: new Uint8Array(froms.length) };
  }

  /** Whether the line is this one with other digits; then `#ends` and `#runs` are of it. */
  #fits(line: string): boolean {
    const letters = this.#letters;
    const untils = this.#until;
    const ends = this.#ends;
    const { values, digits } = this.#runs;
    const last = untils.length - 1;
    let at = 0;
    let letter = 0;
    for (let i = 0; ; i += 1) {
      const until = untils[i] ?? 0;
      // Letter by letter: quicker than a slice of the line for each text, which is a string of its own.
      for (; letter < until; letter += 1, at += 1) if (line.charCodeAt(at) !== letters[letter]) return false;
      if (i >= last) return at === line.length;
      if (i + 1 === this.#drawn) {
        while (isDrawn(line.charCodeAt(at))) at += 1;
        ends[i + 1] = at;
        continue;
      }
      const from = at;
      let value = 0;
      for (let code = line.charCodeAt(at) - ZERO; code >= 0 && code <= 9; code = line.charCodeAt(at) - ZERO) {
        value = value * 10 + code;
        at += 1;
      }
      if (at === from || at - from > MOST_DIGITS) return false;
      ends[i + 1] = at;
      values[i + 1] = value;
      digits[i + 1] = at - from;
    }
  }

  read(line: string): ShapedLine | null {
    if (!this.#fits(line)) return null;
    const step: Mutable<Progress> = { ...this.#empty };
    const values = this.#values;
    for (let i = 0; i < values.length; i += 1) {
      const value = values[i];
      if (value === undefined || value.digits?.(step, this.#runs) === true) continue;
      const { put, from, to } = value;
      const at = this.#at(from);
      put(step, line.slice(at, 'most' in to ? at + to.most : this.#at(to)));
    }
    if (step.iteration === null) return null;
    if (this.#prefix.time === null) return { step, prefix: this.#prefix };
    const time = this.#time?.read(line, this.#ends, this.#runs) ?? prefixTime(line);
    const { rank, label, task, worldSize } = this.#prefix;
    return { step, prefix: { time, rank, label, task, worldSize } };
  }

  #at({ run, behind }: Place): number {
    return (this.#ends[run] ?? 0) + behind;
  }
}

const [BLANK, HASH, DASH, POINT, NINE, EQUALS, GREATER, FIRST_BLOCK, LAST_BLOCK] = [
  32, 35, 45, 46, 57, 61, 62, 0x2580, 0x259f,
];

/** As `DRAWN` has it. */
function isDrawn(code: number): boolean {
  if (code === BLANK || (code >= FIRST_BLOCK && code <= LAST_BLOCK) || code === HASH) return true;
  return (code >= ZERO && code <= NINE) || code === DASH || code === POINT || code === EQUALS || code === GREATER;
}

/** How the value is read by its digits; null where it is not. */
function digitsOf({ put, from, to }: ValuePlace, line: string, numberAt: NumberAt): PutDigits | null {
  const ended = typeof to === 'number';
  if (!ended && to.most < LEAST_ROOM) return null;
  const text = line.slice(from, ended ? to : line.length);
  const within: NumberAt = (at) => {
    const number = numberAt(from + at);
    return number === null || number.end > from + text.length ? null : { ...number, end: number.end - from };
  };
  return put.compile?.({ text, numberAt: within }) ?? null;
}

/** Those of one job. */
export class StepShapes {
  readonly #wanted: (framework: Framework) => boolean;
  /** The one that fitted last in front. */
  readonly #shapes: Shape[] = [];
  #waits = 0;
  #vain = 0;

  constructor(wanted: (framework: Framework) => boolean) {
    this.#wanted = wanted;
  }

  /** Null for a line of no known shape. */
  read(line: string): ShapedLine | null {
    if (line.length > MAX_LINE) return null;
    for (let i = 0; i < this.#shapes.length; i += 1) {
      const shape = this.#shapes[i];
      const found = shape?.read(line) ?? null;
      if (shape === undefined || found === null) continue;
      if (i > 0) {
        this.#shapes.splice(i, 1);
        this.#shapes.unshift(shape);
      }
      this.#vain = 0;
      return found;
    }
    return null;
  }

  /** Takes in a line that reports `step` and nothing else, whatever was printed before it. */
  learn(line: string, step: StepLine): void {
    this.#waits -= 1;
    if (this.#waits > 0 || line.length > MAX_LINE || step.iteration === null) return;
    const shape = shapeOf(line, step, this.#wanted);
    if (shape === null) {
      this.#vain = Math.min(MOST_WAITS, this.#vain + 1);
      this.#waits = this.#vain;
      return;
    }
    this.#shapes.unshift(shape);
    if (this.#shapes.length <= MOST_SHAPES) return;
    this.#shapes.pop();
    this.#vain = Math.min(MOST_WAITS, this.#vain + 1);
    this.#waits = this.#vain;
  }
}

function shapeOf(line: string, step: StepLine, wanted: (framework: Framework) => boolean): Shape | null {
  if (traitsOf(step.framework)?.numbered_by_bar === true || speaksOfWorld(line)) return null;
  const prefix = readPrefix(line);
  // A rank may be named anywhere.
  if (prefix.label === null && /rank/i.test(line)) return null;
  const fixed = labelDigits(line);
  // Digits that are no time yet may be one with others.
  if (fixed === null || (prefix.time === null && /\d[ T]\d+:\d+:\d/.test(line))) return null;
  const places = placesOf(line, wanted);
  if (places === null || fixed.some(([, to]) => to > (places.drawn?.[0] ?? line.length))) return null;
  const shape = new Shape(runsOf(line, fixed, places.drawn), line, places, step, prefix);
  // What is read by it now is what was read without it.
  const read = shape.read(line)?.step ?? null;
  const same = read !== null && (Object.keys(EMPTY_STEP) as (keyof StepLine)[]).every((field) => Object.is(read[field], step[field])); // biome-ignore format: one condition
  return same ? shape : null;
}

function placesOf(line: string, wanted: (framework: Framework) => boolean): Places | null {
  if (BAR.test(line)) {
    const places = parseColumns(line, wanted) === null ? barPlaces(line, wanted) : null;
    return places !== null && DRAWN.test(line.slice(...places.drawn)) ? places : null;
  }
  for (const parse of [parseColumns, ...(mayTellStep(line) ? [parseStepLine] : []), parsePairs]) {
    const places: ValuePlace[] = [];
    if (parse(line, wanted, places) !== null) return { places, drawn: null };
  }
  return null;
}

/** What may be other: digits, but not in names ("rank0", "v2"), nor in what says who wrote the line; and what is drawn. */
function runsOf(line: string, fixed: readonly Span[], drawn: Span | null): Span[] {
  const kept = drawn === null ? fixed : [...fixed, drawn];
  const runs = [...line.matchAll(/(?<![A-Za-z_\d])\d+/g)].flatMap(({ index, 0: digits }): Span[] => {
    const end = index + digits.length;
    return digits.length > MOST_DIGITS || kept.some(([from, to]) => index < to && end > from) ? [] : [[index, end]];
  });
  if (drawn === null) return runs;
  const behind = runs.findIndex(([from]) => from >= drawn[1]);
  return runs.toSpliced(behind < 0 ? runs.length : behind, 0, drawn);
}
