// What a scan says of a UPS: it runs on its battery, that runs empty and its host shuts down, or the mains come back.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, host: string, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines }, '--host', host);

test('a battery that runs empty is one incident with its start, and not the work of a transfer switch', async (t) => {
  const text = await scanned(t, 'gx-11', 'apcupsd.events', [
    '2026-11-30 03:33:10 +0000  Power failure.',
    '2026-11-30 03:33:16 +0000  Running on UPS batteries.',
    '2026-11-30 03:41:55 +0000  Battery charge below low limit.',
    '2026-11-30 03:41:55 +0000  Initiating system shutdown!',
  ]);
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /^INCIDENT \w+ +critical .* seen [\d-]+ 03:33:10 … 03:41:55/m);
  assert.match(text, /Root cause +UPS on battery on gx-11\n/);
  assert.match(text, /UPS battery nearly empty: its host shuts down/);
  assert.doesNotMatch(text, /UPS on battery, \d+ times/);
  assert.match(text, /Now +ask when the mains come back\n[\s\S]*Then +gx-11 shut itself down/);
  assert.doesNotMatch(text, /transfer switch|source transferred on|still/);
});

test('a battery that is only low asks for the work to be saved at once', async (t) => {
  const low = ['2026-11-30 03:41:55 +0000  Battery charge below low limit.'];
  const begun = ['2026-11-30 03:33:16 +0000  Running on UPS batteries.', ...low];
  for (const lines of [low, begun]) {
    const text = await scanned(t, 'gx-11', 'apcupsd.events', lines);
    assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
    assert.match(text, /Do +save what runs on gx-11: the battery of its UPS is nearly empty/);
    assert.doesNotMatch(text, /shut itself down|transfer switch/);
  }
});

test('once the mains are back nothing asks whether they are', async (t) => {
  const text = await scanned(t, 'mgmt-01', 'ups.log', [
    'Nov 30 03:33:10 mgmt-01 upsmon[801]: UPS ups-a@localhost on battery',
    'Nov 30 03:35:10 mgmt-01 upsmon[801]: UPS ups-a@localhost on line power',
  ]);
  assert.match(text, /Root cause +Unconfirmed: UPS on battery on mgmt-01: ups-a@localhost\n/);
  assert.match(text, /Now +the mains are back since 03:35:10 UTC: .*then ask what was logged at 03:33:10 UTC/);
  assert.doesNotMatch(text, /see whether the mains|runs on battery still/);
});

test('a battery that is worn out is that of its UPS, and the host that watches it stays in service', async (t) => {
  const text = await scanned(t, 'mgmt-01', 'ups.log', [
    'Nov 30 03:35:12 mgmt-01 upsmon[801]: UPS ups-a@rack-c battery needs to be replaced',
  ]);
  assert.match(text, /Root cause +Unconfirmed: UPS battery to be replaced on mgmt-01: ups-a@rack-c\n/);
  assert.match(text, /Do +have the battery of UPS ups-a replaced/);
  assert.match(text, /Now +ask UPS ups-a .*on mgmt-01: upsc ups-a@rack-c\)/);
  assert.match(text, /Call +the facility: who runs the power of the site\n/);
  assert.doesNotMatch(text, /drain|cordon|open a case|vendor|supply failed/);
});
