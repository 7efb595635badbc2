// Composes the configuration out of its base and the sections of the sources and sinks that the program has.

import { dirname, resolve as resolvePath } from 'node:path';
import { type BaseConfig, type RawBase, resolveBase } from './base.ts';
import { ABOUT_INCIDENTS, ABOUT_THE_HOST, ABOUT_THE_LOG } from './base-schema.ts';
import type { Surroundings } from './directories.ts';
import type { Findings } from './findings.ts';
import { type SchemaNode, section } from './schema-parts.ts';
import type { AnySection, Properties, Resolving, SettingsOf } from './section.ts';
import { KnownTopology } from './topology-names.ts';

export interface Sections {
  /** Their keys are under `sources`. */
  readonly sources: readonly AnySection[];
  /** Their keys are at the root, and of whatever else has a section of its own. */
  readonly sinks: readonly AnySection[];
}

/** What is in force: durations in ms, paths absolute, defaults filled in, secrets read. */
export type ConfigOf<S extends Sections> = BaseConfig & {
  /** File it was read from, null for the built-in defaults. */
  readonly file: string | null;
  readonly sources: SettingsOf<S['sources']>;
} & SettingsOf<S['sinks']>;

export type RawConfig = Readonly<Record<string, unknown>>;

export interface Composed<Config> {
  /** JSON Schema (draft 7): the one source of truth for validation, defaults, `config schema` and the docs. */
  readonly schema: SchemaNode & object;
  /** `raw` fits the schema and has its defaults. */
  resolve(raw: RawConfig, file: string | null, surroundings: Surroundings, findings: Findings): Config;
}

export function compose<const S extends Sections>(sections: S): Composed<ConfigOf<S>> {
  return {
    schema: schemaOf(sections),
    resolve(raw, file, surroundings, findings) {
      const base = file === null ? '/' : dirname(resolvePath(file));
      const written = raw as unknown as RawBase & { readonly sources: object }; // it fits the schema
      const host = written.host ?? surroundings.hostname;
      const at: Resolving = {
        host,
        environment: surroundings.environment,
        findings,
        absolute: (path) => resolvePath(base, path),
      };
      const known = new KnownTopology(host);
      const sources = settingsOf(sections.sources, written.sources, at, known);
      const config = {
        file: file === null ? null : resolvePath(file),
        ...resolveBase(written, at, surroundings, known),
        sources,
        ...settingsOf(sections.sinks, raw, at, known),
      };
      return config as unknown as ConfigOf<S>; // each section gave the settings of its own type
    },
  };
}

function settingsOf(
  sections: readonly AnySection[],
  raw: object,
  at: Resolving,
  known: KnownTopology,
): Readonly<Record<string, unknown>> {
  const settings = sections.map((one) => {
    const own = one.resolve(raw, at);
    for (const names of one.names ?? []) known.add(names.type, names.key, names.list(own));
    return [one.name, own] as const;
  });
  return Object.fromEntries(settings);
}

function schemaOf({ sources, sinks }: Sections): SchemaNode & object {
  const properties: Properties = {
    ...ABOUT_THE_HOST,
    sources: section('What is read. A source that is off opens nothing.', keysOf(sources)),
    ...ABOUT_INCIDENTS,
    ...keysOf(sinks),
    ...ABOUT_THE_LOG,
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: 'faultline/config/1',
    title: 'Faultline configuration',
    type: 'object',
    additionalProperties: false,
    properties,
  } as SchemaNode & object; // with what only JSON Schema knows
}

function keysOf(sections: readonly AnySection[]): Properties {
  const keys = sections.flatMap(({ schema }) => Object.entries(schema));
  const twice = keys.map(([key]) => key).find((key, i, all) => all.indexOf(key) !== i);
  if (twice !== undefined) throw new Error(`two sections of the configuration own the key ${twice}`);
  return Object.fromEntries(keys);
}
