// No line takes long, whatever is pumped into it: each example of the catalogues and of the reports, with a long row of blanks,
// letters or bars at each of its gaps and something behind that fits no pattern, so that every way to divide the row is tried.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { deviceLine } from '../../../src/detection/text/kernel/device-line.ts';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { reasonFinding } from '../../../src/detection/text/programs/node-reasons.ts';
import { bareFindings, PROGRAM_ROWS, programFindings } from '../../../src/detection/text/programs/program-rows.ts';
import { Reports } from '../../../src/detection/text/report/reports.ts';
import { runs } from '../../runs.ts';
import { kernelRecord } from './lines.ts';

const CATALOG = join(import.meta.dirname, '../../../catalog');
/** CPU of one line; none takes a tenth of it that is not tried in every way. */
const MOST_MS = 50;
const LENGTHS = [2040, 4090];
const PUMPS = [' ', 'a', '0', ': ', '| '];
const MOST_GAPS = runs(4, 8);
const REPORTS = [
  '1 | 10/12/2026 | 10:22:33 | Power Supply #0x63 | Power Supply AC lost | Asserted',
  '3 | Dec-09-2024 | 21:12:29 | PS2 Status | Power Supply | Critical | Power Supply Failure detected',
  '1 | Jan-01-2026 | 00:00:00 | a | b |',
  'NodeName=gx-004 State=DOWN Reason=Not responding [slurm@2026-11-28T12:00:24]',
  'gres/gpu count repor slurm     2026-11-28T12:00:24 gx-004',
  'PS1 Status       | C8h | ok  | 10.1 | Presence detected',
  'Fan1             | 0x00 | ok',
  'Sensor ID              : PS2 Status (0x64)',
];
const CONTEXT = kernelContext('node-3');
const READERS: Readonly<Record<string, (line: string) => unknown>> = {
  reports: (line) => {
    const reports = new Reports('node-3');
    reports.take('REASON               USER        TIMESTAMP           NODELIST');
    return reports.take(line);
  },
  programs: (line) => programFindings(line, 'node-3'),
  'programs without their name': (line) => bareFindings(line, 'node-3'),
  reasons: (line) => reasonFinding(line, 'node-3'),
  devices: (line) => deviceLine(line, CONTEXT),
  kernel: (line) => decodeKernelLine(kernelRecord(line), CONTEXT),
};

/** What the catalogues give as examples, wherever they have them. */
function examplesIn(value: unknown, key = ''): string[] {
  if (typeof value === 'string') return /^examples?$/.test(key) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => examplesIn(one, key));
  return value === null || typeof value !== 'object'
    ? []
    : Object.entries(value).flatMap(([name, one]) => examplesIn(one, name));
}

function examples(): readonly string[] {
  const files = readdirSync(CATALOG, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.json') && !name.startsWith('scenarios'),
  );
  const found = files.flatMap((name) => examplesIn(JSON.parse(readFileSync(join(CATALOG, name), 'utf8'))));
  const named = PROGRAM_ROWS.map(({ program, example }) => `${program}[812]: ${example}`);
  return [...new Set([...REPORTS, ...found, ...named])];
}

function* pumped(example: string): Generator<string> {
  const all = [...example.matchAll(/[\s|:=,([]|$/g)].map(({ index }) => index);
  const step = Math.ceil(all.length / MOST_GAPS);
  const gaps = all.filter((_, at) => at % step === 0 || at >= all.length - 2);
  for (const gap of gaps)
    for (const pump of PUMPS)
      for (const length of LENGTHS) {
        const room = Math.max(0, length - example.length - 1) / pump.length;
        // Alone, and behind a row of another kind.
        for (const row of [pump.repeat(room), ': '.repeat(22) + pump.repeat(Math.max(0, room - 44))])
          yield `${example.slice(0, gap)}${row}${example.slice(gap)}\u0001`.slice(0, 4096);
      }
}

/** The least of some, for the machine does other things, too. */
function cpuMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < 4 && least > MOST_MS; turn += 1) {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

for (const [name, read] of Object.entries(READERS))
  test(`no pumped line takes long: ${name}`, () => {
    const lines = examples();
    assert.ok(lines.length > 300);
    for (const example of lines)
      for (const line of pumped(example)) {
        const ms = cpuMs(() => read(line));
        assert.ok(ms <= MOST_MS, `${ms.toFixed(0)} ms: ${JSON.stringify(line.slice(0, 200))}…`);
      }
  });
