// What lines name of a cluster is said: an OSD that is full, the pods of a node that is not ready, the scheduler of a server that hung.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CephHealth } from '../../../src/detection/text/report/ceph-health.ts';
import { scannedLogs } from './scanned.ts';

test('the health of a Ceph cluster is of the cluster, not of where it was saved', async (t) => {
  const text = await scannedLogs(t, {
    'health.txt': [
      'HEALTH_ERR 2 full osd(s); 1 pool(s) full',
      '[ERR] OSD_FULL: 2 full osd(s)',
      '    osd.31 is full',
      '    osd.7 is full',
      '[WRN] POOL_FULL: 1 pool(s) full',
      "    pool 'ckpt' is full (no space)",
    ],
  });
  assert.match(text, /Root cause +storage cluster full on the Ceph cluster/);
  assert.match(text, /Do +get space for the Ceph cluster: it refuses writes/);
  assert.match(text, /1 incident out of/);
});

test('an OSD below its check is named, and one below nothing is not read', () => {
  const health = new CephHealth('mon-1');
  assert.equal(health.take('    osd.31 is full', false), null);
  health.take('[ERR] OSD_FULL: 2 full osd(s)', true);
  const parts = ['    osd.31 is full', '    osd.7 is near full'].flatMap((line) => health.take(line, false) ?? []);
  assert.deepEqual(
    parts.map(({ kind, attributes }) => [kind, attributes?.part]),
    [
      ['storage.full', 'osd.31'],
      ['storage.filling', 'osd.7'],
    ],
  );
});

test('who runs the pods that a node loses is called as well', async (t) => {
  const text = await scannedLogs(t, {
    'events.txt': [
      'LAST SEEN   TYPE      REASON                 OBJECT            MESSAGE',
      '21m         Normal    NodeNotReady           node/ai-18        Node ai-18 status is now: NodeNotReady',
      '21m         Warning   NodeNotReady           pod/sft-worker-2  Node is not ready',
      '16m         Normal    TaintManagerEviction   pod/sft-worker-2  Marking for deletion Pod ft/sft-worker-2',
    ],
  });
  assert.match(text, /Effect +pod ft\/sft-worker-2 taken off it/);
  assert.match(text, /Call +who runs ai-18, then who runs pod ft\/sft-worker-2/);
});

test('the scheduler whose watchdog ended a server, and its host', async (t) => {
  const text = await scannedLogs(t, {
    'slurm-5120-ai-18.out': [
      '[2026-11-27 06:20:04 TP5] Decode batch, #running-req: 12, #token: 9310, token usage: 0.12, cuda graph: True, gen throughput (token/s): 812.50, #queue-req: 0, ',
      '[2026-11-27 06:25:05 TP5] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)',
    ],
  });
  assert.match(text, /Now +start SGLang again/);
  assert.match(text, /Then +on ai-18, nvidia-smi; sudo dmesg -T/);
});
