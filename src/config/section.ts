// Section: the keys of the configuration that one part of the program owns: their schema, and the settings they come to.

import type { ComponentType } from '../model/component.ts';
import type { Surroundings } from './directories.ts';
import type { Findings } from './findings.ts';
import type { Known, SchemaNode } from './schema-parts.ts';

/** YAML key → schema of its value. */
export type Properties = Readonly<Record<string, SchemaNode>>;

/** The values of the keys, validated and with defaults filled in, as users write them. */
export type RawOf<P extends Properties> = Known<P, never>;

/** What a section needs besides its own keys to come to its settings. */
export interface Resolving {
  /** Name of this host. */
  readonly host: string;
  readonly environment: Surroundings['environment'];
  /** Takes what is wrong or doubtful, by JSON pointer from the root of the configuration. */
  readonly findings: Findings;
  /** A path as written → absolute; a relative one counts from the folder of the configuration file. */
  absolute(path: string): string;
}

/** One component that a section makes known, so that the topology may name it. */
export interface NamedComponent {
  readonly id: string;
  /** Of a job: its ranks here and how many it has; left out where they are unknown. */
  readonly ranks?: readonly number[];
  readonly worldSize?: number | null;
}

/** Components of one type that a section makes known. */
export interface NameList<Settings> {
  readonly type: ComponentType;
  /** The key to add one under, for the hint: "Add it to sources.pdu". */
  readonly key: string;
  /** The health of a source that reads them has each by its id: one that is not there was configured since. */
  readonly inHealth?: true;
  list(settings: Settings): readonly NamedComponent[];
}

export interface Section<Name extends string, P extends Properties, Settings> {
  /** Key of the settings in the resolved configuration. */
  readonly name: Name;
  readonly schema: P;
  resolve(raw: RawOf<P>, at: Resolving): Settings;
  readonly names?: readonly NameList<Settings>[];
}

/** Any section, for what treats all of them alike. */
export interface AnySection {
  readonly name: string;
  readonly schema: Properties;
  resolve(raw: object, at: Resolving): unknown;
  readonly names?: readonly NameList<unknown>[];
}

/** The settings of a list of sections, by name. */
export type SettingsOf<L extends readonly AnySection[]> = {
  readonly [S in L[number] as S['name']]: ReturnType<S['resolve']>;
};

export function defineSection<const Name extends string, const P extends Properties, Settings>(
  section: Section<Name, P, Settings>,
): Section<Name, P, Settings> {
  return section;
}
