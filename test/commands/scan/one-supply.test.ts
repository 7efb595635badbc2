// What a scan says of one supply of a host: its input is gone, which makes it dead as well, its input is back, or it alone is broken.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines }, '--host', 'hx-07');

const sel = (id: number, time: string, what: string): string => `${id} | 11/30/2026 | ${time} | ${what} | Asserted`;
const LOST = 'Power Supply PS2 Status | Power Supply AC lost';
const FAILED = 'Power Supply PS2 Status | Failure detected';

test('a supply that its BMC calls failed and without input is one incident: the cord first, and no drain', async (t) => {
  for (const [first, second] of [
    [LOST, FAILED],
    [FAILED, LOST],
  ] as const) {
    const text = await scanned(t, 'hx-07-sel.txt', [
      sel(31, '04:20:07', first),
      sel(32, '04:20:08', second),
      sel(33, '04:20:08', 'Power Unit Redundancy | Redundancy Lost'),
    ]);
    assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
    assert.match(text, /Root cause +power supply lost its input on hx-07 psu /);
    assert.match(text, /Do +check the power feed of hx-07 psu .*; replace it only if it stays dead with power/);
    assert.match(text, /Now +look at the cord and the outlet of .* with no drain while the others carry hx-07/s);
    assert.doesNotMatch(text, /scontrol|cordon/);
  }
});

test('one that failed alone may have no power either, and is swapped while the others carry its host', async (t) => {
  const text = await scanned(t, 'hx-07-sel.txt', [sel(8, '04:20:07', FAILED)]);
  assert.match(text, /Root cause +power supply failed on hx-07 psu /);
  assert.match(text, /Now +see that cord and outlet of .* have power; .* needs no drain while the others carry hx-07/);
  assert.match(text, /Call +who may touch the hardware of hx-07\n/);
  assert.doesNotMatch(text, /scontrol|cordon/);
});

test('an input that is back is said, and its cord is left alone', async (t) => {
  const record = (time: string, severity: string, what: string): string[] => [
    'Record:      3',
    `Date/Time:   11/30/2026 ${time}`,
    'Source:      system',
    `Severity:    ${severity}`,
    `Description: ${what}`,
    '-------------------------------------------------------------------------------',
  ];
  const lost = record('05:02:10', 'Critical', 'The power input for power supply 1 is lost.');
  const back = record('05:31:44', 'Ok', 'The input power for power supply 1 has been restored.');
  const text = await scanned(t, 'idrac.txt', [...lost, ...back]);
  assert.match(text, /Do +ask why hx-07 psu 1 lost its input, which is back/);
  assert.match(text, /Now +its input is back since 05:31:44 UTC: .* logged at 05:02:10 UTC/);
  assert.doesNotMatch(text, /look at the cord/);
  const again = record('05:40:12', 'Critical', 'The power input for power supply 1 is lost.');
  assert.match(await scanned(t, 'idrac.txt', [...lost, ...back, ...again]), /Now +look at the cord/);
});

test('a supply whose entry is deasserted has its input back; that entry alone opens none', async (t) => {
  const back = sel(32, '04:21:40', LOST).replace('| Asserted', '| Deasserted');
  const text = await scanned(t, 'hx-07-sel.txt', [sel(31, '04:20:07', LOST), back]);
  assert.match(text, /Now +its input is back since 04:21:40 UTC/);
  assert.match(await scanned(t, 'hx-07-sel.txt', [back]), /No incident/);
});
