// Fault entries: the lines and exceptions that the files of catalog/job say are faults, compiled, and what each reports.

import type { AttributeValue } from '../../../../model/event.ts';
import type { RankLabel } from '../../../../model/rank-label.ts';
import { shortened } from '../../../../model/shortened.ts';
import { HeldWord } from '../../held-words.ts';
import { entriesOf } from '../framework.ts';
import { exitFault } from './exit.ts';
import { type Fault, MAX_TEXT } from './fault.ts';
import type { AttributeFrom, FaultWords } from './fault-words.ts';
import { beginsMessage, endsClause, isSpokenOf } from './opening.ts';

/** The text that was read, and who printed it. */
export interface Said {
  /** A line, or "Name: message". */
  readonly text: string;
  readonly name: string;
  readonly message: string;
  readonly label: RankLabel | null;
}

export type Groups = Readonly<Record<string, string | undefined>>;

/** Where the message begins, or the end: what is said there may speak of other things. */
function wordsAt(text: string, groups: Groups | undefined): number {
  return groups?.message === undefined ? text.length : text.indexOf(groups.message);
}

const NO_NAME = ': ';
/** Limits of a day and more are not in use. */
const LONGEST_WAIT_MS = 86_400_000;

export class FaultEntry {
  readonly words: FaultWords;
  readonly #words: readonly HeldWord[] | null;
  readonly #unless: readonly HeldWord[];
  /** Made when the first text has the words: of most entries none ever does. */
  #patterns: { readonly first: RegExp | null; readonly more: readonly RegExp[] } | null = null;

  constructor(words: FaultWords) {
    this.words = words;
    this.#words = words.words?.map((word) => new HeldWord(word)) ?? null;
    this.#unless = words.unless?.map((word) => new HeldWord(word)) ?? [];
  }

  /** What the text reports; null where it is not of these words. */
  read(text: string): Groups | null {
    if (this.#words?.some((word) => word.isIn(text)) === false) return null;
    if (this.#unless.some((word) => word.isIn(text))) return null;
    this.#patterns ??= patternsOf(this.words);
    const { first, more } = this.#patterns;
    const found = first?.exec(text);
    if (found === null || (found !== undefined && !this.#isSaid(text, found.index))) return null;
    if (this.words.on === 'whole' && isSpokenOf(text, wordsAt(text, found?.groups))) return null;
    return Object.assign({}, found?.groups, ...more.map((pattern) => pattern.exec(text)?.groups));
  }

  /** Not quoted, and not spoken of by another message. */
  #isSaid(text: string, at: number): boolean {
    const { begins } = this.words;
    if (begins === undefined) return true;
    // A line without an exception is all message.
    const skipped = at > 0 && text.startsWith(NO_NAME) ? NO_NAME.length : 0;
    const own = text.slice(skipped);
    return begins === 'message' ? beginsMessage(own, at - skipped) : endsClause(own, at - skipped);
  }

  /** Null where the groups say that nothing is wrong. */
  fault(groups: Groups, said: Said): Fault | null {
    const { kind, exit, launcher, ends, severity, attributes, began_before_ms: began, after_failure, last_word: last } = this.words; // biome-ignore format: one line
    const ended = exit === true ? exitFault(groups) : null;
    const is = ended?.kind ?? kind;
    const [larger, smaller] = this.words.more_than ?? [];
    if (larger !== undefined && smaller !== undefined && !(Number(groups[larger]) > Number(groups[smaller])))
      return null;
    const placed = this.#placed(groups, said);
    if (is === undefined || placed === null) return null;
    const more = { ...attributesOf(attributes ?? {}, groups, said), ...ended?.attributes };
    return {
      kind: is,
      ...placed,
      ...(severity === undefined ? {} : { severity }),
      ...(exit === true || launcher === true ? { byLauncher: true } : {}),
      ...(last === true ? { lastWord: last } : {}),
      ...(ends === true ? { ended: { rank: said.label, attributes: more } } : {}),
      ...(after_failure === undefined ? {} : { afterFailure: after_failure }),
      ...(began === undefined ? {} : { sinceMs: Math.min(LONGEST_WAIT_MS, Number(groups[began] ?? 0)) }),
      ...(Object.keys(more).length === 0 ? {} : { attributes: more }),
    };
  }

  #placed({ rank, local_rank: local, task, host }: Groups, said: Said): Pick<Fault, 'place' | 'rank'> | null {
    const { place = 'job', exit } = this.words;
    if (place === 'named_host') return host === undefined ? null : { place: { host } };
    if (place === 'device') return { place, rank: said.label };
    if (place !== 'rank' && place !== 'named') return { place };
    if (rank !== undefined) return { place, rank: { number: Number(rank), means: 'global' } };
    if (task !== undefined) return { place, rank: { number: Number(task), means: 'task' } };
    if (local !== undefined) return { place, rank: { number: Number(local), means: 'local' } };
    if (place === 'named') return null;
    // A launcher's line on a worker is printed by the launcher.
    return { place, rank: exit === true ? null : rankOf(said) };
  }
}

function patternsOf({ pattern, more = [] }: FaultWords) {
  return {
    first: pattern === undefined ? null : new RegExp(pattern),
    more: more.map((each) => new RegExp(each)),
  };
}

const ENTRIES = entriesOf('faults').map((words) => new FaultEntry(words));
export const LINES = ENTRIES.filter(({ words: { on } }) => on === undefined);
export const WHOLE_LINES = ENTRIES.filter(({ words: { on } }) => on === 'whole');
export const EXCEPTIONS = ENTRIES.filter(({ words: { on } }) => on === 'exception');
export const UNCAUGHT = ENTRIES.filter(({ words: { on } }) => on === 'uncaught');
/** What some line or exception must have to be one of them. */
export const WORDS: readonly string[] = wordsIn(ENTRIES.filter(({ words: { on } }) => on !== 'server'));
export const OF_SERVERS = ENTRIES.filter(({ words: { on } }) => on === 'server');
export const SERVER_WORDS: readonly string[] = wordsIn(OF_SERVERS);

function wordsIn(entries: readonly FaultEntry[]): string[] {
  return [...new Set(entries.flatMap(({ words }) => words.words ?? []))];
}

function attributesOf(
  wanted: Readonly<Record<string, AttributeFrom>>,
  groups: Groups,
  said: Said,
): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const [name, from] of Object.entries(wanted)) {
    const value = attribute(from, groups[name], said);
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}

function attribute(from: AttributeFrom, group: string | undefined, said: Said): AttributeValue | undefined {
  if (typeof from === 'object') return from.is;
  if (from === 'name') return said.name;
  if (from === 'message') return shortened(said.message, MAX_TEXT);
  if (from === 'printer') return said.label?.number;
  if (group === undefined) return from.endsWith('?') ? undefined : null;
  if (from === 'integer' || from === 'integer?') return Number(group);
  return from === 'lower' ? group.trim().toLowerCase() : group;
}

/** What the line says of itself comes before what its printer is called. */
function rankOf({ text, label }: Said): RankLabel | null {
  return rankSaid(text) ?? label;
}

const OWN_RANK = /\[(?:PG [^[\]]{0,60})?Rank (\d{1,7})\]|\bRank (\d{1,7})[:,] /;

/** "[Rank 9]", "[PG ID 0 PG GUID 0(default_pg) Rank 5]", "Rank 114: ", "Rank 126, node node-7, device 0". */
export function rankSaid(text: string): RankLabel | null {
  const found = OWN_RANK.exec(text.slice(0, 2 * MAX_TEXT));
  const number = found?.[1] ?? found?.[2];
  return number === undefined ? null : { number: Number(number), means: 'global' };
}
