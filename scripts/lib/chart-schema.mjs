// Writes what the Helm chart knows of the configuration: the schema of its values, from the chart's own keys and the
// configuration's schema, and the keys whose words on and off YAML of Helm turns into booleans. With --check it only compares.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema } from '../../src/daemon/config.ts';

const helm = join(import.meta.dirname, '../../deploy/helm');
/** Written in the values as text, and filled in by the daemon from its environment. */
const VARIABLE = '\\$\\{';
const KEPT = ['type', 'description', 'enum', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'required', 'additionalProperties']; // biome-ignore format: one line

const switches = new Set();
const booleans = new Set();

/** A section of the configuration as Helm's validator takes it. `key`: its name. */
export function forValues(node, key = '') {
  const kept = Object.fromEntries(Object.entries(node).filter(([name]) => KEPT.includes(name)));
  if (node.type === 'boolean') booleans.add(key);
  if (node.enum?.includes('on')) {
    switches.add(key);
    return { ...kept, type: ['string', 'boolean'], enum: [...node.enum, true, false] };
  }
  if (node.secret === true)
    return { ...kept, pattern: [VARIABLE, ...(node.harmless ?? []).map((word) => `^${word}$`)].join('|') };
  if (node.pattern !== undefined) kept.pattern = `${node.pattern}|${VARIABLE}`;
  if (node.properties !== undefined)
    kept.properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, one]) => [name, forValues(one, name)]),
    );
  if (node.items !== undefined) kept.items = forValues(node.items, key);
  return kept;
}

const schema = JSON.parse(readFileSync(join(helm, 'values-schema.json'), 'utf8'));
schema.properties.config = {
  ...forValues(configSchema),
  description: 'The configuration, as docs/reference/configuration.md has it.',
};
const both = [...switches].filter((name) => booleans.has(name));
if (both.length > 0)
  throw new Error(`${both} is on or off in one place and true or false in another: the chart cannot tell them apart`);

const files = {
  'values.schema.json': `${JSON.stringify(schema, null, 1)}\n`,
  'files/words.json': `${JSON.stringify([...switches].sort())}\n`,
};
for (const [name, text] of Object.entries(files)) {
  const path = join(helm, 'faultline', name);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`deploy/helm/faultline/${name} is not what its source says. Run: node scripts/lib/chart-schema.mjs`);
    process.exitCode = 1;
  }
}
