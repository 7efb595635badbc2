// Measures how often known messages are read behind each carrier, and raises what the test asks for: no share ever falls.
// usage: node scripts/lib/carrier-matrix.mjs [--write] [--missed]   (about a minute)

import { readFileSync, writeFileSync } from 'node:fs';
import { measure } from '../../test/commands/scan/carriers/measure.ts';

const FLOORS = new URL('../../test/commands/scan/carriers/matrix.json', import.meta.url);
/** What the test measures by default, and in its long form. */
const MOST = [6, Number.POSITIVE_INFINITY];

const measured = [];
for (const most of MOST) measured.push(await measure(most));
const held = JSON.parse(readFileSync(FLOORS, 'utf8'));
const [{ matrix }] = measured;
const raised = Object.fromEntries(
  Object.entries(matrix).map(([carrier, families]) => [
    carrier,
    Object.fromEntries(
      Object.keys(families).map((family) => {
        const least = Math.min(...measured.map((each) => each.matrix[carrier][family]));
        return [family, Math.max(least, held[carrier]?.[family] ?? 0)];
      }),
    ),
  ]),
);
const all = measured.at(-1);
for (const [carrier, families] of Object.entries(all.matrix)) {
  const shares = Object.values(families);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  process.stdout.write(`${mean.toFixed(0).padStart(4)} %  ${carrier}: ${shares.join(' ')}\n`);
}
if (process.argv.includes('--missed')) for (const each of all.missed) process.stdout.write(`${JSON.stringify(each)}\n`);
if (process.argv.includes('--write')) writeFileSync(FLOORS, `${JSON.stringify(raised, null, 2)}\n`);
