// Splits the OpenAPI description of Kubernetes' API into one JSON Schema for each kind, as kubeconform looks for them, so that
// it needs no network. Strict: a key that is not known is an error, as for the server with fieldValidation=Strict.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [source, folder] = process.argv.slice(2);
if (source === undefined || folder === undefined) throw new Error('usage: api-schemas.mjs SWAGGER FOLDER');
const { definitions } = JSON.parse(readFileSync(source, 'utf8'));
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';

function strict(node, needed) {
  if (Array.isArray(node)) return node.map((one) => strict(one, needed));
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.fromEntries(Object.entries(node).filter(([key]) => !key.startsWith('x-kubernetes')).map(([key, one]) => [key, strict(one, needed)])); // biome-ignore format: one line
  if (typeof node.$ref === 'string') needed.add(node.$ref.slice('#/definitions/'.length));
  if (node.properties !== undefined && node.additionalProperties === undefined && typeof node.properties === 'object')
    kept.additionalProperties = false;
  return kept;
}

/** A definition with all that it refers to. */
function whole(name) {
  const all = {};
  const open = [name];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (all[next] !== undefined) continue;
    const needed = new Set();
    const number =
      next === INT_OR_STRING || next.endsWith('.Quantity') ? { type: ['string', 'integer', 'number'] } : null;
    all[next] = number ?? strict(definitions[next], needed);
    open.push(...needed);
  }
  return all;
}

mkdirSync(folder, { recursive: true });
for (const [name, definition] of Object.entries(definitions)) {
  for (const { group, kind, version } of definition['x-kubernetes-group-version-kind'] ?? []) {
    if (!['', 'apps', 'rbac.authorization.k8s.io', 'networking.k8s.io'].includes(group) || version !== 'v1') continue;
    const file = [kind, group.split('.')[0], version]
      .filter((part) => part !== '')
      .join('-')
      .toLowerCase();
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...strict(definition, new Set()),
      definitions: whole(name),
    };
    writeFileSync(join(folder, `${file}.json`), JSON.stringify(schema));
  }
}
