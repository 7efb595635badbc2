// Where the configuration has the incident log, and nothing else of it: who reads incidents needs no secret and no network.

import { dirname, resolve } from 'node:path';
import { ABOUT_THE_HOST } from './base-schema.ts';
import { ConfigError } from './config-error.ts';
import { type Surroundings, standardDirectories } from './directories.ts';
import { isForbidden, readDropIns, readText, STANDARD_FILE, surroundingsOfProcess } from './load-config.ts';

export interface LogFolder {
  readonly log: string;
  /** Where its daemon's socket is. */
  readonly runtime: string;
  /** named: by the configuration. standard: no configuration. hidden: there is one that this user may not read. */
  readonly by: 'named' | 'standard' | 'hidden';
}

/** Throws ConfigError where a configuration is named that cannot be read, or where its own word on the log cannot be. */
export async function logFolder(
  path?: string,
  surroundings: Surroundings = surroundingsOfProcess(),
): Promise<LogFolder> {
  const { log, runtime } = standardDirectories(surroundings);
  const named = path ?? (surroundings.environment.FAULTLINE_CONFIG || undefined);
  const file = named ?? surroundings.standardFile ?? STANDARD_FILE;
  if (named === undefined && isForbidden(file)) return { log, runtime, by: 'hidden' };
  const text = readText(file, named === undefined);
  const dropIns = readDropIns(file);
  if (text === null && dropIns.length === 0) return { log, runtime, by: 'standard' };
  // The parser loads only where there is something to read.
  const { checkTree } = await import('./check-tree.ts');
  const schema = { type: 'object', properties: { directories: ABOUT_THE_HOST.directories } } as const;
  const { value, places, problems } = checkTree(text ?? '', schema, surroundings.environment, dropIns);
  // Only what keeps the log's place from being known counts; the daemon reports the rest.
  const lines = ['/directories#key', '/directories/log#key'].map((key) => places.get(key)?.line);
  const lost =
    lines[0] === undefined &&
    [text ?? '', ...dropIns.map((each) => each.text)].some((each) => /^directories\s*:/m.test(each));
  const about = problems.filter(
    ({ line, text }) => lost || lines.includes(line ?? 0) || text.startsWith('directories'),
  );
  if (about.length > 0) throw new ConfigError(file, about);
  const directories = own(value, 'directories');
  const written = (name: 'log' | 'runtime'): string | null => {
    const path = own(directories, name);
    return typeof path === 'string' && path !== '' ? resolve(dirname(resolve(file)), path) : null;
  };
  return { log: written('log') ?? log, runtime: written('runtime') ?? runtime, by: 'named' };
}

function own(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key] // an own property of an object
    : undefined;
}
