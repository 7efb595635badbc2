// Put: what the text of a value says of a step; and the same from the digits alone, of a line whose shape is known.

import { readCount, readFinite, readNumber } from './number.ts';
import type { StepLine } from './progress.ts';
import { isWhole, type NumberAt, type Runs, readRuns } from './run-number.ts';

export type Step = { -readonly [K in keyof StepLine]: StepLine[K] };

/** Says what the value of a line of the shape says; false where only its text can be read. */
export type PutDigits = (step: Step, runs: Runs) => boolean;

/** A value as it is in the line that the shape is of. */
export interface ValueText {
  /** To its end, or to that of the line where nothing ends it. */
  readonly text: string;
  /** Of a number in it, counted from its begin. */
  readonly numberAt: NumberAt;
}

type Compile = (value: ValueText) => PutDigits | null;

export interface Put {
  (step: Step, value: string): void;
  /** Null where the text is not of digits in a form that is known. Left out: it never is. */
  readonly compile?: Compile;
}

/** Of a value that is one number; null for what is none, or not finite. */
export function ofNumber(take: (step: Step, value: number | null) => void): Put {
  return Object.assign((step: Step, text: string) => take(step, readFinite(text)), { compile: compileNumber(take) });
}

/** The same of one that may be NaN or infinite. */
export function ofLogged(field: 'loss' | 'loss_scale' | 'grad_norm'): Put {
  const put = (step: Step, text: string): void => {
    step[field] = readNumber(text);
  };
  const compile = compileNumber((step, value) => {
    step[field] = value;
  });
  return Object.assign(put, { compile });
}

/** The same of one that is a count. */
export function ofCount(take: (step: Step, value: number | null) => void): Put {
  const compile = compileNumber((step, value) => take(step, Number.isSafeInteger(value) && value >= 0 ? value : null));
  return Object.assign((step: Step, text: string) => take(step, readCount(text)), { compile });
}

function compileNumber(take: (step: Step, value: number) => void): Compile {
  return ({ numberAt }) => {
    const number = numberAt(0);
    if (number === null) return null;
    return (step, runs) => {
      const value = readRuns(number, runs);
      if (Number.isNaN(value)) return false;
      take(step, value);
      return true;
    };
  };
}

const NOTHING = [null, null] as const;
/** More, and a value that nothing ends might be cut off within the second number. */
const MOST_BETWEEN = 4;

/** "12/100": both; "12": the first alone. */
export function ofPair(take: (step: Step, first: number | null, second: number | null) => void): Put {
  const put = (step: Step, text: string): void => {
    const [first, second] = readPair(text);
    take(step, first, second);
  };
  const compile: Compile = ({ text, numberAt }) => {
    const first = numberAt(0);
    if (first === null || !isWhole(first)) return null;
    const between = /^\s{0,8}\/\s{0,8}(?=\d)/.exec(text.slice(first.end))?.[0];
    const second = between === undefined ? null : numberAt(first.end + between.length);
    if (between !== undefined && (second === null || !isWhole(second) || between.length > MOST_BETWEEN)) return null;
    return (step, runs) => {
      take(step, readRuns(first, runs), second === null ? null : readRuns(second, runs));
      return true;
    };
  };
  return Object.assign(put, { compile });
}

export function readPair(text: string | null): readonly [first: number | null, second: number | null] {
  if (text === null) return NOTHING;
  const found = /^\s{0,8}(\d{1,12})(?:\s{0,8}\/\s{0,8}(\d{1,12}))?(?![\d.]*[eE]\d)/.exec(text);
  if (found === null) return [readCount(text), null];
  return [Number(found[1]), found[2] === undefined ? null : Number(found[2])];
}

/** Of a value that is digits and nothing else. */
export function ofWhole(take: (step: Step, value: number) => void): Put {
  const compile: Compile = ({ text, numberAt }) => {
    const number = /^\d+$/.test(text) ? numberAt(0) : null;
    if (number === null) return null;
    return (step, runs) => {
      take(step, readRuns(number, runs));
      return true;
    };
  };
  return Object.assign((step: Step, text: string) => take(step, Number(text)), { compile });
}

const GIB_IN_GB = 1.073741824;
const UNIT = 'GiB(';
/** Of the share, with its point. */
const MOST_SHARE = 8;

/** "253.38GB/2.60GB/255.98GB/98.98%": used, free, total and share; "9.46GiB(64.99%)": used and share. */
export const putMemory: Put = Object.assign(
  (step: Step, text: string): void => {
    const factor = text.includes('GiB') ? GIB_IN_GB : 1;
    const [used, free, total, share] = text.split('/', 4);
    step.memory_used_gb = scaled(readFinite(used), factor);
    step.memory_free_gb = scaled(readFinite(free), factor);
    step.memory_total_gb = scaled(readFinite(total), factor);
    step.memory_ratio = scaled(readFinite(share ?? /\(([\d.]{1,8})%/.exec(text)?.[1]), 0.01);
  },
  {
    compile: ({ text, numberAt }: ValueText): PutDigits | null => {
      const used = numberAt(0);
      if (used === null || !text.startsWith(UNIT, used.end) || text.includes('/')) return null;
      const share = numberAt(used.end + UNIT.length);
      if (share === null || share.negative || share.exponent > 0 || text[share.end] !== '%') return null;
      return (step, runs) => {
        const [gib, percent] = [readRuns(used, runs), readRuns(share, runs)];
        const point = share.fraction === 0 ? 0 : 1 + (runs.digits[share.fraction] ?? 0);
        const length = (runs.digits[share.whole] ?? 0) + point;
        if (Number.isNaN(gib) || Number.isNaN(percent) || length > MOST_SHARE) return false;
        step.memory_used_gb = gib * GIB_IN_GB;
        step.memory_free_gb = null;
        step.memory_total_gb = null;
        step.memory_ratio = percent * 0.01;
        return true;
      };
    },
  },
);

export function scaled(value: number | null, factor: number): number | null {
  return value === null ? null : value * factor;
}

/** GiB as GB. */
export function inGb(value: number | null): number | null {
  return scaled(value, GIB_IN_GB);
}
