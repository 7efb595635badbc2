// Logs of power distribution units, and texts of which no line is known: what they are is said.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { notUnderstood } from '../../../src/commands/scan/not-understood.ts';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, name: string, lines: readonly string[], ...more: string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines }, ...more);

test('APC: an overload of a bank, and an outlet that no user turned off, each of its part', async (t) => {
  const text = await scanned(t, 'apc.log', [
    'Nov 30 02:10:00 pdu-b3 rPDU: Bank 1: overload alarm. 0x0F01',
    'Nov 30 02:10:01 pdu-b3 rPDU: Phase L1: near overload warning. 0x0F02',
    'Nov 30 02:40:00 pdu-b3 rPDU: Outlet #4 turned off. 0x0F10',
    'Nov 30 02:50:00 pdu-b3 rPDU: Outlet #9 turned off by user apc via web. 0x0F10',
  ]);
  assert.match(text, /Root cause {2}Unconfirmed: branch, UPS or supplies near or over the rating on pdu-b3 branch 1\n/);
  assert.match(text, /Root cause {2}Unconfirmed: outlet switched off on pdu-b3 outlet 4\n/);
  assert.doesNotMatch(text, /outlet 9 /);
  // No user of a host writes it.
  assert.match(
    text,
    /Confirm +only that log says it, and whoever may send or write lines to it could have written them; would be confirmed by: a reading/,
  );
  assert.doesNotMatch(text, /user of the host/);
});

test('Raritan: the breaker that opened after an overload is one incident of that breaker', async (t) => {
  const text = await scanned(t, 'px.log', [
    "Nov 30 02:10:00 pdu-b4 PDU: Sensor 'RMS Current' on overcurrent protector 'C1' asserted 'above upper critical' at 15.7 A.",
    "Nov 30 02:11:00 pdu-b4 PDU: Sensor 'Trip' on overcurrent protector 'C1' turned to 'open'.",
  ]);
  assert.match(text, /\n1 incident out of 2 events/);
  assert.match(text, /on pdu-b4 branch C1\n/);
});

test('an overload of a phase, of its bank and the breaker that opens are one, and the breaker is what is closed again', async (t) => {
  const text = await scanned(t, 'rack.log', [
    'Nov 30 04:00:00 rpdu-d2 PowerNet: rPDU2: Phase L3: near overload warning.',
    'Nov 30 04:01:10 rpdu-d2 PowerNet: rPDU2: Bank 5 overload alarm.',
    'Nov 30 04:01:30 rpdu-d2 PowerNet: rPDU2: Circuit breaker of bank 5 tripped.',
  ]);
  assert.match(text, /\n1 incident out of 3 events/);
  assert.match(text, /Root cause {2}Unconfirmed: .* on rpdu-d2 phase L3\n/);
  assert.match(text, /Do +take load off rpdu-d2 branch 5, whose breaker has opened, then have it closed/);
  assert.match(text, /Call +the facility: who runs the power of the site\n/);
});

test('what no line of is known is said with what it looks like, in the text and in the document', async (t) => {
  const lines = [
    '2026-11-30T02:10:00.100000+00:00 b5 [EVENT] Outlet 7 relay alarm, contact worn.',
    '2026-11-30T02:10:01.100000+00:00 b5 [EVENT] Breaker B door alarm.',
  ];
  const text = await scanned(t, 'pdu.log', lines);
  assert.match(
    text,
    /\nNo incident: nothing that is known\.\nNot understood: pdu\.log: it looks like the log of a power distribution unit; 2 of 2 lines /,
  );
  const { inputs } = JSON.parse(await scanned(t, 'pdu.log', lines, '--json')) as {
    inputs: { not_understood?: string }[];
  };
  assert.match(inputs[0]?.not_understood ?? '', /power distribution unit/);
});

test('a log of a switch, of a filer, of a program that is not known, and a table with other columns', () => {
  for (const [text, looks] of [
    ["Nov 30 07:00:00 pdu-c1 Sentry3_51: EVENT: Infeed 'A1' load status is 'Over Load'", /a power distribution unit/],
    ["[2026-11-30T04:00:00.100] error: mysql_real_connect failed: 2002 Can't connect", /a scheduler's database daemon/],
    ['Nov 30 08:58:00 leaf-3 mlnxos: Port 1/12 link down, reason: No light', /a network switch/],
    ['Nov 30 08:57:00 nas-2 [nas-2: raid_disk_fail: raid.config.disk.failed:error]: Disk 0a.00.11 failed.', /ONTAP/],
    [
      '2026-11-30 acmed: flux capacitor failed\n2026-11-30 acmed: retry',
      /none of its lines is known; 1 of 2 lines speak of a fault/,
    ],
    ['ENCLOSURE SLOT HEALTH\n1 4 OK\n1 5 GONE', /a table of a tool; its columns are ENCLOSURE, SLOT, HEALTH/],
  ] as const)
    assert.match(notUnderstood(text) ?? '', looks);
});

test('an ordinary text is not said to be unknown', async (t) => {
  for (const text of [
    'starting\nloading data\nepoch 1 done\nsaved\n',
    'checked 12 files\nno errors found\n0 failures\n',
    'Nov 30 08:00:00 gx-1 kernel: EXT4-fs error count since last fsck: 1\nNov 30 08:00:01 gx-1 kernel: usb 1-1: device descriptor read error\n',
    '',
  ])
    assert.equal(notUnderstood(text), null, text);
  assert.doesNotMatch(await scanned(t, 'x.log', ['all is well', 'still is']), /Not understood/);
});
