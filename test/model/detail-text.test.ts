// What is said next to the name: which file system is full and how much is left, whose process was killed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailText, placedByPod } from '../../src/model/detail-text.ts';
import { hostOfLog } from '../../src/model/unnamed-host.ts';

test('a text that is cut ends with a word and an ellipsis', () => {
  const text = detailText('job.rank_crashed', { exception: 'ValueError', message: 'word '.repeat(100) }) ?? '';
  assert.match(text, /^ValueError: (?:word )*word…$/);
  assert.ok(text.length <= 200);
});

test('what is short on a node, and the card and peer of a link, are said where a line names them', () => {
  assert.equal(detailText('host.pressure', { resource: 'ephemeral-storage' }), 'ephemeral-storage');
  assert.equal(detailText('host.pressure', { resource: 'unknown' }), null);
  assert.equal(
    detailText('net.rdma_retry_exceeded', { device: 'mlx5_4', peer: '192.0.2.9' }),
    'mlx5_4, peer 192.0.2.9',
  );
  assert.equal(detailText('net.connection_reset', {}), null);
});

test('a disk is not named once more next to its name, and sizes are written as everywhere', () => {
  const disk = { type: 'disk', id: 'nvme1', host: 'node-1' } as const;
  assert.equal(detailText('storage.io_error', { device: 'nvme1' }, disk), null);
  assert.equal(detailText('storage.io_error', { device: 'nvme1n1' }, disk), 'nvme1n1');
  assert.equal(detailText('storage.io_error', { device: 'nvme1' }), 'nvme1');
  assert.equal(
    detailText('host.oom', { process: 'python', anon_rss_kib: 1_901_234_560 }),
    'python, which held 1,813 GiB',
  );
});

test('a watchdog says how long it waited, in what', () => {
  const waited = { waited_ms: 600_019, operation: 'ALLREDUCE', sequence: 48_210 };
  assert.equal(detailText('job.collective_timeout', waited), 'waited 10 min in ALLREDUCE, number 48210');
  assert.equal(detailText('job.collective_timeout', { waited_ms: 30_400 }), 'waited 30 s');
  assert.equal(detailText('job.collective_timeout', {}), null);
});

test('a file system is named, with what is left in the unit of its size', () => {
  const of = (size: number, available: number, inodes: number | null = null) =>
    detailText('host.disk_full', {
      path: '/var/log',
      size_bytes: size,
      available_bytes: available,
      inode_utilization: inodes,
    });
  assert.equal(of(240 * 1024 ** 3, 322_122_547), '/var/log, 0.3 of 240 GiB left');
  assert.equal(of(300 * 1024, 0), '/var/log, 0 of 300 KiB left');
  assert.equal(of(0, 0), '/var/log, 0 of 0 B left');
  assert.equal(of(1024 ** 3, 1024 ** 3 / 2, 0.998), '/var/log, 0.5 of 1 GiB left, 100 % of inodes used');
});

test('attributes of anything else add nothing', () => {
  assert.equal(detailText('host.disk_full', {}), null);
  assert.equal(detailText('host.disk_full', { path: '/var/log' }), null);
  assert.equal(detailText('host.disk_full', { path: '/var/log', size_bytes: null, available_bytes: null }), null);
});

test('the text on a killed process has its name and whose it was', () => {
  assert.equal(detailText('host.oom', { process: 'python3', memcg: '/slurm/job_991' }), 'python3 of /slurm/job_991');
  assert.equal(detailText('host.oom', { process: 'python3', memcg: '/' }), 'python3');
  assert.equal(detailText('host.oom', { process: 'python3' }), 'python3');
  assert.equal(detailText('host.oom', { pid: 5, memcg: '/slurm' }), null);
  assert.equal(detailText('gpu.lost', { process: 'python3' }), null);
});

test('a call that did not return is named, with how long it was waited for where that is known', () => {
  const of = (attributes: Readonly<Record<string, string | number | null>>) =>
    detailText('gpu.call_stalled', attributes);
  assert.equal(of({ call: 'nvmlDeviceGetUUID', stalled_ms: 2104.7 }), 'nvmlDeviceGetUUID, 2.1 s');
  assert.equal(of({ call: 'nvmlDeviceGetUUID' }), 'nvmlDeviceGetUUID');
  assert.equal(of({ call: '', stalled_ms: 2000 }), null);
  assert.equal(of({ stalled_ms: 2000 }), null);
});

test('the text on a rank has what it did not do, cut to a bound; a log line has none of it', () => {
  const did = 'did not enter all_reduce number 9 of the world group, last called from step (train.py:93)';
  assert.equal(detailText('job.collective_desync', { did }), did);
  assert.equal(detailText('job.collective_timeout', { did: 'x'.repeat(1000) })?.length, 200);
  assert.equal(detailText('job.collective_desync', { rank: 3 }), null);
  assert.equal(detailText('job.collective_desync', { did: 9 }), null);
});

test('of a rank that ended there is its exception, else how its launcher says it ended, else what its peers miss', () => {
  const how = 'Exited with exit code 1';
  assert.equal(
    detailText('job.rank_crashed', { task: 1, how, exception: 'KeyError', message: "'x'" }),
    "KeyError: 'x'",
  );
  assert.equal(detailText('job.rank_crashed', { task: 1, how }), 'exited with exit code 1');
  assert.equal(detailText('job.rank_crashed', { task: 1 }), 'task 1 sent no heartbeat');
  assert.equal(detailText('job.rank_crashed', {}), null);
});

test('a pod is named next to its host, and in place of one that no line names', () => {
  const attributes = { pod: 'train-2', namespace: 'ml', message: 'MountVolume.SetUp failed for volume "data".' };
  const words = 'MountVolume.SetUp failed for volume "data"';
  const [node, log] = [{ type: 'host', id: 'gx-1' } as const, { type: 'host', id: hostOfLog('events.txt') } as const];
  assert.equal(detailText('pod.start_failed', attributes, node), `pod ml/train-2, ${words}`);
  assert.equal(detailText('pod.start_failed', attributes, log), words);
  assert.equal(placedByPod('pod.start_failed', attributes, log), 'pod ml/train-2');
  assert.equal(placedByPod('pod.start_failed', attributes, node), null);
  assert.equal(detailText('pod.evicted', {}, node), null);
});

test('a watchdog says for how long nothing moved, a clock by how much it is off', () => {
  assert.equal(
    detailText('job.hang', { message: 'Watchdog timeout', stuck_for: '300' }),
    'no step for 300 s, by its own watchdog',
  );
  assert.equal(detailText('job.hang', { message: 'Watchdog timeout' }), 'no step, by its own watchdog');
  assert.equal(detailText('job.hang', {}), null);
  assert.equal(detailText('host.clock_wrong', { off_s: '-41.220112' }), '41.2 s off');
  assert.equal(detailText('host.clock_wrong', { reason: 'no selectable sources' }), 'no selectable sources');
});
