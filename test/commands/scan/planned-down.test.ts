// Planned down: what a shutdown or a command does to a port makes no fault of it; who may say so is held to what the kernel says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLANNED_ROWS, plannedLine } from '../../../src/detection/text/planned-line.ts';
import { scannedLogs } from './scanned.ts';

for (const { what, by, example, source } of PLANNED_ROWS)
  test(`${example.slice(0, 60)}: ${what}`, () => {
    assert.ok(source.length > 8);
    assert.equal(plannedLine(example, by === 'kernel')?.what, what);
    assert.equal(plannedLine(example, by !== 'kernel'), null);
  });

const at = (time: string, text: string): string => `Nov 28 ${time} hx-3 ${text}`;
const DOWN = at('04:00:01', 'kernel: ice 0000:41:00.1 ens1f1np1: NIC Link is Down');
const GOES = at('04:00:03', 'systemd-logind[901]: System is rebooting.');
const BOOT = at('04:09:00', 'kernel: Linux version 6.8.0-61-generic (buildd@x)');
const UP = at('04:09:30', 'kernel: ice 0000:41:00.1 ens1f1np1: NIC Link is Up 100 Gbps Full Duplex');

test('down with a shutdown, a start by the kernel, and up again: no incident', async (t) => {
  const text = await scannedLogs(t, { messages: [GOES, DOWN, BOOT, UP] });
  assert.match(text, /^No incident/m);
});

test('the kernel itself goes down right after its port: no incident', async (t) => {
  const text = await scannedLogs(t, { console: [DOWN, at('04:00:09', 'kernel: reboot: Restarting system')] });
  assert.match(text, /^No incident/m);
});

test('of a shutdown that only a program speaks of the port stays an incident, a warning that says so', async (t) => {
  for (const lines of [
    [DOWN, GOES],
    [DOWN, GOES, UP],
    [DOWN, GOES, BOOT],
  ]) {
    const text = await scannedLogs(t, { messages: lines });
    assert.match(text, /^INCIDENT \w+ +warning /m, text);
    assert.match(text, /NIC port down on hx-3 ens1f1np1, with a planned shutdown as systemd-logind says/);
    assert.match(text, /Do +see whether the shutdown of hx-3 was planned/);
  }
});

test('a start that only a program speaks of, and a shutdown hours away, say nothing of it', async (t) => {
  const forged = await scannedLogs(t, { messages: [DOWN, GOES, BOOT.replace('kernel:', 'logger[77]:'), UP] });
  assert.match(forged, /^INCIDENT \w+ +warning /m, forged);
  const later = await scannedLogs(t, {
    messages: [DOWN, GOES.replace('04:00', '04:40'), BOOT.replace('04:09', '04:49')],
  });
  assert.match(later, /^INCIDENT \w+ +error /m, later);
  const panic = await scannedLogs(t, {
    messages: [DOWN, at('04:00:02', 'kernel: Kernel panic - not syncing: Fatal exception'), GOES, BOOT, UP],
  });
  assert.doesNotMatch(panic, /planned/);
});

test('taken down by a command: a warning that asks who it was, and only of the port that it names', async (t) => {
  const sudo = at(
    '04:00:00',
    'sudo[812]:  ops : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/usr/sbin/ip link set ens1f1np1 down',
  );
  const text = await scannedLogs(t, { messages: [sudo, DOWN] });
  assert.match(text, /^INCIDENT \w+ +warning /m, text);
  assert.match(text, /Do +ask who took hx-3 ens1f1np1 down by hand, as sudo says; reseat nothing before/);
  const other = await scannedLogs(t, { messages: [sudo.replace('ens1f1np1', 'ens2f0np0'), DOWN] });
  assert.match(other, /^INCIDENT \w+ +error /m, other);
});

test('a port that a driver finds down as the host starts, and trains within two minutes, lost nothing', async (t) => {
  const start = [
    'Nov 30 10:23:20 gx-18 kernel: Linux version 5.15.0-122-generic (buildd@lcy02-amd64-034) #132-Ubuntu SMP Thu Aug 29 13:45:52 UTC 2024',
    'Nov 30 10:23:21 gx-18 kernel: mlx5_core 0000:1a:00.0 ens1f0np0: Link down',
  ];
  const up = 'Nov 30 10:23:28 gx-18 kernel: mlx5_core 0000:1a:00.0 ens1f0np0: Link up';
  assert.doesNotMatch(await scannedLogs(t, { syslog: [...start, up] }), /INCIDENT/);
  assert.match(await scannedLogs(t, { syslog: start }), /NIC port down on gx-18 ens1f0np0/);
});
