// Bench: what `faultline incidents` costs on a log of 100 MB and on an empty one, as a process: CPU and peak memory.
// Run: node bench/incidents-command.mjs [MB,... [ROUNDS]]   (default 100, 5; needs `npm run build`)

import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { eventLine, incidentLine } from '../src/incidents/log/incident-lines.ts';
import { RevisionLines } from '../src/incidents/log/revision-lines.ts';
import { smallIncident } from '../test/incidents/sample.ts';

const SIZES = (process.argv[2] ?? '100').split(',').map(Number);
const ROUNDS = Number(process.argv[3] ?? 5);
/** As a daemon writes an incident of some minutes: opened, revised, over. */
const REVISIONS = 4;
const PROGRAM = join(import.meta.dirname, '../dist/faultline.js');
const work = mkdtempSync(join(tmpdir(), 'fl-incidents-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** A log of incidents, each with its events and revisions, until it has so many bytes: `lineOf` gives the lines of a revision. */
async function logOf(folder, bytes, lineOf) {
  mkdirSync(folder);
  const stream = createWriteStream(join(folder, 'incidents.jsonl'));
  let written = 0;
  let count = 0;
  for (; written < bytes; count += 1) {
    for (let revision = 1; revision <= REVISIONS; revision += 1) {
      const incident = smallIncident(count, revision, revision === REVISIONS ? 'resolved' : 'open');
      const lines = revision === 1 ? incident.events.map((event) => eventLine(event, incident.host)) : [];
      const block = Buffer.concat([...lines, lineOf(incident)]);
      written += block.length;
      if (!stream.write(block)) await new Promise((resolve) => stream.once('drain', resolve));
    }
  }
  stream.end();
  await finished(stream);
  return { count };
}

/** Loaded before the program: says at its end what it took. */
const GAUGE = join(work, 'gauge.cjs');
writeFileSync(
  GAUGE,
  `process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.stderr.write('FIGURES ' + JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, mib: maxRSS / 1024 }));
  });`,
);

/** CPU seconds and peak MiB of one run. */
async function measured(folder) {
  const command = ['--require', GAUGE, PROGRAM, 'incidents', '--json', '--log-directory', folder];
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  const figures = /FIGURES (.*)/.exec(said)?.[1];
  if (status !== 0 || figures === undefined) throw new Error(`incidents ended with ${status}: ${said.slice(-500)}`);
  return JSON.parse(figures);
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const deltas = new RevisionLines();
const cases = [
  ['an empty log', 0, incidentLine],
  ...SIZES.flatMap((mb) => [
    [`a log of ${mb} MB`, mb * 1e6, incidentLine],
    // As a daemon writes them that has not begun a new file meanwhile.
    [`${mb} MB with deltas`, mb * 1e6, (incident) => deltas.line(incident)],
  ]),
];
for (const [name, bytes, lineOf] of cases) {
  const folder = join(work, name.replaceAll(' ', '-'));
  const { count } = await logOf(folder, bytes, lineOf);
  const runs = [];
  for (let round = 0; round < ROUNDS; round += 1) runs.push(await measured(folder));
  const cpu = median(runs.map((run) => run.cpu)).toFixed(2);
  const mib = median(runs.map((run) => run.mib)).toFixed(0);
  console.log(`${`incidents of ${name}, ${count} incidents`.padEnd(62)} ${cpu} s of CPU, ${mib} MiB`);
}
