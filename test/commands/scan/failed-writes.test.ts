// What a scan says where a client of a file server did not wait for it: programs got errors, and the end of the stall is not all.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, lines: readonly string[]): Promise<string> => scannedLogs(t, { 'kern.log': lines });
const AT = 'Nov 29 05:10:0';
const SOFT = `${AT}1 hx-6 kernel: nfs: server filer7 not responding, timed out`;
const HARD = `${AT}2 hx-6 kernel: nfs: server filer7 not responding, still trying`;
const BACK = `${AT}9 hx-6 kernel: nfs: server filer7 OK`;

test('requests of a soft mount that timed out failed, whatever else waits', async (t) => {
  for (const lines of [[SOFT], [HARD, SOFT]]) {
    const text = await scanned(t, lines);
    assert.match(text, /Effect +programs on hx-6 got I\/O errors\n/);
    assert.match(text, /what programs on hx-6 wrote there since 05:10:0\d UTC got errors: have it checked/);
    assert.doesNotMatch(text, /continues by itself/);
  }
});

test('it is not over for them once the server is back', async (t) => {
  const text = await scanned(t, [SOFT, BACK]);
  assert.match(text, /Do +have checked what programs on hx-6 wrote to filer7 before it was back/);
  assert.match(text, /Now +from 05:10:01 UTC to 05:10:09 UTC their requests got errors/);
  assert.match(text, /Call +who runs the jobs on hx-6\n/);
});

test('of a hard mount all waits, and is over when the server is back', async (t) => {
  assert.match(await scanned(t, [HARD]), /what waits for it here continues by itself once it answers/);
  assert.match(await scanned(t, [HARD, BACK]), /Do +nothing now, it is over since 05:10:09 UTC/);
});

test('one server that is back ends nothing of another', async (t) => {
  const text = await scanned(t, [HARD, HARD.replaceAll('filer7', 'filer8'), BACK]);
  assert.doesNotMatch(text, /nothing now/);
});

test('a write of BeeGFS that failed did not wait', async (t) => {
  const text = await scanned(t, [
    `${AT}1 hx-6 kernel: beegfs: train(811): Messaging (RPC): Receive timed out from beegfs-storage st9 [ID: 9] @ 10.3.0.9:8003`,
    `${AT}8 hx-6 kernel: beegfs: train(811): Remoting (write file): Error storage targetID: 902; Msg: Communication error; FileHandle: 7C2#1-65-2`,
  ]);
  assert.match(text, /beegfs target 902 failed writes of this host/);
  assert.match(text, /wrote there since 05:10:01 UTC got errors/);
  assert.doesNotMatch(text, /continues by itself/);
});
