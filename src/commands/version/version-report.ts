// What `faultline version` reports: program, build, native parts and catalogue, each from the one place that has it.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../helpers/error-text.ts';
import { installationRoot, native } from '../../native.ts';
import { type Build, releaseBuild, version } from '../common/version.ts';

export interface VersionReport {
  readonly schema: 'faultline/version/1';
  readonly version: string;
  /** Null for a checkout, whose commit `git rev-parse HEAD` knows. */
  readonly commit: string | null;
  readonly date: string | null;
  readonly build: 'release' | 'checkout';
  readonly platform: string;
  readonly node: string;
  /** Version of the addon; null where it does not load. */
  readonly native: string | null;
  readonly catalogue: Catalogue;
  /** What is wrong with this installation, with what to do. */
  readonly problem: string | null;
}

interface Catalogue {
  /** The youngest of its files. */
  readonly version: string;
  /** Over all files with their names: equal where the catalogue is equal. */
  readonly sha256: string;
  /** File below catalog/, without ".json" → its version; those without one are part of the program. */
  readonly files: Readonly<Record<string, string>>;
}

export function versionReport(root = installationRoot()): VersionReport {
  const build: Build | null = releaseBuild();
  const addon = nativeVersion();
  return {
    schema: 'faultline/version/1',
    version,
    commit: build?.commit ?? null,
    date: build?.date ?? null,
    build: build === null ? 'checkout' : 'release',
    platform: build?.platform ?? `${process.platform}-${process.arch}`,
    node: process.versions.node,
    native: addon.version,
    catalogue: catalogue(join(root, 'catalog')),
    problem: (build === null ? null : mixed(build, root)) ?? addon.problem,
  };
}

function nativeVersion(): { readonly version: string | null; readonly problem: string | null } {
  try {
    return { version: native().version(), problem: null };
  } catch (error) {
    return { version: null, problem: errorText(error) };
  }
}

/** Files of two releases in one installation: an upgrade was cut off, or something changed what was installed. */
function mixed({ files }: Build, root: string): string | null {
  const wrong = Object.entries(files).filter(([file, sum]) => sumOf(join(root, file)) !== sum);
  const first = wrong[0]?.[0];
  if (first === undefined) return null;
  const others = wrong.length === 1 ? '' : ` and ${wrong.length - 1} more`;
  return `FL1004 ${first}${others} of ${root} is not of release ${version}: an upgrade was cut off. Install the release again`;
}

function sumOf(path: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex');
  } catch {
    return null;
  }
}

function catalogue(folder: string): Catalogue {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:json|yaml)$/.test(name))
    .sort();
  const hash = createHash('sha256');
  const files: Record<string, string> = {};
  for (const name of names) {
    const text = readFileSync(join(folder, name), 'utf8');
    hash.update(`${name}\0${text}\0`);
    const of = name.endsWith('.json') ? versionOf(text) : null;
    if (of !== null) files[name.slice(0, -'.json'.length)] = of;
  }
  const newest = Object.values(files).sort(byParts).at(-1) ?? 'unknown';
  return { version: newest, sha256: hash.digest('hex'), files };
}

function versionOf(text: string): string | null {
  const parsed: unknown = JSON.parse(text);
  const found = typeof parsed === 'object' && parsed !== null && 'version' in parsed ? parsed.version : null;
  return typeof found === 'string' ? found : null;
}

/** "2026.11.9" before "2026.11.10". */
export function byParts(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

export function versionText(report: VersionReport): string {
  const { commit, date, catalogue: of, problem } = report;
  const lines = [
    `faultline ${report.version}`,
    commit === null
      ? 'build      a checkout'
      : `build      release of commit ${commit.slice(0, 12)}, ${date?.slice(0, 10)}`,
    `platform   ${report.platform}, Node ${report.node}, native parts ${report.native ?? 'do not load'}`,
    `catalogue  ${of.version}, ${Object.keys(of.files).length} files, sha256 ${of.sha256.slice(0, 12)}`,
    ...(problem === null ? [] : [problem]),
  ];
  return `${lines.join('\n')}\n`;
}
