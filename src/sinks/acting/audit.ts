// Audit: each decision on disk before it is carried out, and what came of it after; what cannot be recorded is not done.

import { constants } from 'node:fs';
import { rename } from 'node:fs/promises';
import { errorCode } from '../../helpers/error-code.ts';
import { openOwn } from '../../helpers/files/own-file.ts';
import type { Incident } from '../../model/incident.ts';
import { safeText } from '../../model/safe-text.ts';
import { formatTime } from '../../model/time.ts';

const APPENDS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
/** Some hundred thousand records; the file before it is kept. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_WORDS = 1000;

/** What became of an intention: `intended` is written before anything is done. */
export type Step = 'intended' | 'done' | 'failed' | 'refused' | 'dry_run' | 'undone';

export interface AuditRecord {
  readonly incident: Incident;
  readonly action: string;
  readonly target: string;
  readonly step: Step;
  readonly words: string;
  /** Why not, or what went wrong; null where neither. */
  readonly type: string | null;
  readonly why: string | null;
  readonly atMs: number;
}

export class Audit {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** When something was intended after `sinceMs`; rejects where the record cannot be read, for then that is not known. */
  async actedSince(sinceMs: number): Promise<number[]> {
    const times = [...(await intendedIn(`${this.#path}.1`)), ...(await intendedIn(this.#path))];
    return times.filter((ms) => ms > sinceMs);
  }

  /** On disk when it resolves; rejects where it is not. */
  async write({ incident, action, target, step, words, type, why, atMs }: AuditRecord): Promise<void> {
    const { id, host, revision, confidence, root } = incident;
    const record = {
      schema: 'faultline/act/1',
      time: formatTime(atMs, 3),
      host,
      incident_id: id,
      revision,
      root_kind: root.kind,
      confidence,
      action,
      target,
      step,
      type,
      why: why === null ? null : safeText(why.slice(0, MOST_WORDS)),
      words: safeText(words.slice(0, MOST_WORDS)),
      pid: process.pid,
    };
    const handle = await openOwn(this.#path, APPENDS);
    try {
      await handle.writeFile(`${JSON.stringify(record)}\n`);
      await handle.datasync();
      if ((await handle.stat()).size > MOST_BYTES) await rename(this.#path, `${this.#path}.1`);
    } finally {
      await handle.close();
    }
  }
}

/**
 * A line that a crash cut off may have the next one behind it, so that it is not read as JSON; quotes within texts are escaped there.
 * What ends with its fault has a type, and counts as part of what was done before.
 */
const STEPS = /"time":"([^"]{1,40})"(?:(?!"time":")[^\n])*?"step":"intended","type":null/g;

/** When something was intended; none where there is no file. */
async function intendedIn(path: string): Promise<number[]> {
  const times: number[] = [];
  try {
    await using file = await openOwn(path, constants.O_RDONLY);
    for await (const line of file.readLines({ autoClose: false }))
      for (const [, time = ''] of line.matchAll(STEPS)) times.push(Date.parse(time));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  if (times.some(Number.isNaN)) throw new Error(`${path} has a time that cannot be read`);
  return times;
}
