// Player: runs a recording again through a pipeline, as fast as that takes it.

import { readTrouble } from '../../helpers/files/file-trouble.ts';
import type { Emit, SampleBatch } from '../../model/record.ts';
import { CheckedFile } from '../files/checked-file.ts';
import { RECORDING_SCHEMA, type RecordedWork, type RecordingEntry, type RecordingHeader } from './format.ts';
import { boundedLines } from './lines.ts';

/** A pipeline that a recording can be played into. */
export interface Playable extends Emit {
  background(batch: SampleBatch): void;
  work(work: RecordedWork): void;
  advance(nowMs: number): void;
}

export interface Played {
  readonly header: RecordingHeader;
  readonly entries: number;
  readonly skipped: number;
  /** Entries that the recorder could not keep. */
  readonly lost: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** False when the recording breaks off, as after a crash of the recorder. */
  readonly complete: boolean;
}

/** Longer than any line a recorder writes; a longer one is not a recording. */
const MAX_LINE = 4 * 1024 * 1024;

/**
 * Plays `path`; `build` makes the pipeline once the header is known, `setNow` moves the clock before each entry.
 * Throws FL1301 when the file is not a recording, FL1302 when it cannot be read; entries that cannot be read are skipped
 * and counted.
 */
export async function playRecording(
  path: string,
  build: (header: RecordingHeader) => Playable,
  setNow: (nowMs: number) => void,
): Promise<Played> {
  let header: RecordingHeader | null = null;
  let line: Playable | null = null;
  let entries = 0;
  let skipped = 0;
  let lost = 0;
  let firstMs = Number.NaN;
  let lastMs = Number.NaN;
  let complete = false;
  await using file = await openRecording(path);
  for await (const text of boundedLines(file, MAX_LINE)) {
    if (line === null) {
      header = readHeader(text, path);
      line = build(header);
      continue;
    }
    const entry = text === null ? null : parse(text);
    if (entry === null) {
      skipped += 1;
      continue;
    }
    if (Number.isNaN(firstMs)) firstMs = entry.at;
    lastMs = entry.at;
    setNow(entry.at);
    line.advance(entry.at);
    if ('end' in entry) complete = true;
    else if ('lost' in entry) lost += entry.lost;
    else if (play(entry, line)) entries += 1;
    else skipped += 1;
  }
  if (header === null) throw notARecording(path, 'it is empty');
  if (Number.isNaN(firstMs)) {
    firstMs = header.started_ms;
    lastMs = header.started_ms;
  }
  return { header, entries, skipped, lost, firstMs, lastMs, complete };
}

function play(entry: RecordingEntry, line: Playable): boolean {
  try {
    if ('samples' in entry) line.samples(entry.samples);
    else if ('background' in entry) line.background(entry.background);
    else if ('text' in entry) line.text(entry.text);
    else if ('event' in entry) line.event(entry.event);
    else if ('discovery' in entry) line.discovery(entry.discovery);
    else if ('work' in entry) line.work(checkedWork(entry.work));
    else return false;
    return true;
  } catch {
    return false; // a damaged entry is counted, the rest is still worth playing
  }
}

/** Another is kept for as long as none follows: it must be whole. Throws where it is not. */
function checkedWork({ works, devices, conflicts }: RecordedWork): RecordedWork {
  const isWhole = [works, devices, conflicts].every(Array.isArray) && works.every(({ ranks, pods, aliases }) => [ranks, pods, aliases].every(Array.isArray)); // biome-ignore format: one question
  if (!isWhole || !devices.every(({ ranks }) => Array.isArray(ranks))) throw new TypeError('the work is not whole');
  return { works, devices, conflicts };
}

function parse(text: string): RecordingEntry | null {
  try {
    const entry: unknown = JSON.parse(text);
    const valid = typeof entry === 'object' && entry !== null && 'at' in entry && Number.isFinite(entry.at);
    return valid ? (entry as RecordingEntry) : null; // its parts are checked by use, see `play`
  } catch {
    return null;
  }
}

/** A regular file only: a device may never end, a FIFO may never begin; and no link of others where it lies. */
async function openRecording(path: string): Promise<CheckedFile> {
  try {
    return await CheckedFile.open(path);
  } catch (error) {
    const why = readTrouble(error, path, 'Name the file that faultline record wrote');
    throw new Error(`FL1302 the recording ${path} cannot be read: ${why}`);
  }
}

function readHeader(text: string | null, path: string): RecordingHeader {
  let header: Partial<RecordingHeader> | null = null;
  try {
    header = JSON.parse(text ?? '');
  } catch {
    // reported below
  }
  if (header?.schema !== RECORDING_SCHEMA)
    throw notARecording(path, `its first line is not a ${RECORDING_SCHEMA} header`);
  const { host, links } = header;
  const numbers = [header.started_ms, header.lateness_ms, header.hold_ms];
  const whole = typeof host === 'string' && Array.isArray(links) && numbers.every((value) => Number.isFinite(value));
  if (!whole) throw notARecording(path, 'its header lacks host, links or times');
  return header as RecordingHeader; // what a pipeline is built from was just checked
}

function notARecording(path: string, why: string): Error {
  return new Error(`FL1301 ${path} is not a recording: ${why}. Make one with: faultline record --out FILE`);
}
