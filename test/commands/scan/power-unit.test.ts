// What a scan says of a log of a PDU whose program has blanks in its name: its host is the one before that name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('the host before a name with blanks is the PDU', async (t) => {
  const text = await scannedLogs(t, { 'rack.log': ['Nov 28 09:12:03 pdu-7a Metered Rack PDU: Overload.'] });
  assert.match(text, /Root cause +Unconfirmed: branch, UPS or supplies near or over the rating on pdu-7a\n/);
  assert.match(text, /Now +see what draws most behind pdu-7a,/);
  assert.doesNotMatch(text, /log:rack|host not named/);
});

test('where no host is before it, its first word is none', async (t) => {
  const text = await scannedLogs(t, { 'rack.log': ['Nov 28 09:12:03 Metered Rack PDU: Overload.'] });
  assert.match(text, /near or over the rating/);
  assert.doesNotMatch(text, /on Metered|behind Metered/);
});
