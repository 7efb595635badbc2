// Files of the incident log: their names and order, and how they are opened without following a link.

import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOrText } from '../../helpers/error-code.ts';
import { openOwn } from '../../helpers/files/own-file.ts';

export const CURRENT = 'incidents.jsonl';
/** Longest line that is written or read, bytes. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;

const ROTATED = /^incidents-\d{8}T\d{9}Z\.jsonl$/;
const NUMBERED = /^incidents\.jsonl\.(\d{1,6})$/; // as logrotate names them: the higher, the older
const TORN = /^incidents\.jsonl\.torn-(\d{1,9})$/;

export interface LogFiles {
  /** Rotated by us, oldest first. */
  readonly rotated: readonly string[];
  /** Moved away by someone else, oldest first. */
  readonly numbered: readonly string[];
  /** Torn last lines that recovery cut off. */
  readonly torn: readonly string[];
}

/** Names of the log's files in a directory; all empty where there is none. Errors other than ENOENT are thrown. */
export async function listLogFiles(directory: string): Promise<LogFiles> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOrText(error) === 'ENOENT') return [];
    throw error;
  });
  const number = (name: string, pattern: RegExp): number => Number(pattern.exec(name)?.[1] ?? 0);
  return {
    rotated: names.filter((name) => ROTATED.test(name)).sort(),
    numbered: names.filter((name) => NUMBERED.test(name)).sort((a, b) => number(b, NUMBERED) - number(a, NUMBERED)),
    torn: names.filter((name) => TORN.test(name)).sort((a, b) => number(a, TORN) - number(b, TORN)),
  };
}

/** Name for a file rotated now; sorts after `newest` even where the clock was set back. */
export function rotatedName(nowMs: number, newest: string | undefined): string {
  const stamp = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:.]/g, '');
  const name = `incidents-${stamp(nowMs)}.jsonl`;
  if (newest === undefined || name > newest) return name;
  return `incidents-${stamp(rotatedAtMs(newest) + 1)}.jsonl`;
}

/** When a file was rotated, from its name, epoch ms. */
export function rotatedAtMs(name: string): number {
  const at = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z/.exec(name)?.slice(1).map(Number) ?? [];
  const [year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, milli = 0] = at;
  return Date.UTC(year, month - 1, day, hour, minute, second, milli);
}

export function openForReading(path: string): Promise<FileHandle> {
  return openOwn(path, constants.O_RDONLY);
}

export function openForRepair(path: string): Promise<FileHandle> {
  return openOwn(path, constants.O_RDWR);
}

/** Opens for appending (and for reading the last byte); makes file and directory where they are missing. */
export async function openForAppending(path: string): Promise<FileHandle> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  return openOwn(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT);
}

/** Makes new, moved and removed names durable. File systems that cannot sync a directory are left to their ways. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  await handle.sync().catch(() => undefined);
  await handle.close();
}

/** A new side file for a torn last line, opened for writing. */
export async function openTornFile(directory: string): Promise<{ name: string; handle: FileHandle }> {
  const last = (await listLogFiles(directory)).torn.at(-1);
  const name = `${CURRENT}.torn-${last === undefined ? 1 : Number(TORN.exec(last)?.[1]) + 1}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  return { name, handle: await openOwn(join(directory, name), flags) };
}
