// By words: where no rule found anything in any text, the line that most likely reports a fault, and what it is about by its words alone.
// A person who scans a few lines asks what they mean; to answer "nothing was judged" of a line that says "disk failure" is not an answer.
// The daemon never does this: it is not asked, and a guess wakes no operator up.

import catalog from '#catalog/words-of-faults.json' with { type: 'json' };
import { lineEvidence, recordTime } from '../../detection/text/evidence.ts';
import type { Component } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import { kindInfo } from '../../model/kind.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { SavedText, type SavedTextOptions } from '../../sources/saved-text/saved-text.ts';
import { isMarkedUp, isWritten } from './written-text.ts';

interface Row {
  readonly kind: Kind;
  readonly words: RegExp;
  readonly unless: RegExp | null;
}

const ROWS: readonly Row[] = catalog.rows.map(
  ({ kind, has, unless }: { kind: string; has: string[]; unless?: string }) => ({
    kind: kind as Kind, // held by test/catalog/words-of-faults.test.ts
    words: new RegExp(has.join('|'), 'i'),
    unless: unless === undefined ? null : new RegExp(unless, 'i'),
  }),
);
const anyCase = (words: string): RegExp => new RegExp(words, 'i');
const SPEAKS = anyCase(catalog.speaks);
const MILD = anyCase(catalog.mild);
const NONE = anyCase(catalog.none);
const AGAIN = anyCase(catalog.again);
const OVER = anyCase(catalog.over);
const LOUD = new RegExp(catalog.loud);
const QUIET = new RegExp(catalog.quiet);
/** Of an ordinary log of a program that is not known, some lines speak of errors every day. */
const EXCERPT = 40;
const SHARE = 1 / 3;
/** What ended a program is among the last lines that it wrote. */
const LAST = 12;
const MOST_LINES = 400;
const MOST_CANDIDATES = 64;
const LONGEST_LINE = 1024;
const MOST_TEXTS = 64;

export interface Guess {
  /** Under which the text's events stand. */
  readonly label: string;
  readonly event: EventInput;
}

interface UnreadText {
  readonly label: string;
  readonly job: string;
  /** Some of its lines were read: as progress, or as a report in which nothing is wrong. */
  readonly isReadInPart: boolean;
  readonly records: readonly TextRecord[];
}

export interface UnreadTextOptions extends Omit<SavedTextOptions, 'onRecord' | 'onTime' | 'scanner' | 'attends'> {
  readonly isReadInPart: boolean;
}

/** Texts in which nothing was found. */
export class UnreadTexts {
  readonly #texts: UnreadText[] = [];

  /** `head`: the text, or its beginning. */
  take(head: Buffer, label: string, { isReadInPart, ...options }: UnreadTextOptions): void {
    if (this.#texts.length >= MOST_TEXTS) return;
    const records: TextRecord[] = [];
    const hosts = new Set<string>();
    const text = new SavedText({
      ...options,
      onRecord: (record, host) => {
        if (records.length < MOST_LINES && !isByKernel(record)) records.push(record);
        if (host !== null) hosts.add(host);
      },
      onTime: () => {},
    });
    text.push(head);
    text.end();
    const [host] = hosts;
    const of = hosts.size === 1 && host !== undefined ? host : label;
    this.#texts.push({ label: of, job: options.job, isReadInPart, records });
  }

  /** The narrowest row that a line has, of lines that say themselves that they are errors where there are such; null where no line is likely to report a fault. */
  guess(): Guess | null {
    const texts = this.#texts.map((text) => ({ ...text, ...candidatesOf(text) }));
    return guessOf(texts, 'loud') ?? guessOf(texts, 'others');
  }
}

interface Candidates {
  /** With a level or a head that says that they are errors. */
  readonly loud: readonly TextRecord[];
  readonly others: readonly TextRecord[];
}

function guessOf(texts: readonly (UnreadText & Candidates)[], of: keyof Candidates): Guess | null {
  for (const row of ROWS)
    for (const text of texts) {
      const record = text[of].find((each) => row.words.test(each.text) && row.unless?.test(each.text) !== true);
      if (record !== undefined) return { label: text.label, event: eventOf(row.kind, record, text.label, text.job) };
    }
  return null;
}

/** Its lines are known, and one without a rule is mostly harmless. */
function isByKernel({ source, writer }: TextRecord): boolean {
  return source === 'kernel-log' && writer === undefined;
}

function candidatesOf({ records, isReadInPart }: UnreadText): Candidates {
  const none = { loud: [], others: [] };
  if (isWritten(records.map(({ text, timeMs, writer }) => (timeMs === null && writer === undefined ? text : '')))) return none; // biome-ignore format: one rule
  const lastOver = records.findLastIndex(({ text }) => OVER.test(text.slice(0, LONGEST_LINE)));
  const speak = records.filter((record, i) => i >= lastOver && mayReport(record));
  const isLong = records.length > EXCERPT;
  const isMostly = speak.length >= records.length * SHARE;
  const errors = speak.filter(({ text }) => LOUD.test(text) && !NONE.test(text));
  const triedAgain = errors.filter(({ text }) => AGAIN.test(text));
  // What was tried again once may have been well then.
  const loud = triedAgain.length > 1 ? errors : errors.filter((record) => !triedAgain.includes(record));
  const atEnd = new Set(records.slice(-LAST));
  return {
    loud: (isLong && !isMostly ? loud.filter((record) => atEnd.has(record)) : loud).slice(0, MOST_CANDIDATES),
    others: isReadInPart || (isLong && !isMostly) ? [] : speak.filter(({ text }) => !MILD.test(text)).slice(0, MOST_CANDIDATES), // biome-ignore format: one rule
  };
}

function mayReport({ text }: TextRecord): boolean {
  return text.length <= LONGEST_LINE && SPEAKS.test(ownWords(text)) && !QUIET.test(text) && !isMarkedUp(text);
}

/** "[09:10] tom: and what do we say for "file system is read-only"?": what a person in a chat quotes, or asks, is an example as a rule. */
const IN_CHAT = /^\[?\d\d:\d\d\]? {1,2}<?[a-z][\w.-]{0,30}>?: (.{1,1000})$/i;
const QUOTED = /"[^"]{1,400}"|`[^`]{1,400}`/g;

function ownWords(text: string): string {
  const said = IN_CHAT.exec(text)?.[1];
  if (said === undefined) return text;
  return said.endsWith('?') ? '' : said.replace(QUOTED, '');
}

function eventOf(kind: Kind, record: TextRecord, label: string, job: string): EventInput {
  return {
    kind,
    component: placeOf(kind, label, job),
    // What would be critical is an error: nothing but its words says so.
    severity: kindInfo(kind).severity === 'critical' ? 'error' : 'warning',
    timeMs: recordTime(record),
    timeDigits: record.timeDigits,
    observedMs: record.observedMs,
    trust: 'tenant',
    source: record.source,
    attributes: { ...record.attributes, by_words: true },
    evidence: [lineEvidence(record)],
    discriminator: record.position,
  };
}

const DEVICES = /^(?:gpu|nic|nvlink|nvswitch|pcie|psu)\./;
const OF_SERVICES = /^service\./;
const OF_JOBS = /^job\./;

/** Null for a device: the line may name it in a form that is not known. */
function placeOf(kind: Kind, label: string, job: string): Component | null {
  if (DEVICES.test(kind)) return null;
  if (OF_SERVICES.test(kind)) return { type: 'service', id: job };
  return OF_JOBS.test(kind) ? { type: 'job', id: job } : { type: 'host', id: label };
}
