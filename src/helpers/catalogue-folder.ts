// Catalogues by folder: every JSON file of catalog/<folder>, so that one more of a kind is one more file and no code.
// scripts/lib/bundle.mjs puts the files themselves in the place of this module: the bundle reads no folder.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const CATALOG = join(import.meta.dirname, '..', '..', 'catalog');

/** What the files hold, by file name without ".json", in the order of the names. Throws with the name of a broken file. */
export function catalogueFolder(folder: string): ReadonlyMap<string, unknown> {
  const names = readdirSync(join(CATALOG, folder)).filter((name) => name.endsWith('.json'));
  return new Map(names.sort().map((name) => [basename(name, '.json'), parsed(join(CATALOG, folder, name))]));
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
