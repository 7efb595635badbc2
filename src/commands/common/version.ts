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
  /** File of the installation → its sha256. */
  readonly files: Readonly<Record<string, string>>;
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
  const { commit, date, platform, files } = read('build.json');
  const known = typeof commit === 'string' && typeof date === 'string' && typeof platform === 'string';
  if (!known || typeof files !== 'object' || files === null) return null;
  const sums = Object.entries(files).map(([file, sum]): [string, string] => [file, String(sum)]);
  return { commit, date, platform, files: Object.fromEntries(sums) };
}
