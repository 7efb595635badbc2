// Pattern folder: the site's own patterns, in patterns.d next to faultline.yaml; one file that is wrong leaves the others in force.

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { STANDARD_FILE } from '../../../config/load-config.ts';
import { codeOrText, errorCode } from '../../../helpers/error-code.ts';
import { errorText } from '../../../helpers/error-text.ts';
import type { UserPattern } from './read-user-pattern.ts';

const FOLDER = 'patterns.d';
const CONFIGURATION = 'faultline.yaml';
const MOST_FILES = 256;

export interface UserPatterns {
  readonly patterns: readonly UserPattern[];
  /** One text for each file that cannot be used, with a line for each thing that is wrong. */
  readonly wrong: readonly string[];
}

/** Of the configuration at `file`; null: of the standard one. */
export async function readPatternFolder(file: string | null): Promise<UserPatterns> {
  const configuration = file ?? STANDARD_FILE;
  if (basename(configuration) !== CONFIGURATION) return { patterns: [], wrong: [] };
  const folder = join(dirname(configuration), FOLDER);
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return { patterns: [], wrong: [] };
    return { patterns: [], wrong: [`${folder}: cannot be read (${codeOrText(error)}). Let the daemon's user read it`] };
  }
  if (names.length === 0) return { patterns: [], wrong: [] };
  // Parser and validator load only where there is something to read.
  const { readUserPattern } = await import('./read-user-pattern.ts');
  names.sort();
  const ids = new Set(names.map((name) => name.replace(/\.ya?ml$/, '')));
  const patterns: UserPattern[] = [];
  const wrong = names.length > MOST_FILES ? [`${folder}: has ${names.length} files; ${MOST_FILES} are read`] : [];
  for (const name of names.slice(0, MOST_FILES)) {
    try {
      patterns.push(readUserPattern(join(folder, name), ids));
    } catch (error) {
      wrong.push(errorText(error));
    }
  }
  return { patterns, wrong };
}

let areUsed = false;

/** Has this process name incidents by them too; gives what is wrong, as `readPatternFolder`. */
export async function usePatternFolder(file: string | null): Promise<readonly string[]> {
  const { patterns, wrong } = await readPatternFolder(file);
  // Without any, now or before, the catalogue that they would be added to is not loaded.
  if (patterns.length === 0 && !areUsed) return wrong;
  areUsed = true;
  const { useUserPatterns } = await import('../known-patterns.ts');
  useUserPatterns(patterns.map(({ pattern }) => pattern));
  return wrong;
}
