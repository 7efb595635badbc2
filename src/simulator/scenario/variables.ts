// Draws the variables of a scenario and puts them where `${name}` is.

import { parseDuration } from '../../config/quantity.ts';
import { pickOne, randomStream } from '../random.ts';
import type { Scalar, Variable } from './document.ts';
import type { Finding, Path } from './validate.ts';

export type Values = ReadonlyMap<string, Scalar>;

const REFERENCE = /\$\{([^}]*)\}/g;

/** A copy of `value` with every `${name}` replaced; a text that is one reference takes the type of the variable. */
export function substitute<T>(value: T, values: Values, path: Path, findings: Finding[]): T {
  const copy = (node: unknown, at: Path): unknown => {
    if (Array.isArray(node)) return node.map((item, i) => copy(item, [...at, i]));
    if (typeof node === 'object' && node !== null) {
      return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, copy(item, [...at, key])]));
    }
    if (typeof node !== 'string') return node;
    const whole = /^\$\{([^}]*)\}$/.exec(node);
    const read = (name: string): Scalar => {
      const found = values.get(name);
      if (found !== undefined) return found;
      const known = [...values.keys()].join(', ') || 'none';
      findings.push({ code: 'FL5107', path: at, text: `no variable ${name} under vary. Known: ${known}` });
      return '';
    };
    if (whole) return read(whole[1] ?? '');
    return node.replace(REFERENCE, (_, name: string) => String(read(name)));
  };
  return copy(value, path) as T; // the same shape with other leaves; the schema checks it again
}

/** Digits after the point that a written number has, so that draws look like what was written. */
function digits(...values: readonly number[]): number {
  return Math.max(...values.map((value) => String(value).split('.')[1]?.length ?? 0));
}

/** A draw from [from, to]; `usual` for seed 0. */
export function drawNumber(seed: number, name: string, from: number, to: number, usual: number): number {
  if (seed === 0) return usual;
  return Number((from + randomStream(seed, name)() * (to - from)).toFixed(digits(from, to, usual)));
}

/** Milliseconds drawn from a range of durations. The schema has checked that they are durations. */
export function drawDuration(
  seed: number,
  name: string,
  range: { readonly from: string; readonly to: string; readonly usual: string },
): number {
  const [from, to, usual] = [range.from, range.to, range.usual].map((text) => parseDuration(text) ?? 0);
  return Math.round(drawNumber(seed, name, from ?? 0, to ?? 0, usual ?? 0));
}

/** Draws what needs no knowledge of the world; `gpu_of` is left to `drawGpu`. */
export function drawVariable(
  seed: number,
  name: string,
  variable: Exclude<Variable, { gpu_of: string }>,
  values: Values,
  findings: Finding[],
): Scalar {
  const path: Path = ['vary', name];
  if ('one_of' in variable) {
    const except = substitute(variable.except, values, [...path, 'except'], findings);
    const choices = variable.one_of.filter((choice) => choice !== except);
    if (seed === 0 && variable.usual !== except) return variable.usual;
    const drawn = pickOne(randomStream(seed, `vary ${name}`), choices);
    if (drawn === undefined)
      findings.push({ code: 'FL5107', path, text: `vary.${name} leaves nothing to choose from` });
    return drawn ?? '';
  }
  if ('by' in variable) {
    const value = String(substitute(variable.by, values, [...path, 'by'], findings));
    const choices = Object.hasOwn(variable.of, value) ? (variable.of[value] ?? []) : [];
    if (seed === 0 && choices.includes(variable.usual)) return variable.usual;
    return choose(seed, name, choices, findings);
  }
  const { from, to, usual } = variable;
  if (typeof from === 'number' && typeof to === 'number' && typeof usual === 'number') {
    return drawNumber(seed, `vary ${name}`, from, to, usual);
  }
  if (typeof from === 'string' && typeof to === 'string' && typeof usual === 'string') {
    return `${drawDuration(seed, `vary ${name}`, { from, to, usual })}ms`;
  }
  findings.push({ code: 'FL5107', path, text: `vary.${name} must have numbers or durations throughout` });
  return '';
}

function choose(seed: number, name: string, choices: readonly Scalar[], findings: Finding[]): Scalar {
  const drawn = pickOne(randomStream(seed, `vary ${name}`), choices);
  const text = `vary.${name} leaves nothing to choose from`;
  if (drawn === undefined) findings.push({ code: 'FL5107', path: ['vary', name], text });
  return drawn ?? '';
}

/** Index of a GPU among `count`. */
export function drawGpu(seed: number, name: string, count: number, usual: number): number {
  if (seed === 0) return Math.min(usual, count - 1);
  return Math.floor(randomStream(seed, `vary ${name}`)() * count);
}
