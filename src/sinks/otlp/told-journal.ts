// Told journal: what of the incidents came to the spool, so that the next run of a killed daemon leaves nothing out and sends no span twice.

import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openOwn, readOwn, replaceOwn } from '../../config/own-file.ts';
import { remember } from '../remember.ts';
import type { DiskLane } from './queue/disk-lane.ts';

/** A revision of an incident. */
export interface Mark {
  readonly id: string;
  readonly revision: number;
}

/** Spans that went out, by incident id: event ids of links, and which span of the incident itself. */
export type SentSpans = ReadonlyMap<string, ReadonlySet<string>>;

export interface SentSpan {
  readonly incidentId: string;
  readonly part: string;
}

const MOST_BYTES = 4 * 1024 * 1024;
/** Incidents whose spans are remembered, those that changed last. */
const MOST_INCIDENTS = 2048;
const MOST_SPANS = 256;

/**
 * JSON lines, added to and now and then written anew: a revision (`r`) that is in the spool together with all that was
 * told before it, or spans (`s`) that are. It is not synced: what a power failure takes is sent again, under the
 * same ids.
 */
export class ToldJournal {
  readonly #path: string;
  readonly #lane: DiskLane;
  readonly #spans = new Map<string, Set<string>>();
  #mark: Mark | null = null;
  #bytes = 0;
  #found = false;

  constructor(path: string, lane: DiskLane) {
    this.#path = path;
    this.#lane = lane;
  }

  /** The last revision that an earlier run brought to the spool; null for none. */
  get mark(): Mark | null {
    return this.#mark;
  }

  get spans(): SentSpans {
    return this.#spans;
  }

  /** Reads what an earlier run left. False where there was none that can be read. Never rejects. */
  async open(): Promise<boolean> {
    const text = await this.#lane.run(() => readOwn(this.#path, 2 * MOST_BYTES)).catch(() => null);
    for (const line of text?.split('\n') ?? []) this.#take(line);
    return this.#found;
  }

  /** Adds what came to the spool; a disk that does not take it only means that it is sent again. */
  async add(spans: readonly SentSpan[], mark: Mark | null): Promise<void> {
    const lines = spans.map(({ incidentId, part }) => JSON.stringify({ i: incidentId, s: [part] }));
    if (mark !== null) lines.push(JSON.stringify({ i: mark.id, r: mark.revision }));
    if (lines.length === 0) return;
    for (const line of lines) this.#take(line);
    const text = `${lines.join('\n')}\n`;
    const anew = this.#bytes === 0 || this.#bytes + text.length > MOST_BYTES;
    await this.#lane.run(() => (anew ? this.#rewrite() : this.#append(text))).catch(() => undefined);
  }

  /** Begins a journal that has nothing yet but what stands in memory. */
  async begin(mark: Mark | null): Promise<void> {
    this.#mark = mark ?? this.#mark;
    await this.#lane.run(() => this.#rewrite()).catch(() => undefined);
  }

  async #append(text: string): Promise<void> {
    await using file = await openOwn(this.#path, APPEND);
    await file.appendFile(text);
    this.#bytes += text.length;
  }

  async #rewrite(): Promise<void> {
    const { id, revision } = this.#mark ?? { id: '', revision: 0 };
    const spans = [...this.#spans].map(([incident, sent]) => JSON.stringify({ i: incident, s: [...sent] }));
    const text = `${[...spans, JSON.stringify({ i: id, r: revision })].join('\n')}\n`;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o750 });
    await replaceOwn(this.#path, text, { sync: false });
    this.#bytes = text.length;
  }

  /** A line that cannot be read, as the torn last one, is passed over. */
  #take(line: string): void {
    const { i, r, s } = parsed(line);
    if (typeof i !== 'string') return;
    if (typeof r === 'number') {
      this.#found = true;
      this.#mark = i === '' ? null : { id: i, revision: r };
    } else if (Array.isArray(s)) {
      const sent = this.#spans.get(i) ?? new Set<string>();
      for (const part of s) if (typeof part === 'string' && sent.size < MOST_SPANS) sent.add(part);
      remember(this.#spans, i, sent, MOST_INCIDENTS);
    }
  }
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}; // fields of unknown type
  } catch {
    return {};
  }
}
