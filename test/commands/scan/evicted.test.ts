// What a scan says of a client that its file system evicted: what it had not written is lost, though it is connected again.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

/** The text of the report in lines that are not broken. */
const scanned = (t: TestContext, lines: readonly string[]): Promise<string> => scannedLogs(t, { 'kern.log': lines });

const LOST =
  'Nov 29 09:30:11 hx-9 kernel: Lustre: work-OST000a-osc-ffff8: Connection to work-OST000a (at 10.8.0.4@o2ib) was lost; in progress operations using this service will wait for recovery to complete';
const EVICTED =
  'Nov 29 09:33:40 hx-9 kernel: LustreError: 167-0: work-OST000a-osc-ffff8: This client was evicted by work-OST000a; in progress operations using this service will fail.';
const BACK =
  'Nov 29 09:33:40 hx-9 kernel: Lustre: work-OST000a-osc-ffff8: Connection restored to work-OST000a (at 10.8.0.4@o2ib)';

test('an eviction is not over once the client is connected again', async (t) => {
  for (const lines of [[LOST, EVICTED, BACK], [EVICTED]]) {
    const text = await scanned(t, lines);
    assert.match(text, /Effect +what hx-9 had not written to work-OST000a is lost\n/);
    assert.match(text, /Do +tell who ran jobs on hx-9 that what they had not written is lost/);
    assert.match(text, /Now +list what ran on hx-9 at 09:3\d:\d\d UTC \(sacct -a -N hx-9; ps\)/);
    assert.match(text, /load the last checkpoint before work continues/);
    assert.match(text, /Call +who runs the jobs on hx-9, then who runs the file system\n/);
    assert.doesNotMatch(text, /nothing now/);
  }
});

test('a server that did not answer and does again throws nothing away', async (t) => {
  const text = await scanned(t, [LOST, BACK]);
  assert.match(text, /Do +nothing now, it is over since 09:33:40 UTC/);
  assert.doesNotMatch(text, /is lost|checkpoint/);
});

const CEPH = ['Nov 29 11:02:10 hx-3 kernel: ceph: mds1 hung', 'Nov 29 11:05:40 hx-3 kernel: ceph: mds1 came back'];

test('a mount of Ceph whose server threw the host out is not over, and is mounted again', async (t) => {
  for (const last of ['rejected session', 'session blocklisted']) {
    const text = await scanned(t, [...CEPH, `Nov 29 11:05:41 hx-3 kernel: ceph: mds1 ${last}`]);
    assert.doesNotMatch(text, /nothing now/);
    assert.match(text, /Effect +what hx-3 had not written to ceph mds1 is lost\n/);
    assert.match(text, /sudo umount -f MOUNT, sudo mount MOUNT/);
    assert.match(text, /Call +who runs the jobs on hx-3, then who runs the file system\n/);
  }
});

test('a first mount that Ceph rejects has lost nothing', async (t) => {
  const text = await scanned(t, ['Nov 29 11:05:41 hx-3 kernel: ceph: mds1 rejected session']);
  assert.match(text, /ceph mds1 rejected this host/);
  assert.doesNotMatch(text, /is lost|umount/);
});

test('whose request waited is said as the line has it, a program and its user or the number of a job', async (t) => {
  const request = (job: string): string =>
    `Nov 29 09:30:10 hx-9 kernel: Lustre: 3321:0:(client.c:2310:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1795896590/real 1795896590]  req@000000001a2b x1783/t0(0) o4->work-OST000a-osc-ffff8@10.8.0.4@o2ib:6/4 lens 488/448 e 0 to 1 dl 1795896602 ref 2 fl Rpc:XQr/0/ffffffff rc 0/-1 job:'${job}'`;
  assert.match(
    await scanned(t, [request('torchrun.5120'), LOST, EVICTED]),
    /ps; torchrun of uid 5120 \(getent passwd 5120\) waited for it\)/,
  );
  assert.match(await scanned(t, [request('90233'), LOST, EVICTED]), /ps; job 90233 waited for it\)/);
});
