// Only host: what a tool printed of its own machine is of the only host that its folder names; a list of a whole cluster is of none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const incidents = (text: string): number => text.match(/^INCIDENT/gm)?.length ?? 0;

const DF = [
  'Filesystem      Size  Used Avail Use% Mounted on',
  '/dev/nvme0n1p2  220G  220G     0 100% /',
  'nas:/home       200T  121T   80T  61% /home',
];
const failed = (host: string): string =>
  `[2026-11-20T03:22:10.101] error: batch script setup failed for JobId=4711 on ${host}: No space left on device`;

test('df without a name is of the only host that the log of the scheduler next to it speaks of', async (t) => {
  const text = await scannedLogs(t, { 'df-h.txt': DF, 'slurmctld.log': [failed('gx-12')] });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Root cause +disk full on gx-12/);
  assert.match(text, /that df-h\.txt is of gx-12 only a log next to it says/);
});

test('where the folder names two hosts none is guessed, and another folder says nothing', async (t) => {
  const two = await scannedLogs(t, { 'df-h.txt': DF, 'slurmctld.log': [failed('gx-12'), failed('gx-31')] });
  assert.match(two, /disk full on the host of df-h\.txt: \//);
  const apart = await scannedLogs(t, { 'a/df-h.txt': DF, 'b/slurmctld.log': [failed('gx-12')] });
  assert.match(apart, /disk full on the host of df-h\.txt: \//);
});

const LOST = 'Nov 20 06:40:22 gx-9 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=2211, name=python, GPU has fallen off the bus.'; // biome-ignore format: one line
const backOff = (pod: string): string =>
  `12m         Warning   BackOff                   pod/${pod}   Back-off restarting failed container embed in pod ${pod}_serving(1f0b)`;
const EVENTS = [
  'LAST SEEN   TYPE      REASON                    OBJECT                                   MESSAGE',
  '35m         Normal    Scheduled                 pod/eval-470                             Created container eval',
  backOff('rag-7c8d9-x2x9p'),
];

test('events of the pods of a cluster are not of the host whose kernel log lies next to them', async (t) => {
  const text = await scannedLogs(t, { 'kern.log': [LOST], 'kubectl-get-events.txt': EVENTS });
  assert.equal(incidents(text), 2, text);
  assert.doesNotMatch(text, /container ends again and again on gx-9/);
  assert.match(text, /container ends again and again.*rag-7c8d9-x2x9p/);
});

test('a job that names the hosts that it ran on is not of another one whose report lies next to it', async (t) => {
  const text = await scannedLogs(t, {
    'nfs-2.ethtool.txt': ['NIC statistics:', '     rx_crc_errors_phy: 1882231'],
    'slurm-4811.out': [
      '[rank2]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.66 GiB. GPU 2 has a total capacity of 79.11 GiB of which 9.02 GiB is free.',
      'srun: error: gx-4: task 2: Exited with exit code 1',
    ],
  });
  assert.equal(incidents(text), 2, text);
  assert.doesNotMatch(text, /Next to it|could have brought it about as well/);
});

test('the disk that df shows full is why the only node of the list of events evicts its pods', async (t) => {
  const evicted = (age: string, pod: string): string =>
    `${age}         Warning   Evicted                 ${pod}       The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi.`;
  const text = await scannedLogs(t, {
    'df.txt': DF,
    'events.txt': [
      'LAST SEEN   TYPE      REASON                  OBJECT          MESSAGE',
      '39m         Normal    NodeHasDiskPressure     node/gn-9       Node gn-9 status is now: NodeHasDiskPressure',
      evicted('39m', 'pod/etl-3'),
      evicted('37m', 'pod/web-1'),
    ],
  });
  assert.equal(incidents(text), 1, text);
  assert.match(text, /Root cause +disk full on gn-9: \//);
});
