// By words: where no rule reads anything, the line that most likely reports a fault is an incident that says it is a guess.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultline } from '../run-cli.ts';
import { scannedLogs } from './scanned.ts';

interface Found {
  readonly incidents: readonly {
    readonly severity: string;
    readonly confidence: number;
    readonly root: { readonly kind: string };
    readonly confidence_parts: readonly { readonly code: string }[];
  }[];
}

const QUIET = 'frobd: all 12 shelves answer';

async function found(t: Parameters<typeof scannedLogs>[0], lines: readonly string[]): Promise<Found> {
  return JSON.parse(await scannedLogs(t, { 'frobd.txt': lines }, '--json')) as Found;
}

for (const [line, kind] of [
  ['frobd: shelf 3: physical drive 7 faulted, taken out of pool tank', 'storage.io_error'],
  ['frobd: uplink xq7 of shelf 3 went down', 'nic.port_down'],
  ['frobd: power supply 2 of shelf 3 not ok', 'psu.failure'],
  ['frobd: FATAL: could not connect to shelf 3 on 10.0.0.7', 'net.connection_reset'],
  ['frobd: volume scratch: no free space', 'host.disk_full'],
] as const)
  test(`${kind} by words alone: unconfirmed, and at most half sure`, async (t) => {
    const { incidents } = await found(t, [QUIET, line, QUIET]);
    assert.deepEqual(incidents.map(({ root, severity }) => [root.kind, severity]), [[kind, 'warning']]); // biome-ignore format: one line
    const [incident] = incidents;
    assert.ok((incident?.confidence ?? 1) <= 0.5, `${incident?.confidence}`);
    assert.ok(incident?.confidence_parts.some(({ code }) => code === 'by_words'));
  });

for (const [what, lines] of [
  ['a level below error', ['frobd: INFO: physical drive 7 failed over as planned']],
  ['a count of none', ['No drive errors.', 'No PCIe AER errors.', 'failed: 0']],
  ['what could come of something', ['frobd: shelves share a key, which could result in errors of drives or', 'frobd: that could lead to a drive failure.']], // biome-ignore format: one line
  ['a row of a table', ["281 | PSU 1 Failure | Power Supply | N/A | N/A | 'transition to OK'"]],
  ['what is tried again', ['frobd: physical drive 7 failed, retrying']],
  ['what is over', ['frobd: physical drive 7 faulted', 'frobd: physical drive 7 back online']],
  ['a line of the kernel that no row knows', ['[ 12.345678] frob: physical drive 7 faulted in probe']],
  ['one line in a log of many', [...Array.from({ length: 60 }, () => QUIET), 'frobd: physical drive 7 faulted']],
] as const)
  test(`no guess: ${what}`, async (t) => {
    assert.deepEqual((await found(t, lines)).incidents, []);
  });

test('a guess changes no part', async (t) => {
  const text = await scannedLogs(t, { 'frobd.txt': ['frobd: FATAL: worker process 7 died'] });
  assert.match(text, /Do +see whether it is so: no rule knows the line below/);
  assert.match(text, /Now +look at .*; change nothing before/);
  assert.match(text, /Call +who runs what wrote the line/);
  assert.doesNotMatch(text, /debug|can stay in service|replace|reboot/);
});

test('no guess besides what a rule found in another text', async (t) => {
  const logs = {
    'frobd.txt': ['frobd: physical drive 7 faulted'],
    'gx-7.dmesg': ['[  812.345678] NVRM: Xid (PCI:0000:3b:00): 79, pid=812, GPU has fallen off the bus.'],
  };
  const { incidents } = JSON.parse(await scannedLogs(t, logs, '--json')) as Found;
  assert.deepEqual(incidents.map(({ root }) => root.kind), ['gpu.lost']); // biome-ignore format: one line
});

test('a guess is not judged: --fail-on fails whatever severity it asks for', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-words-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'frobd.txt');
  writeFileSync(path, 'frobd: physical drive 7 faulted\n');
  const { status } = await faultline(['scan', '--fail-on', 'critical', path]);
  assert.equal(status, 1);
});
