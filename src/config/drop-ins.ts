// Drop-ins: the files of conf.d next to faultline.yaml, which add to it or replace what it says.

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOrText } from '../helpers/error-code.ts';
import { ConfigError } from './config-error.ts';

const FILE = 'faultline.yaml';
const FOLDER = 'conf.d';
const MOST_FILES = 64;

/** One file of the folder, as it is merged. */
export interface DropIn {
  readonly file: string;
  readonly text: string;
}

/** Paths of the drop-ins of a configuration in the order of their names; only one that is called faultline.yaml has any. */
export function dropInFiles(path: string): readonly string[] {
  if (basename(path) !== FILE) return [];
  const folder = join(dirname(path), FOLDER);
  const names = namesIn(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name));
  if (names.length > MOST_FILES) {
    throw failure(folder, `there are ${names.length} files; at most ${MOST_FILES} are read. Join some`);
  }
  return names.sort().map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    const code = codeOrText(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw failure(folder, `the folder cannot be read (${code}). Let the daemon's user read it, or remove it`);
  }
}

function failure(folder: string, text: string): ConfigError {
  return new ConfigError(folder, [{ code: 'FL1101', line: null, column: null, text }]);
}
