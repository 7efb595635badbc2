// Own error: an exception whose class or words are those of the program's own logic was raised by no hardware.

import catalog from '#catalog/exceptions.json' with { type: 'json' };
import type { Kind } from '../../../model/kind.ts';
import type { Facts } from '../../window/facts.ts';
import { expandKinds } from '../kind-words.ts';
import type { Doubting } from './doubt.ts';

interface Outside {
  readonly of: string;
  readonly words: RegExp;
  readonly kinds: ReadonlySet<Kind>;
  /** Those that come to a program by way of another one of them: a link by the file server that it leads to. */
  readonly through: ReadonlySet<Kind>;
}

const own: ReadonlySet<string> = new Set(catalog.own);
const outside: readonly Outside[] = catalog.outside.map(({ of, words, kinds, through = [] }) => ({
  of,
  words: new RegExp(words),
  kinds: new Set(expandKinds(kinds)),
  through: new Set(expandKinds(through)),
}));
/** Corrupted data can raise anything, but hardly ever raises just this. */
const OWN = 0.05;
const ELSEWHERE = 0.15;
const BY_ANOTHER = 0.6;
const KEPT = 256;
/** What the texts that came last turned out to be; texts repeat, and each costs several patterns. */
const known = new Map<string, readonly Outside[] | null>();

/** Null for an error of the program's own; else what may be behind it, nothing for what no exception says. */
export function outsideOf(exception: string, message: string): readonly Outside[] | null {
  const text = `${exception}: ${message}`;
  const before = known.get(text);
  if (before !== undefined) return before;
  const found = own.has(exception) ? [] : outside.filter(({ words }) => words.test(text));
  const answer = found.length === 0 ? null : found;
  if (known.size >= KEPT) known.clear();
  known.set(text, answer);
  return answer;
}

export const ownError: Doubting = (cause, effect) => {
  const raised = raisedBy(effect);
  if (raised === null || raised.of === cause.kind) return null;
  const { exception, message } = raised;
  const found = outsideOf(exception, message);
  if (found === null) return { code: 'own_error', factor: OWN, why: `${exception} is an error of the program itself` };
  const near = found.filter(({ kinds }) => kinds.has(cause.kind));
  if (near.some(({ through }) => !through.has(cause.kind))) return null;
  if (near.length > 0)
    return { code: 'own_error', factor: BY_ANOTHER, why: `${exception} speaks of ${near[0]?.of ?? 'something else'}` };
  return { code: 'own_error', factor: ELSEWHERE, why: `${exception} speaks of ${found[0]?.of ?? 'something else'}` };
};

/** Whether the exception speaks of what such a cause does to a program. */
export function speaksOf(cause: Facts, effect: Facts): boolean {
  const raised = raisedBy(effect);
  if (raised === null) return false;
  if (raised.of === cause.kind) return true;
  return outsideOf(raised.exception, raised.message)?.some(({ kinds }) => kinds.has(cause.kind)) === true;
}

/** Its own words say that the program itself is at fault: by class or by words nothing outside it can be behind the exception. */
export function isOwnError(condition: Facts): boolean {
  const raised = raisedBy(condition);
  return raised !== null && raised.of === null && outsideOf(raised.exception, raised.message) === null;
}

/** `of`: the kind that the same line was read as, by the catalogue of faults. */
function raisedBy({ events }: Facts): { exception: string; message: string; of: string | null } | null {
  for (const { attributes } of events) {
    const { exception, message, speaks_of: of } = attributes;
    if (typeof exception !== 'string' || exception === '') continue;
    return { exception, message: typeof message === 'string' ? message : '', of: typeof of === 'string' ? of : null };
  }
  return null;
}
