// Job hosts: on which hosts a job ran, and which rank on which, as the lines of its own log name them.

import catalog from '#catalog/job-hosts.json' with { type: 'json' };
import type { Component } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';
import { JobSize } from './job-size.ts';
import { peel } from './peel.ts';

interface HostLine {
  readonly word: string;
  readonly pattern: RegExp;
  readonly kept: boolean;
}

interface Named {
  readonly host: string | undefined;
  readonly ranks: readonly number[];
  readonly tasks: readonly number[];
  readonly kept: boolean;
}

/** Lines are short; of a longer one only the head is looked at. */
const MAX_LINE = 512;
/** Of a user's text: more ranks and hosts than these are not kept. */
const MOST_RANKS = 65_536;
const MOST_HOSTS = 4096;
/** Tasks of one line. */
const MOST_TASKS = 1024;
/** Ranks and tasks of all logs that are read together: a line of 60 bytes may name a thousand, and an archive may hold many logs. */
const MOST_TOGETHER = 1_048_576;

/** Level and date of glog and klog, before a time: "E1128 03:20:40.113", "I20261128 03:20:40.113"; no host, though it has the form of one. */
const STAMP = /(?<![\w.-])[DIWEF](?:\d{4}|\d{8})(?= \d\d:\d\d:\d\d)/g;

/** What logs that are read together may still keep. */
export interface SharedRoom {
  left: number;
}

export function sharedRoom(left = MOST_TOGETHER): SharedRoom {
  return { left };
}

const LINES: readonly HostLine[] = catalog.lines.map((line) => ({
  word: line.word,
  pattern: new RegExp(line.pattern),
  kept: 'kept' in line && line.kept === true,
}));

export class JobHosts {
  /** Each a copy: what a pattern found would keep the whole line, of any length, in memory. */
  readonly #hosts = new Map<string, string>();
  readonly #ranks = new Map<number, string>();
  readonly #tasks = new Map<number, string>();
  #kept: string | null = null;
  /** Events showed that srun's tasks are ranks, and not nodes. */
  #tasksAreRanks = false;
  readonly #room: SharedRoom;
  readonly #size = new JobSize();

  constructor(room = sharedRoom()) {
    this.#room = room;
  }

  /** Takes a line of the log. */
  take(text: string): void {
    this.#size.take(text);
    const named = namedIn(text);
    if (named === null) return;
    const host = this.#own(named.host ?? this.#kept);
    this.#kept = named.kept && named.host !== undefined ? host : null;
    if (host === null) return;
    for (const rank of named.ranks) this.#keep(this.#ranks, rank, host);
    for (const task of named.tasks) this.#keep(this.#tasks, task, host);
  }

  /** Null where none is named, or more are than are kept. */
  #own(host: string | null): string | null {
    if (host === null) return null;
    const known = this.#hosts.get(host);
    if (known !== undefined || this.#hosts.size >= MOST_HOSTS) return known ?? null;
    const copy = Buffer.from(host).toString();
    this.#hosts.set(copy, copy);
    return copy;
  }

  #keep(places: Map<number, string>, number: number, host: string): void {
    if (places.size >= MOST_RANKS) return;
    if (!places.has(number)) {
      if (this.#room.left <= 0) return;
      this.#room.left -= 1;
    }
    places.set(number, host);
  }

  /** Takes what a line was found to report. */
  found({ component, attributes }: EventInput): void {
    const task = attributes?.task;
    if (typeof task === 'number' && task === rankOf(component)) this.#tasksAreRanks = true;
  }

  /** The host of what an event is about: as its rank, its own line (the host that it is about before the one that wrote it), or the only host that the log names say; null where none does. */
  of({ component, evidence }: Pick<EventInput, 'component' | 'evidence'>): string | null {
    const rank = rankOf(component);
    const known = rank === null ? undefined : (this.#ranks.get(rank) ?? this.#ofTask(rank));
    if (known !== undefined) return known;
    // srun names the node that failed; the step that it ends is of another.
    if (component?.type === 'host' && evidence?.some((each) => 'text' in each && names(each.text, component.id)))
      return component.id;
    for (const each of evidence ?? []) {
      const own = 'text' in each ? namedIn(each.text)?.host : undefined;
      if (own !== undefined) return own;
    }
    const [only] = this.#hosts.keys();
    return this.#hosts.size === 1 ? (only ?? null) : null;
  }

  /** All that the log names, in the order in which it does. */
  get hosts(): readonly string[] {
    return [...this.#hosts.keys()];
  }

  /** Of how many ranks the job is, as its log says; null where it does not. */
  get ranks(): number | null {
    return this.#size.ranks;
  }

  /** The host of each rank, as far as the log names it. */
  get rankHosts(): ReadonlyMap<number, string> {
    return this.#tasksAreRanks ? new Map([...this.#tasks, ...this.#ranks]) : this.#ranks;
  }

  #ofTask(rank: number): string | undefined {
    return this.#tasksAreRanks ? this.#tasks.get(rank) : undefined;
  }
}

/** Behind what launchers and loggers put before a line, and as it is. */
function formsOf(head: string): readonly string[] {
  return [peel(head).body.replace(STAMP, ''), head.replace(STAMP, '')];
}

function namedIn(text: string): Named | null {
  let forms: readonly string[] | null = null;
  for (const { word, pattern, kept } of LINES) {
    if (!text.includes(word)) continue;
    forms ??= formsOf(text.slice(0, MAX_LINE));
    const found = forms.map((form) => pattern.exec(form)).find((each) => each !== null);
    const groups = found?.groups;
    if (groups === undefined) continue;
    const { host, rank, tasks } = groups;
    return {
      host,
      ranks: rank === undefined ? [] : [Number(rank)],
      tasks: tasks === undefined ? [] : numbersOf(tasks),
      kept,
    };
  }
  return null;
}

/** As a whole word: "gx-4" is not in "gx-47". */
function names(text: string, host: string): boolean {
  for (let at = text.indexOf(host); at >= 0; at = text.indexOf(host, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + host.length] ?? ' '}`;
    if (!/[\w-]/.test(around)) return true;
  }
  return false;
}

/** "0-2,5" */
function numbersOf(text: string): number[] {
  const numbers: number[] = [];
  for (const part of text.split(',')) {
    const [from = Number.NaN, to = from] = part.split('-').map(Number);
    for (let number = from; number <= to && numbers.length < MOST_TASKS; number += 1) numbers.push(number);
  }
  return numbers;
}

/** The number of a rank of a job; null of anything else. */
export function rankOf(component: Component | null): number | null {
  if (component?.type !== 'rank') return null;
  const number = component.id.slice(component.id.lastIndexOf('/') + 1);
  return /^\d{1,9}$/.test(number) ? Number(number) : null;
}
