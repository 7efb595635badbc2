// Part names: what a row of a table is called, by its index and what its columns say. Pure.

import type { PartRule } from './catalogue.ts';

export interface Row {
  readonly index: string;
  /** Value of the rule's `number` column, null where the device does not answer it. */
  readonly number: number | null;
}

/** Names of the rows that are parts by this rule, by index; two rows never have one name. */
export function partNames(rule: PartRule, rows: readonly Row[], firstUnit: number | undefined): Map<string, string> {
  const names = new Map<string, string>();
  const given = rows.map(({ number }) => givenName(rule, number));
  const ofWhole = rule.component === 'pdu' || rule.component === 'ups';
  rows.forEach(({ index }, i) => {
    const own = given[i] ?? null;
    if (rule.fixed !== undefined) names.set(index, rule.fixed);
    if (rule.fixed !== undefined || (rule.names !== undefined && own === null)) return;
    const { unit, within } = split(index, firstUnit);
    const others = rows.filter((row, j) => j !== i && sameUnit(row.index, index, firstUnit));
    const shared = own !== null && rows.some((row, j) => others.includes(row) && given[j] === own);
    // A number that several rows share names nothing alone: what is before it in the index does, or the whole index.
    const inner = own === null ? indexName(within, others) : shared ? sharedName(within, own) : own;
    const numbers = [...unit, ...(inner === '' || (ofWhole && unit.length > 0 && own === null) ? [] : [inner])];
    const name = numbers.join('.');
    names.set(index, `${rule.prefix ?? ''}${name === '' || name === '0' ? '1' : name}`);
  });
  return names;
}

function givenName(rule: PartRule, number: number | null): string | null {
  if (number === null) return null;
  if (rule.names !== undefined) return rule.names[String(number)] ?? null;
  return number > 0 ? String(number) : null;
}

/** The unit, counted from one and left out where it is the first, and the rest of an index. */
function split(index: string, firstUnit: number | undefined): { unit: readonly string[]; within: readonly string[] } {
  // Some agents end the index of a row as that of a scalar.
  const numbers = index.replace(/(?<=\d)(?:\.0)+$/, '').split('.');
  if (firstUnit === undefined) return { unit: [], within: numbers };
  const [unit = '', ...within] = numbers;
  return { unit: unit === String(firstUnit) ? [] : [String(Number(unit) - firstUnit + 1)], within };
}

/** The last number of an index where no other row has it. */
function indexName(within: readonly string[], others: readonly Row[]): string {
  const last = within.at(-1) ?? '';
  return others.some(({ index }) => split(index, undefined).within.at(-1) === last) ? within.join('.') : last;
}

function sharedName(within: readonly string[], own: string): string {
  return within.length > 1 ? [...within.slice(0, -1), own].join('.') : within.join('.');
}

function sameUnit(a: string, b: string, firstUnit: number | undefined): boolean {
  return firstUnit === undefined || a.split('.', 1)[0] === b.split('.', 1)[0];
}
