// Queue watch: owners of queues by process, whichever thread the kernel names, and what is not known is said.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HostNics } from '../../../src/identity/host-nics.ts';
import { type QueueOwners, QueueWatch, readQueueOwners } from '../../../src/sources/nic/queue-watch.ts';
import { nicFacts, nicId } from '../../identity/work/facts.ts';
import { FakeSys } from '../fake-sys.ts';

function watching(t: TestContext, answers: QueueOwners[], isNeeded = () => true) {
  const host = new FakeSys(t);
  const nics = new HostNics();
  nics.found(nicFacts(4));
  let reads = 0;
  const read = async () => {
    reads += 1;
    return answers.shift() ?? { error: 'EIO', owners: [] };
  };
  const watch = new QueueWatch({ read, proc: host.proc, isNeeded, known: (devices) => nics.queued(devices) });
  return { host, nics, watch, reads: () => reads, queues: () => Object.fromEntries(nics.facts().queues) };
}

test('cards of processes, those of a thread are its process’s, and a device without a card here is left out', async (t) => {
  const owners: QueueOwners['owners'] = [['mlx5_0', 400], ['mlx5_2', 400], ['mlx5_1', 4011], ['mlx5_1', 401], ['siw0', 402]]; // biome-ignore format: one line
  const { host, watch, queues, nics } = watching(t, [
    { error: null, owners },
    { error: null, owners },
  ]);
  host.write('proc/4011', { status: 'Name:\tpython3\nTgid:\t401\nPid:\t4011' });
  await watch.look();
  assert.deepEqual(queues(), { 400: [nicId(0), nicId(2)], 401: [nicId(1)], 402: [] });
  const { version } = nics;
  await watch.look();
  assert.equal(nics.version, version, 'the same again is nothing new');
});

test('what was known goes when it cannot be read, and the health says what is lost', async (t) => {
  const { watch, queues } = watching(t, [
    { error: null, owners: [['mlx5_0', 400]] },
    { error: 'EAFNOSUPPORT', owners: [] },
  ]);
  await watch.look();
  assert.equal(watch.lack, null);
  await watch.look();
  assert.deepEqual(queues(), {});
  assert.match(watch.lack ?? '', /^which processes have queues is not known \(EAFNOSUPPORT\)/);
});

test('a host without RDMA devices is not asked', async (t) => {
  const { watch, reads } = watching(t, [], () => false);
  await watch.look();
  assert.equal(reads(), 0);
});

test('the kernel of this host answers, or has no RDMA', async () => {
  const { error, owners } = await readQueueOwners();
  assert.ok(error === null || owners.length === 0);
});
