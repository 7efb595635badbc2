// Sent journal: which incidents came to the spool, so that the next run of a killed daemon leaves nothing out and repeats no part.

import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openOwn, readOwn, replaceOwn } from '../../../helpers/files/own-file.ts';
import { remember } from '../../../helpers/remember.ts';
import type { DiskLane } from '../spool/disk-lane.ts';

/** A revision of an incident. */
export interface Mark {
  readonly id: string;
  readonly revision: number;
}

/** Parts that went out, by incident id. What a part is the sink decides: OTLP's are spans. */
export type SentParts = ReadonlyMap<string, ReadonlySet<string>>;

export interface SentPart {
  readonly incidentId: string;
  readonly part: string;
  /** It takes the place of all earlier parts of the incident. */
  readonly whole?: true;
}

const MOST_BYTES = 4 * 1024 * 1024;
/** Incidents whose parts are remembered, those that changed last. */
const MOST_INCIDENTS = 2048;
const MOST_PARTS = 256;

/**
 * JSON lines, appended to and now and then written again as a whole: a revision (`r`) that is in the spool together with
 * all that came before it, or parts (`s`) that are. It is not synced: what a power failure takes is sent again, under
 * the same ids.
 */
export class SentJournal {
  readonly #path: string;
  readonly #lane: DiskLane;
  readonly #parts = new Map<string, Set<string>>();
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

  get parts(): SentParts {
    return this.#parts;
  }

  /** Reads what an earlier run left. False where there was none that can be read. Never rejects. */
  async open(): Promise<boolean> {
    const text = await this.#lane.run(() => readOwn(this.#path, 2 * MOST_BYTES)).catch(() => null);
    for (const line of text?.split('\n') ?? []) this.#take(line);
    return this.#found;
  }

  /** Adds what came to the spool; a disk that does not take it only means that it is sent again. */
  async add(parts: readonly SentPart[], mark: Mark | null): Promise<void> {
    const lines = parts.map(({ incidentId, part, whole }) =>
      JSON.stringify({ i: incidentId, s: [part], ...(whole === true ? { w: 1 } : {}) }),
    );
    if (mark !== null) lines.push(JSON.stringify({ i: mark.id, r: mark.revision }));
    if (lines.length === 0) return;
    for (const line of lines) this.#take(line);
    const text = `${lines.join('\n')}\n`;
    const whole = this.#bytes === 0 || this.#bytes + text.length > MOST_BYTES;
    await this.#lane.run(() => (whole ? this.#rewrite() : this.#append(text))).catch(() => undefined);
  }

  /** Begins a journal that has nothing yet but what is in memory. */
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
    const parts = [...this.#parts].map(([incident, sent]) => JSON.stringify({ i: incident, s: [...sent] }));
    const text = `${[...parts, JSON.stringify({ i: id, r: revision })].join('\n')}\n`;
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o750 });
    await replaceOwn(this.#path, text, { sync: false });
    this.#bytes = text.length;
  }

  /** A line that cannot be read, as the torn last one, is passed over. */
  #take(line: string): void {
    const { i, r, s, w } = parsed(line);
    if (typeof i !== 'string') return;
    if (typeof r === 'number') {
      this.#found = true;
      this.#mark = i === '' ? null : { id: i, revision: r };
    } else if (Array.isArray(s)) {
      const sent = (w === 1 ? undefined : this.#parts.get(i)) ?? new Set<string>();
      for (const part of s) if (typeof part === 'string' && sent.size < MOST_PARTS) sent.add(part);
      remember(this.#parts, i, sent, MOST_INCIDENTS);
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
