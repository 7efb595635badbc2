// Plays scenario files of any folder, one seed unless options say more, and prints what was answered to each.

import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../src/config/config-error.ts';
import { answerLines, unmerged } from '../../src/simulator/corpus/answer-lines.ts';
import { examine } from '../../src/simulator/corpus/measure.ts';
import { scenariosOf } from '../../src/simulator/corpus/scenario-family.ts';

const options = {
  seed: { type: 'string' },
  seeds: { type: 'string' },
  only: { type: 'string' },
  quiet: { type: 'boolean' },
  json: { type: 'string' },
};
const { values, positionals } = parseArgs({ options, allowPositionals: true });
if (positionals.length === 0) fail('no file and no folder is given: scripts/play-scenarios FILE|FOLDER...');
const seeds = values.seeds === undefined ? [whole(values.seed ?? '0')] : Array.from({ length: whole(values.seeds) }, (_, i) => i); // biome-ignore format: one choice

const files = positionals.flatMap(filesOf);
if (files.length === 0) fail(`no *.yaml or *.yml in ${positionals.join(', ')}`);
let wrong = 0;
let bad = 0;
const played = [];
for (const file of files) {
  for (const scenario of loaded(file)) {
    if (![undefined, scenario.name, scenario.family].includes(values.only)) continue;
    for (const seed of seeds) {
      const { run, incidents } = await examine(scenario, seed);
      if (!run.right) wrong += 1;
      played.push({ file, ...run, incidents: unmerged(incidents) });
      if (!run.right || values.quiet !== true) process.stdout.write(`${answerLines(run, incidents).join('\n')}\n`);
    }
  }
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(played));
process.stdout.write(
  `${played.length - wrong} of ${played.length} right${bad === 0 ? '' : `; ${bad} files with mistakes`}\n`,
);
process.exitCode = wrong + bad > 0 ? 1 : 0;

/** The scenarios of a file; its mistakes are printed, and the other files are played all the same. */
function loaded(file) {
  try {
    return scenariosOf(file);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    bad += 1;
    process.stdout.write(`MISTAKE in ${file}\n${error.message.replaceAll(/^/gm, '       ')}\n`);
    return [];
  }
}

function filesOf(path) {
  try {
    if (!statSync(path).isDirectory()) return [path];
    const names = readdirSync(path, { recursive: true }).filter((name) => /\.ya?ml$/.test(name));
    return names.sort().map((name) => join(path, name));
  } catch (error) {
    return fail(`${path} cannot be read: ${error.code}`);
  }
}

function whole(text) {
  return /^\d{1,9}$/.test(text) ? Number(text) : fail(`${text} is not a valid seed or number of seeds: a whole number`);
}

function fail(text) {
  process.stderr.write(`play-scenarios: ${text}\n`);
  process.exit(2);
}
