// The version, from package.json, and what a release wrote next to it about how it was made.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installationRoot } from '../../native.ts';

/** Of build.json, which scripts/release writes; a checkout has none. */
export interface Build {
  readonly commit: string;
  /** When that commit was made: the same commit gives the same bytes, so there is no other time. */
  readonly date: string;
  /** "linux-x64", as Node names it. */
  readonly platform: string;
}

function read(file: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(installationRoot(), file), 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

export const version = String(read('package.json').version ?? 'unknown');

/** Null where the program was not released: it runs from a checkout. */
export function releaseBuild(): Build | null {
  const { commit, date, platform } = read('build.json');
  const known = typeof commit === 'string' && typeof date === 'string' && typeof platform === 'string';
  return known ? { commit, date, platform } : null;
}

/** Program and addon are of one release, unless an upgrade was cut off. */
export function mismatch(addon: string | null, program = version): string | null {
  if (addon === null || addon === program) return null;
  return `FL1004 the program is ${program}, its native addon ${addon}: an upgrade was cut off. Install the release again`;
}
