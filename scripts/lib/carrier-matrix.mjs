// Measures how often known messages are read behind each carrier, and raises what the test asks for: no share falls but by --again.
// usage: node scripts/lib/carrier-matrix.mjs [--write [--again]] [--missed] [--short]   (two minutes of CPU, --short ten seconds)

import { readFileSync, writeFileSync } from 'node:fs';
import { FEWEST, measure } from '../../test/commands/scan/carriers/measure.ts';

const FLOORS = new URL('../../test/commands/scan/carriers/matrix.json', import.meta.url);
const asked = (option) => process.argv.includes(option);
/** What the test measures by default, and in its long form. */
const measured = [];
for (const most of asked('--short') ? [FEWEST] : [FEWEST, Number.POSITIVE_INFINITY]) measured.push(await measure(most));

const held = asked('--again') ? { cells: {}, overall: {} } : JSON.parse(readFileSync(FLOORS, 'utf8'));
const least = (read) => Math.min(...measured.map(read));
const carriers = Object.keys(measured[0].matrix);
const cells = Object.fromEntries(
  carriers.map((carrier) => {
    const families = Object.keys(measured[0].matrix[carrier]);
    const raised = (family) =>
      Math.max(
        least(({ matrix }) => matrix[carrier][family]),
        held.cells[carrier]?.[family] ?? 0,
      );
    return [carrier, Object.fromEntries(families.map((family) => [family, raised(family)]))];
  }),
);
const overall = Object.fromEntries(
  carriers.map((carrier) => [
    carrier,
    Math.max(Math.floor(least((each) => each.overall[carrier])), held.overall[carrier] ?? 0),
  ]),
);
const all = measured.at(-1);
for (const carrier of carriers)
  process.stdout.write(
    `${all.overall[carrier].toFixed(0).padStart(4)} %  ${carrier}: ${Object.values(all.matrix[carrier]).join(' ')}\n`,
  );
const mean = carriers.reduce((sum, carrier) => sum + all.overall[carrier], 0) / carriers.length;
process.stdout.write(`${mean.toFixed(1)} % of all\n`);
if (asked('--missed')) for (const each of all.missed) process.stdout.write(`${JSON.stringify(each)}\n`);
if (asked('--write')) writeFileSync(FLOORS, `${JSON.stringify({ cells, overall }, null, 2)}\n`);
