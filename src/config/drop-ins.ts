// Drop-ins: the files of conf.d and rules.d next to faultline.yaml, which add to it or replace what it says.

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOrText } from '../helpers/error-code.ts';
import { ConfigError } from './config-error.ts';

const FILE = 'faultline.yaml';
const FOLDER = 'conf.d';
/** The same for rules: a folder of its own, so that a file of it can be tested and handed on alone. */
const RULES_FOLDER = 'rules.d';
const MOST_FILES = 64;

/** One file of the folder, as it is merged. */
export interface DropIn {
  readonly file: string;
  readonly text: string;
}

/** Where the drop-ins of a configuration are; one that is not called faultline.yaml has none. */
export function dropInFolders(path: string): readonly string[] {
  return basename(path) === FILE ? [FOLDER, RULES_FOLDER].map((folder) => join(dirname(path), folder)) : [];
}

/** Whether a file of that folder is read, by its name. */
export const isDropIn = (name: string): boolean => /^[^.].*\.ya?ml$/.test(name);

/** Paths of the drop-ins of a configuration in the order of their names; only one that is called faultline.yaml has any. */
export function dropInFiles(path: string): readonly string[] {
  return dropInFolders(path).flatMap(filesIn);
}

function filesIn(folder: string): string[] {
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
