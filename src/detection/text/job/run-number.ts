// Run numbers: numbers of a line out of its runs of digits, each read once as the line was held against its shape.

/** Of a line: each run of digits, counted from 1, as a whole number, and of how many digits it is. */
export interface Runs {
  readonly values: Float64Array;
  readonly digits: Uint8Array;
}

/** A number in a line: a run, perhaps a point and one more, perhaps an exponent that is a third one. */
export interface RunNumber {
  readonly negative: boolean;
  readonly whole: number;
  /** 0 where there is none. */
  readonly fraction: number;
  readonly exponent: number;
  readonly exponentSign: 1 | -1;
  /** Behind its last digit. */
  readonly end: number;
}

/** The number at this place of the line that the shape is of; null where it is none of these. */
export type NumberAt = (at: number) => RunNumber | null;

const FORM = /^( {0,8})(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-])(\d{1,3}))?/;
/** What would make another number of it where other digits stand: thousands, an exponent without a sign, a point at its end. */
const GOES_ON = /^[.\d]|^,\d|^[eE][+-]?\d/;
/** Up to here all powers of ten are exact, and so is what one multiplication or division makes of them: the same as reading the digits. */
const MOST_POWER = 22;
const POWERS = Float64Array.from({ length: MOST_POWER + 1 }, (_, power) => Number(`1e${power}`));
/** Of digits that make an exact whole number. */
const MOST_DIGITS = 15;
const MOST_EXPONENT_DIGITS = 3;

/** `runs`: where each begins and ends. */
export function numbersOf(line: string, runs: readonly (readonly [from: number, to: number])[]): NumberAt {
  const runAt = (from: number, to: number): number => runs.findIndex((run) => run[0] === from && run[1] === to) + 1;
  return (at) => {
    const rest = line.slice(at);
    const found = FORM.exec(rest);
    if (found === null || GOES_ON.test(rest.slice(found[0].length))) return null;
    const [all, blanks = '', minus = '', whole = '', fraction = '', sign, power = ''] = found;
    const from = at + blanks.length + minus.length;
    const behind = from + whole.length;
    const end = at + all.length;
    const number = {
      negative: minus === '-',
      whole: runAt(from, behind),
      fraction: fraction === '' ? 0 : runAt(behind + 1, behind + 1 + fraction.length),
      exponent: power === '' ? 0 : runAt(end - power.length, end),
      exponentSign: sign === '-' ? (-1 as const) : (1 as const),
      end,
    };
    // A part of other words does not change.
    const lost =
      number.whole === 0 || (fraction !== '' && number.fraction === 0) || (power !== '' && number.exponent === 0);
    return lost ? null : number;
  };
}

/** Its value; NaN where it has more digits than can be read exactly by them. */
export function readRuns(number: RunNumber, { values, digits }: Runs): number {
  const { whole, fraction, exponent, exponentSign, negative } = number;
  let value = values[whole] ?? 0;
  let count = digits[whole] ?? 0;
  let power = 0;
  if (fraction > 0) {
    power = -(digits[fraction] ?? 0);
    count -= power;
    if (count > MOST_DIGITS) return Number.NaN;
    value = value * (POWERS[-power] ?? 1) + (values[fraction] ?? 0);
  }
  if (exponent > 0) {
    if ((digits[exponent] ?? 0) > MOST_EXPONENT_DIGITS) return Number.NaN;
    power += exponentSign * (values[exponent] ?? 0);
  }
  if (power < -MOST_POWER || power > MOST_POWER) return Number.NaN;
  const scaled = power < 0 ? value / (POWERS[-power] ?? 1) : value * (POWERS[power] ?? 1);
  return negative ? -scaled : scaled;
}

export function isWhole({ negative, fraction, exponent }: RunNumber): boolean {
  return !negative && fraction === 0 && exponent === 0;
}
