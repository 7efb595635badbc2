// By words: where no rule read a line of any text, the line that most likely reports a fault, and what it is about by its words alone.
// A person who scans a few lines asks what they mean; to answer "nothing was judged" of a line that says "disk failure" is not an answer.
// The daemon never does this: it is not asked, and a guess wakes no operator up.

import catalog from '#catalog/words-of-faults.json' with { type: 'json' };
import { lineEvidence, recordTime } from '../../detection/text/evidence.ts';
import type { Component } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import { kindInfo } from '../../model/kind.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { SavedText, type SavedTextOptions } from '../../sources/saved-text/saved-text.ts';

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
const [SPEAKS, MILD, OVER] = [catalog.speaks, catalog.mild, catalog.over].map((words) => new RegExp(words, 'i')) as [RegExp, RegExp, RegExp]; // biome-ignore format: one line
const QUIET = new RegExp(catalog.quiet);
/** Of an ordinary log of a program that is not known, some lines speak of errors every day. */
const EXCERPT = 40;
const SHARE = 1 / 3;
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
  readonly records: readonly TextRecord[];
}

/** Texts of which nothing was read. */
export class UnreadTexts {
  readonly #texts: UnreadText[] = [];

  /** `head`: the text, or its beginning. */
  take(
    head: Buffer,
    label: string,
    options: Omit<SavedTextOptions, 'onRecord' | 'onTime' | 'scanner' | 'attends'>,
  ): void {
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
    this.#texts.push({ label: hosts.size === 1 && host !== undefined ? host : label, job: options.job, records });
  }

  /** The narrowest row that a line has; null where no line is likely to report a fault. */
  guess(): Guess | null {
    const texts = this.#texts.map((text) => ({ ...text, candidates: candidatesOf(text.records) }));
    for (const row of ROWS)
      for (const { label, job, candidates } of texts) {
        const record = candidates.find(({ text }) => row.words.test(text) && row.unless?.test(text) !== true);
        if (record !== undefined) return { label, event: eventOf(row.kind, record, label, job) };
      }
    return null;
  }
}

/** Its lines are known, and one without a rule is mostly harmless. */
function isByKernel({ source, writer }: TextRecord): boolean {
  return source === 'kernel-log' && writer === undefined;
}

function candidatesOf(records: readonly TextRecord[]): TextRecord[] {
  const speak = records.filter(({ text }) => SPEAKS.test(text.slice(0, LONGEST_LINE)));
  if (records.length > EXCERPT && speak.length < records.length * SHARE) return [];
  const lastOver = records.findLastIndex(({ text }) => OVER.test(text.slice(0, LONGEST_LINE)));
  return speak
    .filter((record) => records.indexOf(record) >= lastOver)
    .filter(({ text }) => text.length <= LONGEST_LINE && !QUIET.test(text) && !MILD.test(text))
    .slice(0, MOST_CANDIDATES);
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
