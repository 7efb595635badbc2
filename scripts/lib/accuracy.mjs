// Measures accuracy over the corpus and writes docs/accuracy.md; `--pin` writes only what test/corpus compares with,
// `--fit` only catalog/calibration.json, `--first-contact FILE --engine REVISION` only the record of claims of first contact.
// With `--scenarios DIR` it plays that folder instead and prints the page: what is kept here stays as it is.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CATALOGUE_VERSION } from '../../src/model/family.ts';
import { installationRoot } from '../../src/native.ts';
import { accuracyPage } from '../../src/simulator/corpus/accuracy-page.ts';
import { answersTo } from '../../src/simulator/corpus/coincidences.ts';
import { firstContactLead, firstContactRounds } from '../../src/simulator/corpus/first-contact.ts';
import { claimRounds, withRound } from '../../src/simulator/corpus/first-contact-claims.ts';
import { fit } from '../../src/simulator/corpus/fit-calibration.ts';
import { measure } from '../../src/simulator/corpus/measure.ts';
import { pinned, pinnedSeed } from '../../src/simulator/corpus/pinned.ts';
import { corpus } from '../../src/simulator/corpus/scenario-family.ts';
import { producedKinds } from './produced-kinds.mjs';

const options = {
  seeds: { type: 'string' },
  only: { type: 'string' },
  pin: { type: 'boolean' },
  fit: { type: 'boolean' },
  'first-contact': { type: 'string' },
  engine: { type: 'string' },
  json: { type: 'string' },
  scenarios: { type: 'string' },
};
const { values } = parseArgs({ options });
const seeds = Math.max(2, Number(values.seeds ?? 10));
const root = installationRoot();
const kept = values['first-contact'];
if (kept !== undefined) keepFirstContact(JSON.parse(readFileSync(kept, 'utf8')));
if (values.fit) writeCalibration((await answersTo('drawn')).flatMap(({ claims }) => claims));
if (values.fit || kept !== undefined) process.exit(0);
const scenarios = corpus(values.scenarios).filter(({ name, family }) =>
  [undefined, name, family].includes(values.only),
);

const startedMs = performance.now();
const runs = [];
for (const [i, scenario] of scenarios.entries()) {
  const wanted = values.pin ? [pinnedSeed(i)] : Array.from({ length: seeds }, (_, seed) => seed);
  for (const seed of wanted) {
    const run = await measure(scenario, seed);
    if (values.only !== undefined || process.stderr.isTTY)
      process.stderr.write(`${run.family}/${run.name} ${seed}: ${run.right ? 'right' : run.problems.join('; ')}\n`);
    runs.push(run);
  }
}
const speed = runs.reduce((sum, { simulatedMs }) => sum + simulatedMs, 0) / (performance.now() - startedMs);
process.stderr.write(`${runs.length} runs, ${Math.round(speed)} times as fast as life\n`);
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(runs));
if (values.scenarios !== undefined) {
  process.stdout.write(accuracyPage(scenarios, runs, CATALOGUE_VERSION));
} else if (values.only === undefined) {
  const seedOf = new Map(scenarios.map(({ name }, i) => [name, pinnedSeed(i)]));
  const isPinned = ({ name, seed }) => seedOf.get(name) === seed;
  const pins = join(root, 'test', 'corpus', 'pinned.json');
  writeFileSync(pins, `${JSON.stringify(pinned(runs.filter(isPinned)), null, 2)}\n`);
  if (!values.pin) {
    const page = accuracyPage(scenarios, runs, CATALOGUE_VERSION, {
      firstContact: { lead: firstContactLead(), rounds: firstContactRounds() },
      produced: producedKinds(root),
      coincidences: { written: await answersTo('written'), drawn: await answersTo('drawn') },
    });
    writeFileSync(join(root, 'docs', 'accuracy.md'), page);
  }
}

/** Nothing of the corpus is played for a fit: what was fixed is right there, and says nothing of what is unseen. */
function writeCalibration(coincidences) {
  const rounds = claimRounds();
  const claims = rounds.flatMap((round) => round.claims);
  const made = `scripts/accuracy --fit, on ${claims.length} claims of first contact in ${rounds.length} rounds and the coincidences that the rows of causes suggest`;
  const map = { version: CATALOGUE_VERSION, made, ...fit([...claims, ...coincidences]) };
  writeFileSync(join(root, 'catalog', 'calibration.json'), `${JSON.stringify(map, null, 2)}\n`);
}

/** `played`: what scripts/play-scenarios --json wrote of a new round. */
function keepFirstContact(played) {
  const claims = played.flatMap((run) => run.claims);
  const round = { date: new Date().toISOString().slice(0, 10), engine: values.engine ?? 'not named', claims };
  writeFileSync(join(root, 'catalog', 'scenarios', 'first-contact-claims.json'), withRound(round));
}
