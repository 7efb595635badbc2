// Lines of GPFS' daemon that have no row: by the words of their families, whatever the release makes of the sentence.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/gpfs-words.json' with { type: 'json' };
import { programStorageLine } from '../../../src/detection/text/kernel/file-server-line.ts';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines } from './lines.ts';

/** As GPFS' own log has it. */
function reported(line: string): unknown[] {
  const finding = programStorageLine(`mmfs: ${line}`, kernelContext('node-1'));
  if (finding === null) return [];
  const { kind, component, attributes } = finding;
  return [[kind, component?.id, attributes?.server, attributes?.did]];
}

test('a process that opens a line of the kernel with such words is not GPFS', () => {
  assert.deepEqual(decodeLines(['mmfs: [E] Quorum lost[31337]: unmounting all file systems']), []);
});

test('each family reads its example as what it says', () => {
  for (const { example, kind, did } of catalog.families as readonly { example: string; kind: string; did?: string }[]) {
    const [[is, , , what] = [], ...others] = reported(example) as unknown[][];
    assert.deepEqual(others, [], example);
    assert.deepEqual([is, what], [kind, did], example);
  }
});

test('a node that is given up is the one that the line names, in any of its words', () => {
  for (const line of [
    '[E] Node 10.8.1.7 (ai-207) is being expelled because of an expired lease. Pings sent: 60. Replies received: 60.',
    '[N] Node ai-207 was expelled from the cluster: no reply to 60 pings',
    '[E] The node 10.8.1.7 (ai-207) in cluster hpc.example.org has been expelled.',
    '[N] Expelling: 10.8.1.7 (ai-207)',
  ])
    assert.deepEqual(reported(line), [['storage.io_error', 'ai-207', 'gpfs', 'expelled this host']], line);
});

test('what the daemon loses is said of the host that says it', () => {
  assert.deepEqual(reported('[E] Unable to renew the disk lease; 42 seconds left'), [
    ['storage.stall', 'node-1', 'gpfs cluster manager', undefined],
  ]);
  assert.deepEqual(reported('[X] Quorum lost, unmounting all file systems'), [
    ['storage.stall', 'node-1', 'gpfs quorum nodes', undefined],
  ]);
  assert.deepEqual(reported('[E] Cannot mount file system work2: Input/output error'), [
    ['storage.io_error', 'node-1', 'gpfs work2', 'cannot be mounted'],
  ]);
  assert.deepEqual(reported('[D] Pdisk e2d1s07 of RG rgL state changed from ok to missing'), []);
  assert.deepEqual(reported('[E] Pdisk e2d1s07 of RG rgL: state is missing'), [
    ['storage.io_error', 'node-1', 'gpfs', 'lost a disk'],
  ]);
});

test('an ordinary day says nothing', () => {
  for (const line of [
    '[I] Accepted and connected to 10.8.1.7 ai-207 <c0n12>',
    '[N] This node (10.8.1.1 (mgr01)) is now Cluster Manager for hpc.example.org.',
    '[I] Node 10.8.1.1 (mgr01) appointed as manager for scratch.',
    '[I] Command: mount scratch',
    '[N] Mounted scratch',
    '[I] mmfsd ready',
    '[W] The disk lease that had expired was reacquired',
    '[E] sdrServ: Communication error on socket /var/mmfs/mmsysmon/mmsysmonitor.socket, [err 79] Can not access a needed shared library',
    '[N] Recovered 1 nodes for file system scratch.',
  ])
    assert.deepEqual(reported(line), [], line);
});
