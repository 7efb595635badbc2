// Kept corpus: the scenarios of the corpus, whose YAML is read once by all processes of a test run: 3 MB of it take seconds, and nine
// files of tests need it. What was read lies as JSON next to what Node keeps of compiled sources, by the hash of its text.

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { installationRoot } from '../../src/native.ts';
import { type CorpusScenario, corpus, type ReadYaml, readYaml } from '../../src/simulator/corpus/scenario-family.ts';
import { scenarioFolder } from '../../src/simulator/scenario/validate.ts';

const KEPT = join(installationRoot(), 'node_modules/.cache/faultline-corpus');
const FOLDER = join(scenarioFolder(), 'corpus');
/** Another reader may read another thing. */
const READER = readFileSync(join(installationRoot(), 'node_modules/yaml/package.json'), 'utf8');

/** As `corpus`. `part` of `parts` that begin together: each first reads what is its own, so that none of it is read by all. */
export function keptCorpus(part = 0, parts = 1): CorpusScenario[] {
  mkdirSync(KEPT, { recursive: true });
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml')).sort(); // biome-ignore format: one chain
  const from = Math.floor((files.length * part) / parts);
  for (const name of [...files.slice(from), ...files.slice(0, from)])
    kept(readFileSync(join(FOLDER, name), 'utf8'), join(FOLDER, name));
  return corpus(FOLDER, kept);
}

const read = new Map<string, unknown>();

const kept: ReadYaml = (text, file) => {
  const key = createHash('sha256').update(READER).update(text).digest('hex');
  const known = read.get(key) ?? fromDisk(key) ?? toDisk(key, readYaml(text, file));
  read.set(key, known);
  return known;
};

function fromDisk(key: string): unknown {
  try {
    return JSON.parse(readFileSync(join(KEPT, key), 'utf8'));
  } catch {
    return undefined;
  }
}

function toDisk(key: string, value: unknown): unknown {
  const text = JSON.stringify(value);
  // What JSON cannot say is read from the YAML each time.
  if (!isDeepStrictEqual(JSON.parse(text), value)) return value;
  const path = join(KEPT, key);
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
  return value;
}
