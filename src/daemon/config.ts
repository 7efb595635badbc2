// The configuration of the whole program: the base, and a section of each source and sink that it has.

import type { CheckTree } from '../config/check-tree.ts';
import { type ConfigOf, compose } from '../config/compose.ts';
import type { Surroundings } from '../config/directories.ts';
import * as loading from '../config/load-config.ts';
import type { SchemaNode } from '../config/schema-parts.ts';
import { USER_RULES } from '../detection/user-rules/index.ts';
import { checkSilenceLabels } from '../sinks/message/silence-labels.ts';
import { SINKS } from '../sinks/registry.ts';
import { SOURCES } from '../sources/registry.ts';

const sections = { sources: SOURCES, sinks: [USER_RULES, ...SINKS] } as const;
const parts = compose(sections);
/** With what only the whole can be held against: which labels incidents have depends on the sinks. */
const composed: typeof parts = {
  schema: parts.schema,
  resolve(raw, file, surroundings, findings) {
    checkSilenceLabels(raw, findings);
    return parts.resolve(raw, file, surroundings, findings);
  },
};

export type Config = ConfigOf<typeof sections>;
export type LoadedConfig = loading.LoadedConfig<Config>;

/** The JSON Schema (draft 7) that `config schema` prints. */
export const configSchema: SchemaNode & object = composed.schema;

/** The configuration in force; see `loading.loadConfig`. */
export function loadConfig(path?: string, surroundings?: Surroundings): Promise<Config> {
  return loading.loadConfig(composed, path, surroundings);
}

/** See `loading.loadConfigIfAllowed`. */
export function loadConfigIfAllowed(
  path?: string,
  surroundings?: Surroundings,
  standardFile?: string,
): Promise<{ readonly config: Config; readonly note: string | null }> {
  return loading.loadConfigIfAllowed(composed, path, surroundings, standardFile);
}

/** See `loading.readConfig`. */
export function readConfig(path?: string, surroundings?: Surroundings, check?: CheckTree): Promise<LoadedConfig> {
  return loading.readConfig(composed, path, surroundings, check);
}

/** See `loading.checkConfig`. */
export function checkConfig(
  text: string,
  file: string | null,
  surroundings: Surroundings,
  check?: CheckTree,
): Promise<LoadedConfig> {
  return loading.checkConfig(composed, text, file, surroundings, check);
}
