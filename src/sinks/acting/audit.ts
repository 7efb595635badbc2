// Audit: each decision on disk before it is carried out, and what came of it after; what cannot be recorded is not done.

import { constants } from 'node:fs';
import { rename } from 'node:fs/promises';
import { errorCode } from '../../helpers/error-code.ts';
import { openOwn } from '../../helpers/files/own-file.ts';
import { safeText } from '../../model/safe-text.ts';
import type { StageAction } from '../../model/stage.ts';
import { formatTime } from '../../model/time.ts';
import { BACK_TYPES } from './decide/over.ts';
import type { ActionName } from './schema.ts';
import { type Recorded, type Standing, standingKey } from './standing.ts';

const APPENDS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
/** Some hundred thousand records; the file before it is kept. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_WORDS = 1000;

/** What became of an intention: `intended` is written before anything is done. */
export type Step = 'intended' | 'done' | 'failed' | 'refused' | 'dry_run' | 'undone';

/** What earlier runs did, as far as it counts now. */
export interface Recalled {
  /** When something was intended, epoch ms. */
  readonly actedMs: readonly number[];
  /** What was set, or may have been, and not taken back. */
  readonly standing: readonly Standing[];
}

export interface AuditRecord {
  readonly incident: Recorded;
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

  /** `actedMs`: after `sinceMs`. Rejects where the record cannot be read, for then that is not known. */
  async recall(sinceMs: number): Promise<Recalled> {
    const standing = new Map<string, Standing>();
    const before = await readRecord(`${this.#path}.1`, standing);
    const times = [...before, ...(await readRecord(this.#path, standing))];
    return { actedMs: times.filter((ms) => ms > sinceMs), standing: [...standing.values()] };
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

/** When something was intended, none where there is no file; what is still set after it goes into `standing`. */
async function readRecord(path: string, standing: Map<string, Standing>): Promise<number[]> {
  const times: number[] = [];
  try {
    await using file = await openOwn(path, constants.O_RDONLY);
    for await (const line of file.readLines({ autoClose: false })) {
      account(line, standing);
      for (const [, time = ''] of line.matchAll(STEPS)) times.push(Date.parse(time));
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  if (times.some(Number.isNaN)) throw new Error(`${path} has a time that cannot be read`);
  return times;
}

/** What can be taken back, by what it is called in the record. */
const SETS: { readonly [A in StageAction]?: ActionName } = {
  condition: 'condition',
  taint: 'taint',
  drain: 'slurm_drain',
};

/** What one line says of what is still set; nothing where it cannot be read. */
function account(line: string, standing: Map<string, Standing>): void {
  const record = parsed(line);
  const action = SETS[record.action as StageAction]; // undefined for any other
  if (action === undefined || typeof record.incident_id !== 'string') return;
  const one = { action, of: recordedOf(record, record.incident_id) };
  const ends = BACK_TYPES.has(String(record.type));
  const isGone = record.step === 'undone' || (record.step === 'done' && ends) || record.type === 'not_ours';
  if (isGone) standing.delete(standingKey(one));
  else if (!ends && (record.step === 'intended' || record.step === 'done')) standing.set(standingKey(one), one);
}

function recordedOf({ host, revision, root_kind: kind, confidence }: Readonly<Record<string, unknown>>, id: string): Recorded {
  return { id, host: String(host), revision: Number(revision) || 0, confidence: Number(confidence) || 0, root: { kind: String(kind) } };
} // biome-ignore format: one line each

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
