// Finds, reads, checks and resolves the configuration; the built-in defaults are in force where there is no file.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { codeOrText, errorCode } from '../helpers/error-code.ts';
import { BINARY, textOf, whyNotFile } from '../helpers/files/plain-text.ts';
import { whoMay } from '../helpers/files/who-may.ts';
import type { CheckTree } from './check-tree.ts';
import type { Composed, RawConfig } from './compose.ts';
import { ConfigError, type Problem, problemText } from './config-error.ts';
import type { Surroundings } from './directories.ts';
import { type DropIn, dropInFiles } from './drop-ins.ts';
import { fillDefaults } from './fill-defaults.ts';
import { Findings } from './findings.ts';
import type { SchemaNode } from './schema-parts.ts';

export const STANDARD_FILE = '/etc/faultline/faultline.yaml';
const MAX_BYTES = 1024 * 1024;

export interface LoadedConfig<Config> {
  readonly config: Config;
  /** As users write it, with defaults; secrets are still in it. */
  readonly raw: RawConfig;
  /** One line each: what works but should be fixed. */
  readonly warnings: readonly string[];
}

export function surroundingsOfProcess(): Surroundings {
  return { environment: process.env, uid: process.geteuid?.() ?? null, home: homedir(), hostname: hostname() };
}

/**
 * The configuration in force: `path`, else $FAULTLINE_CONFIG, else /etc/faultline/faultline.yaml, else the defaults.
 * Throws ConfigError with everything that is wrong.
 */
export async function loadConfig<Config>(
  composed: Composed<Config>,
  path?: string,
  surroundings?: Surroundings,
): Promise<Config> {
  return (await readConfig(composed, path, surroundings)).config;
}

/**
 * `loadConfig` for what needs no configuration: where no file was named and the standard one may not be read, the
 * defaults, with `note` saying so in a line.
 */
export async function loadConfigIfAllowed<Config>(
  composed: Composed<Config>,
  path?: string,
  surroundings = surroundingsOfProcess(),
  standardFile = STANDARD_FILE,
): Promise<{ readonly config: Config; readonly note: string | null }> {
  const named = path ?? (surroundings.environment.FAULTLINE_CONFIG || undefined);
  if (named !== undefined || !isForbidden(standardFile)) {
    return { config: (await readConfig(composed, path, surroundings)).config, note: null };
  }
  const { config } = await checkConfig(composed, '', null, surroundings);
  return { config, note: `${standardFile} may not be read by this user: the built-in defaults are used` };
}

export function isForbidden(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    return false;
  } catch (error) {
    return errorCode(error) === 'EACCES';
  }
}

/** `loadConfig` that also gives the raw form and the warnings, which a command prints and the daemon logs. */
export async function readConfig<Config>(
  composed: Composed<Config>,
  path?: string,
  surroundings = surroundingsOfProcess(),
  check?: CheckTree,
): Promise<LoadedConfig<Config>> {
  const named = path ?? (surroundings.environment.FAULTLINE_CONFIG || undefined);
  const standard = surroundings.standardFile ?? STANDARD_FILE;
  const file = named ?? standard;
  const text = readText(file, named === undefined);
  const dropIns = readDropIns(file);
  if (text === null && dropIns.length === 0) return checkConfig(composed, '', null, surroundings, check);
  return checkConfig(composed, text ?? '', file, surroundings, check, dropIns);
}

/** Checks a configuration's text; `file` is how messages name it and what its relative paths count from. */
export async function checkConfig<Config>(
  { schema, resolve }: Composed<Config>,
  text: string,
  file: string | null,
  surroundings: Surroundings,
  check: CheckTree = checkHere(schema),
  dropIns: readonly DropIn[] = [],
): Promise<LoadedConfig<Config>> {
  const name = file ?? 'built-in configuration';
  let value: unknown = {};
  let findings = new Findings(new Map());
  let problems: readonly Problem[] = [];
  if (file !== null) {
    const tree = await check(text, surroundings.environment, dropIns);
    problems = tree.problems;
    value = tree.value;
    findings = new Findings(tree.places, tree.patched, name);
  }
  const raw = fillDefaults(value, schema) as RawConfig; // the schema is that of a map
  const config = resolve(raw, file, surroundings, findings);
  const all = withoutDoubles([...problems, ...findings.problems]);
  // Where a part could not be read at all, a name that nothing reads may be one of that part.
  const whole = !problems.some(({ code }) => code === 'FL1103' || code === 'FL1104');
  const doubtful = findings.warnings.filter(({ code }) => whole || code !== 'FL1112');
  const warnings = doubtful.map((warning) => problemText(name, warning));
  if (all.length > 0) throw new ConfigError(name, all, warnings);
  return { config, raw, warnings };
}

/** A written-out secret is found by its form and by resolving it. */
function withoutDoubles(problems: readonly Problem[]): readonly Problem[] {
  const known = new Set<string>();
  return problems.filter(({ code, file, line, column, text }) => {
    const key = `${file}:${line}:${column}:${code}:${text}`;
    return !known.has(key) && known.add(key);
  });
}

/** Parser and validator load only where there is something to check. */
function checkHere(schema: SchemaNode & object): CheckTree {
  return async (text, environment, dropIns) =>
    (await import('./check-tree.ts')).checkTree(text, schema, environment, dropIns);
}

/** What lies in conf.d next to a configuration. Throws ConfigError with the name of the file that cannot be read. */
export function readDropIns(path: string): readonly DropIn[] {
  return dropInFiles(path).map((file) => ({ file, text: readText(file, true) ?? '' }));
}

/** The text of a configuration; null for one that is not there and need not be. `named`: it is an argument of the command. Throws ConfigError. */
export function readText(path: string, mayBeAbsent: boolean, named = false): string | null {
  const what = named ? 'file' : 'configuration';
  const other = named ? 'Name the file itself' : 'Name the configuration itself with --config';
  const fail = (code: string, text: string) => new ConfigError(path, [{ code, line: null, column: null, text }]);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = codeOrText(error);
    if (code === 'ENOENT' && mayBeAbsent) return null;
    const reason =
      code === 'ENOENT'
        ? 'does not exist'
        : code === 'EACCES'
          ? 'may not be read by this user'
          : `cannot be opened (${code})`;
    const remedy =
      code === 'EACCES'
        ? whoMay(path)
        : named
          ? 'Name one that is there'
          : 'Name another with --config, or print a start with: faultline config print';
    throw fail('FL1101', `the ${what} ${reason}. ${remedy}`);
  }
  try {
    const stat = fstatSync(file);
    const odd = whyNotFile(stat);
    if (odd !== null) throw fail('FL1101', `${odd}. ${other}`);
    if (stat.size > MAX_BYTES)
      throw fail('FL1102', `the ${what} has ${stat.size} bytes; at most ${MAX_BYTES} are read. ${other}`);
    const text = textOf(readFileSync(file));
    if (text === null)
      throw fail(
        'FL1101',
        `${BINARY}: it cannot be a configuration. ${named ? 'Name one of text' : 'Name another with --config'}`,
      );
    return text;
  } finally {
    closeSync(file);
  }
}
