// What `fr` says when there is nothing to say a verdict on: which paths, what was found there, and what to do.

import { lstat, readdir, readlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { bySudo } from '../../helpers/files/who-may.ts';
import { readStart } from '../../helpers/read-start.ts';
import type { FlightRecorderDump } from '../../model/documents/flight-recorder.ts';
import { plain } from '../../model/plain.ts';
import { CheckedFile } from '../../sources/files/checked-file.ts';

const SHOWN = 6;
const AS_OWNER = 'Run it as the user of the job, or as root';
const DUMPS = 'the folder or the files that TORCH_FR_DUMP_TEMP_FILE names';
const WHERE = `give ${DUMPS}`;
const NAME = `Give ${DUMPS}`;

/** Errors of the analysis are messages with a code, or a path that could not be entered and why. */
export function dumpError(error: string): string {
  if (/^FL\d{4} /.test(error)) return error;
  const shut = error.endsWith(': Permission denied');
  return `FL2402 ${error}. ${shut ? `${AS_OWNER}: ${bySudo()}` : NAME}`;
}

/** Files in a folder that are looked at for links. */
const MOST_NAMES = 65_536;

/**
 * Links, which are not followed: whoever may write into a folder of dumps could let root read any file by them. The paths
 * to give in their place, and how many lie in folders.
 */
export async function linksAmong(paths: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const path of paths) {
    const info = await lstat(path).catch(() => null);
    if (info?.isSymbolicLink()) {
      const target = await readlink(path).catch(() => null);
      if (target === null || (await readdir(path).then(() => true, () => false))) continue; // biome-ignore format: one question
      lines.push(`${plain(path, 100)} is a symbolic link, which is not followed: give ${plain(resolve(dirname(path), target), 200)}`); // biome-ignore format: one sentence
      continue;
    }
    if (!info?.isDirectory()) continue;
    const names = await readdir(path, { withFileTypes: true }).catch(() => []);
    const links = names.slice(0, MOST_NAMES).filter((each) => each.isSymbolicLink()).length;
    if (links === 0) continue;
    const are = links === 1 ? '1 symbolic link, which is' : `${links} symbolic links, which are`;
    lines.push(`${plain(path, 100)} has ${are} not followed: give the files that they point to`);
  }
  return lines;
}

/** `dumps`: those that were found and refused. */
export function nothingRead(paths: readonly string[], dumps: readonly FlightRecorderDump[]): string {
  const where = paths.map((path) => plain(path, 100)).join(' ');
  if (dumps.length === 0) {
    return (
      `FL2401 there is no flight-recorder dump in ${where}: ${WHERE}; ` +
      'a job writes them at its timeout when it runs with TORCH_NCCL_DUMP_ON_TIMEOUT=1 and TORCH_FR_BUFFER_SIZE=20000'
    );
  }
  const lines = dumps.slice(0, SHOWN).map(({ path, rejected }) => `  ${plain(path, 200)}: ${refusal(rejected)}`);
  const more = dumps.length > SHOWN ? [`  and ${dumps.length - SHOWN} more`] : [];
  const found = dumps.length === 1 ? 'the only file' : `none of ${dumps.length} files`;
  const could = dumps.length === 1 ? 'could not' : 'could';
  const shut = dumps.every(({ rejected }) => rejected?.why.endsWith('Permission denied'));
  const remedy = shut ? `${AS_OWNER}: ${bySudo()}` : WHERE;
  return [`FL2401 ${found} in ${where} ${could} be read as a dump: ${remedy}`, ...lines, ...more].join('\n');
}

/** Why the analysis is missing: that the folders hold no dump says more than that the reader of dumps could not be run. */
export async function whyNone(error: unknown, paths: readonly string[]): Promise<unknown> {
  for (const path of paths) if (await mayHoldDumps(path)) return error;
  return new Error(nothingRead(paths, []));
}

/** True where a file of it begins as a dump or a summary may, or where that cannot be seen. */
async function mayHoldDumps(path: string): Promise<boolean> {
  const names = await readdir(path).catch(() => null);
  const files = names?.slice(0, LOOKED_AT).map((name) => join(path, name)) ?? [path];
  for (const file of files) if (await mayBeDump(file)) return true;
  return (names?.length ?? 0) > LOOKED_AT;
}

/** Pickles begin with 0x80, dumps as JSON and summaries with a bracket. */
async function mayBeDump(path: string): Promise<boolean> {
  const info = await lstat(path).catch(() => null);
  if (info !== null && !info.isFile()) return false;
  const file = await CheckedFile.open(path).catch(() => null);
  if (file === null) return true;
  try {
    const [first] = await readStart(file, 1);
    return first === 0x80 || first === 0x7b || first === 0x5b;
  } finally {
    await file.close();
  }
}

/** Why, and where in the file. */
export function refusal(rejected: FlightRecorderDump['rejected']): string {
  if (rejected === undefined) return '';
  const { offset, opcode, why } = rejected;
  if (opcode !== null) return `${plain(why)} (opcode 0x${opcode.toString(16)} at byte ${offset})`;
  return offset === 0 ? plain(why) : `${plain(why)} (at byte ${offset})`;
}

/** A collector writes other records before a summary, so the head of a file is not its first line alone. */
const LOOKED_AT = 512;
const HEAD_BYTES = 1024 * 1024;
const SUMMARY = 'faultline/fr-summary/';

/** A name chooses among summaries: what is said where there is none to choose from; null where there is, or may be. */
export async function unusedName(name: string, dumps: readonly FlightRecorderDump[]): Promise<string | null> {
  const paths = [...new Set(dumps.map(({ path }) => path))];
  if (paths.length > LOOKED_AT) return null;
  for (const path of paths) if (await maySummarise(path)) return null;
  return `FL2420 --job ${plain(name, 128)} chooses among summaries, and there are only dumps here, which do not say their job: all of them are analysed as one. Give the folder of that job alone`;
}

/** Dumps are pickles, or JSON that does not begin as a summary does; what is too long to be searched may be one. */
async function maySummarise(path: string): Promise<boolean> {
  const file = await CheckedFile.open(path).catch(() => null);
  if (file === null) return true;
  try {
    const first = await readStart(file, 1);
    if (first[0] === 0x80) return false;
    const head = await readStart(file, HEAD_BYTES);
    return head.length === HEAD_BYTES || head.includes(SUMMARY);
  } finally {
    await file.close();
  }
}
