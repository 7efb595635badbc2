// The configuration in force as YAML or JSON, in the form that people write, with every secret left out.

import { stringify } from 'yaml';
import { REDACTED, redactUrls } from '../model/redact.ts';
import type { BaseConfig } from './base.ts';
import type { LoadedConfig } from './load-config.ts';
import type { SchemaNode } from './schema-parts.ts';

type Printable = Pick<
  LoadedConfig<Pick<BaseConfig, 'host' | 'directories'> & { readonly file: string | null }>,
  'config' | 'raw'
>;

/** The filled-in configuration as a plain object; secrets read "(redacted)". */
export function redactedConfig({ config, raw }: Printable, schema: SchemaNode): object {
  const { host: _, ...shown } = redact(raw, schema) as Record<string, unknown>; // an object goes in, an object comes out
  const directories = Object.entries(config.directories).map(([name, path]) => [name, redactUrls(path)]);
  return { host: config.host, ...shown, directories: Object.fromEntries(directories) };
}

function redact(value: unknown, node: SchemaNode): unknown {
  if (node.secret === true) return REDACTED;
  if (Array.isArray(value)) {
    const { items } = node;
    return items === undefined ? value : value.map((item) => redact(item, items));
  }
  const { properties } = node;
  if (typeof value === 'string') return redactUrls(value);
  if (typeof value !== 'object' || value === null || properties === undefined) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const child = properties[key];
      return [key, child === undefined ? inner : redact(inner, child)];
    }),
  );
}

export function printConfig(loaded: Printable, schema: SchemaNode): string {
  const from = loaded.config.file === null ? 'built-in defaults' : loaded.config.file;
  return `# in force, from ${from}\n${stringify(redactedConfig(loaded, schema), { lineWidth: 0 })}`;
}
