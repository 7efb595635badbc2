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

/** Where the drop-ins of a configuration are; null for one that has none because it is not called faultline.yaml. */
export function dropInFolder(path: string): string | null {
  return basename(path) === FILE ? join(dirname(path), FOLDER) : null;
}

/** Whether a file of that folder is read, by its name. */
export const isDropIn = (name: string): boolean => /^[^.].*\.ya?ml$/.test(name);

/** Paths of the drop-ins of a configuration in the order of their names; only one that is called faultline.yaml has any. */
export function dropInFiles(path: string): readonly string[] {
  const folder = dropInFolder(path);
  if (folder === null) return [];
  const names = namesIn(folder).filter(isDropIn);
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
