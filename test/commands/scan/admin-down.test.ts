// A port that its admin took down, by the words of the switch itself, needs no repair; one that went down later does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const port = (second: string, text: string, host = 'UTC:') => `Oct  7 08:15:${second} ${host} %${text}`;
const ADMIN = 'LINK-5-CHANGED: Interface Ethernet3/2, changed state to administratively down';
const DOWN = 'LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet3/2, changed state to down';

test('the switch says that an admin took the port down a second before', async (t) => {
  const text = await scannedLogs(t, { 'leaf-03.log': [port('20.001', ADMIN), port('21.010', DOWN)] });
  assert.match(text, /No incident/);
});

test('no admin, another port, or a minute before: the port is down, and UTC wrote nothing', async (t) => {
  const other = ADMIN.replace('3/2', '3/4');
  for (const before of [port('20.001', other), port('20.001', ADMIN).replace('08:15', '08:14')]) {
    const text = await scannedLogs(t, { 'leaf-03.log': [before, port('21.010', DOWN)] });
    assert.match(text, /NIC port down on leaf-03 port Ethernet3\/2/);
    assert.doesNotMatch(text, /by UTC|\(UTC 1\)/);
  }
});

test('that another log has the words of the admin explains nothing of the switch', async (t) => {
  const text = await scannedLogs(t, {
    'leaf-03.log': [port('21.010', DOWN)],
    'job.log': [port('20.001', ADMIN, 'leaf-03')],
  });
  assert.match(text, /NIC port down on leaf-03/);
});
