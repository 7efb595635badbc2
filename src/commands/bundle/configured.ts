// Configured: the configuration as far as it can be read, and the values that it keeps secret, which are looked for everywhere.

import type { SchemaNode } from '../../config/schema-parts.ts';
import { configSchema, type LoadedConfig, readConfig } from '../../daemon/config.ts';
import { errorText } from '../../helpers/error-text.ts';
import { isSecretName } from '../../incidents/bundle/secrets.ts';

const DEEPEST = 12;

export async function readConfiguration(
  path: string | undefined,
): Promise<{ readonly config: LoadedConfig | null; readonly trouble: string | null }> {
  try {
    return { config: await readConfig(path), trouble: null };
  } catch (error) {
    return { config: null, trouble: errorText(error) };
  }
}

/** Those written in the file or a variable, and those that were read from files. */
export function configuredSecrets({ raw, config }: LoadedConfig): readonly string[] {
  const secrets: string[] = [];
  marked(raw, configSchema, secrets);
  named(config, '', 0, secrets);
  return secrets;
}

function marked(value: unknown, node: SchemaNode | undefined, into: string[]): void {
  if (node === undefined) return;
  if (node.secret === true && typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const each of value) marked(each, node.items, into);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) marked(inner, node.properties?.[key], into);
}

/** What sources and sinks made of it holds the contents of secret files. */
function named(value: unknown, name: string, depth: number, into: string[]): void {
  if (typeof value === 'string') {
    if (isSecretName(name)) into.push(value);
  } else if (typeof value === 'object' && value !== null && depth < DEEPEST) {
    for (const [key, inner] of Object.entries(value)) named(inner, Array.isArray(value) ? name : key, depth + 1, into);
  }
}
