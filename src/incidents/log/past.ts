// Past: what the heads of the log's lines tell of resolved incidents, so that one that comes again counts on, however many there were.

import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { parseTime } from '../../model/time.ts';
import { type Head, headOf, lastLine } from './head.ts';
import { readLog, Warnings } from './read-log.ts';

/** What must be known of a resolved incident to continue with it. */
export interface PastIncident {
  readonly id: string;
  readonly revision: number;
  readonly openedMs: number;
  readonly updatedMs: number;
  readonly resolvedMs: number;
  readonly reopened: number;
  readonly reopenedMs: number | null;
}

const HEAD_BYTES = 1024;
const TIME = '"([0-9TZ:.-]{20,32})"';
const LIFE = new RegExp(
  `"opened_at":${TIME},"updated_at":${TIME},"resolved_at":${TIME},(?:"reopened":(\\d{1,9}),"reopened_at":(?:null|${TIME}),)?`,
);

/** Those of the newest two files that changed last, at most `limit`, the last at the end. Empty where none can be read. */
export async function loadPast(directory: string, limit: number): Promise<readonly PastIncident[]> {
  const past = new Past(limit);
  const take = (line: Buffer | null): void => past.take(line, line === null ? null : headOf(line));
  await readLog(directory, take, new Warnings(), 1).catch(() => undefined);
  return past.list();
}

/** The same of lines that are read anyway. A line may come twice. */
export class Past {
  readonly #limit: number;
  readonly #revisions = new Map<string, { readonly revision: number; readonly head: string | null }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(line: Buffer | null, head: Head | null): void {
    if (line === null || head?.schema !== INCIDENT_SCHEMA) return;
    const { id, revision, open } = head;
    if ((this.#revisions.get(id)?.revision ?? -1) >= revision) return;
    this.#revisions.delete(id);
    this.#revisions.set(id, { revision, head: open ? null : lastLine(line).toString('latin1', 0, HEAD_BYTES) });
    for (const oldest of this.#revisions.keys()) {
      if (this.#revisions.size <= this.#limit) break;
      this.#revisions.delete(oldest);
    }
  }

  list(): readonly PastIncident[] {
    return [...this.#revisions].flatMap(([id, { revision, head }]) =>
      head === null ? [] : lifeOf(id, revision, head),
    );
  }
}

function lifeOf(id: string, revision: number, head: string): PastIncident[] {
  const [, opened = '', updated = '', resolved = '', reopened = '0', again] = LIFE.exec(head) ?? [];
  const [openedMs, updatedMs, resolvedMs] = [opened, updated, resolved].map((text) => parseTime(text)?.epochMs);
  if (openedMs === undefined || updatedMs === undefined || resolvedMs === undefined) return [];
  const reopenedMs = again === undefined ? null : (parseTime(again)?.epochMs ?? null);
  return [{ id, revision, openedMs, updatedMs, resolvedMs, reopened: Number(reopened), reopenedMs }];
}
