// The guide's table of what is lost without each right: every right of the units has a row, and doctor speaks of what the row says.
// rights.slow.ts holds the table to the running service.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationRoot, type ReaderState } from '../../src/native.ts';
import { lostSteps } from '../../src/sources/processes/rights.ts';
import { rightsTable } from './rights-table.ts';

const capabilitiesOf = (unit: string) => {
  const text = readFileSync(join(installationRoot(), 'systemd', unit), 'utf8');
  return [...text.matchAll(/^AmbientCapabilities=(.+)$/gm)].map((match) => match[1] ?? '');
};

test('each capability of the two units has a row, and so have the kernel log, the reader and all of them', () => {
  const rows = rightsTable(true).map(({ without }) => without);
  for (const each of capabilitiesOf('faultline.service')) assert.ok(rows.includes(`\`${each}\``), each);
  for (const each of capabilitiesOf('faultline-environ@.service'))
    assert.ok(rows.includes(`the reader's \`${each}\``), each);
  for (const each of ['nothing', 'the reader (`faultline-environ.socket`)', 'all of these'])
    assert.ok(rows.includes(each), each);
});

test('what no right is for stays without all of them, and each other column is lost in some row', () => {
  for (const isNew of [true, false]) {
    const rows = rightsTable(isNew);
    const bare = rows.find(({ without }) => without === 'all of these')?.there ?? {};
    assert.deepEqual(Object.keys(bare).filter((column) => bare[column]), ['jobs by control group']); // biome-ignore format: one line
    for (const column of Object.keys(bare))
      assert.ok(
        rows.some(({ there }) => there[column]),
        column,
      );
  }
});

test('doctor names the steps that a row says are lost, and no other', () => {
  const DAC = 1n << 2n;
  const TRACE = 1n << 19n;
  /** Row → capabilities of the daemon, what the reader is then, and whether it sees open files. */
  const cases: readonly [string, bigint, ReaderState, boolean?][] = [
    ['nothing', DAC, 'perfmon', true],
    ['`CAP_DAC_READ_SEARCH`', 0n, 'perfmon', true],
    ['the reader (`faultline-environ.socket`)', DAC, 'absent'],
    ["the reader's `CAP_DAC_READ_SEARCH`", DAC, 'powerless'],
    ["the reader's `CAP_PERFMON`", DAC, 'ptrace', true],
    ["the reader's `CAP_SYS_PTRACE`", DAC, 'perfmon'],
    ["the reader's `CAP_PERFMON` and `CAP_SYS_PTRACE`", DAC, 'powerless'],
    ['all of these', 0n, 'powerless'],
    ['nothing, and the daemon is given `CAP_SYS_PTRACE`', DAC | TRACE, 'unasked'],
  ];
  for (const [without, effective, state, listsFiles = false] of cases) {
    const there = rightsTable(true).find((row) => row.without === without)?.there ?? assert.fail(without);
    const ranks = there['ranks by variables'] ?? assert.fail('no such column');
    const lines = lostSteps({
      effective,
      closed: ranks ? 0 : 2,
      hidepid: null,
      shutIn: false,
      reader: { state, shutOff: false, listsFiles },
    });
    const lost = (start: string) => lines.some((line) => line.startsWith(start));
    assert.equal(lost('environment of'), !ranks, without);
    assert.equal(lost('libraries that'), !there['framework by libraries'], without);
    assert.equal(lost('files that'), !there['outputs by open files'], without);
  }
});
