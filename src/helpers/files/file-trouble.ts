// File trouble: why a file that a user named could not be opened, and what to do: `there is no such file. Name another`.

import { errorText } from '../error-text.ts';
import { whoMay } from './who-may.ts';

/** Codes, and the words that native code and libraries have for them. */
const KINDS = [
  ['absent', /\bENOENT\b|no such file/i],
  ['shut', /\bEACCES\b|\bEPERM\b|permission denied|not permitted/i],
  ['folder', /\bEISDIR\b|is a directory/i],
  ['through', /\bENOTDIR\b|not a directory/i],
  ['fixed', /\bEROFS\b|read-only file system/i],
  ['full', /\bENOSPC\b|\bEDQUOT\b|no space left|quota exceeded/i],
] as const;

type Kind = (typeof KINDS)[number][0];

const READING: Readonly<Record<Exclude<Kind, 'shut'>, string>> = {
  absent: 'there is no such file',
  folder: 'it is a folder, not a file',
  through: 'a part of its path is a file, no folder',
  fixed: 'its file system is read-only',
  full: 'no space is left there',
};

const WRITING: typeof READING = { ...READING, absent: 'its folder is not there' };

/** `instead`: what to name in its place, a sentence without its end; an error with a `remedy` of its own keeps that. */
export function readTrouble(error: unknown, path: string, instead: string): string {
  return trouble(error, path, instead, READING);
}

/** The same of a file that was to be written. */
export function writeTrouble(error: unknown, path: string, instead: string): string {
  return trouble(error, path, instead, WRITING);
}

function trouble(error: unknown, path: string, instead: string, words: typeof READING): string {
  const text = errorText(error);
  const coded = error instanceof Error && 'code' in error ? `${error.code} ${text}` : text;
  const kind = KINDS.find(([, sign]) => sign.test(coded))?.[0];
  if (kind === 'shut') return `this user may not. ${whoMay(path)}`;
  const remedy = error instanceof Error && 'remedy' in error ? error.remedy : instead;
  return `${kind === undefined ? text : words[kind]}. ${remedy}`;
}
