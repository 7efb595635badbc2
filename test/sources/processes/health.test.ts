// Health of the process source: what is not known of jobs is said with what would tell it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processHealth } from '../../../src/sources/processes/health.ts';
import { NOWHERE, processFact } from '../../identity/work/facts.ts';

const health = (facts: ReturnType<typeof processFact>[]) =>
  processHealth({
    looked: true,
    processes: { hanging: [], reader: null },
    view: { version: 1, works: [], devices: [], conflicts: [] },
    facts,
    pods: [],
    rights: { effective: null, hidepid: null, shutIn: false },
  });

test('an interface of a container of which nothing says which card it is', () => {
  const inside = processFact(7, {
    place: { ...NOWHERE, container: 'c'.repeat(64) },
    variables: { NCCL_SOCKET_IFNAME: 'net1' },
  });
  const said = (fact: ReturnType<typeof processFact>) =>
    health([fact]).notes?.filter((note) => note.startsWith('NCCL_SOCKET_IFNAME of 1 process of a container')).length ??
    0;
  assert.equal(said(inside), 1);
  assert.equal(said(processFact(7, { variables: { NCCL_SOCKET_IFNAME: 'ib0' } })), 0);
});
