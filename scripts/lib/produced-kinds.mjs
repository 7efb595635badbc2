// Which kinds of events the product can give: those that a source, a detector or a decoder names.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS } from '../../src/model/kind.ts';

/** Sources, detection and what infers; the catalogue without the kinds themselves. */
const PLACES = ['src/sources', 'src/detection', 'src/correlation/inference', 'src/daemon', 'src/model', 'catalog'];
/** Lists of all kinds, and scenarios, which name without giving. */
const LISTS =
  /catalog\/(kinds|scenarios|patterns|decides)\b|kind-words|fold-policy|model\/(kind|family)\.ts|base-rates|reports\.json/;

/** `root`: of the repository. */
export function producedKinds(root) {
  const text = PLACES.flatMap((place) =>
    readdirSync(join(root, place), { recursive: true })
      .filter((name) => /\.(ts|json)$/.test(name))
      .map((name) => join(place, name))
      .filter((path) => !LISTS.test(path))
      .map((path) => readFileSync(join(root, path), 'utf8')),
  ).join('\n');
  return new Set(KINDS.filter((kind) => text.includes(`'${kind}'`) || text.includes(`"${kind}"`)));
}
