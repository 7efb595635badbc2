// Append for ever: the program that the kill test runs and kills; tells on stdout what the log said is on disk.

import { IncidentLog } from '../../../src/incidents/log/incident-log.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import { smallIncident } from '../sample.ts';

const [directory = '', first = '0'] = process.argv.slice(2);
const { openIncidents } = await recover(directory);
const caps = { maxBytes: 40_000, maxFiles: 10_000, maxAgeMs: 86_400_000 };
const log = new IncidentLog({
  directory,
  ...caps,
  restored: openIncidents,
  onTrouble: (code) => process.stdout.write(`${code}\n`),
});
for (let number = Number(first); ; number += 1) {
  const pair = [smallIncident(number), smallIncident(number, 2, number % 3 === 0 ? 'open' : 'resolved')];
  const answers = await Promise.all(pair.map((incident) => log.append(incident)));
  for (const { id, revision, log: state } of answers) process.stdout.write(`${id} ${revision} ${state}\n`);
}
