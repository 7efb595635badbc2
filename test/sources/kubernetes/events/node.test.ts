// What a change of the node means: conditions, cordon, taints.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Node, type NodeChange, nodeChanges, readNode } from '../../../../src/sources/kubernetes/events/node.ts';

const AT = '2026-11-28T11:00:00Z';

function node(conditions: Record<string, string>, spec: object = {}): Node {
  const list = Object.entries(conditions).map(([type, status]) => ({
    type,
    status,
    reason: 'R',
    lastTransitionTime: AT,
  }));
  const read = readNode({ metadata: { name: 'node-3' }, spec, status: { conditions: list } });
  assert.ok(read !== null);
  return read;
}

const short = ({ kind, state, what }: NodeChange): string => [kind, state, what].join(' ');
const READY = node({ Ready: 'True', MemoryPressure: 'False' });

test('ready, pressure, and back', () => {
  assert.deepEqual(nodeChanges(READY, node({ Ready: 'Unknown' })).map(short), ['host.not_ready onset Ready']);
  assert.deepEqual(nodeChanges(node({ Ready: 'Unknown' }), node({ Ready: 'False' })), [], 'it is the same trouble');
  assert.deepEqual(nodeChanges(node({ Ready: 'False' }), READY).map(short), ['host.not_ready clear Ready']);
  assert.deepEqual(nodeChanges(READY, node({ DiskPressure: 'True' })).map(short), ['host.pressure onset DiskPressure']);
  assert.equal(nodeChanges(READY, node({ Ready: 'False' }))[0]?.atMs, Date.parse(AT));
});

test('at the first look only what is wrong is said', () => {
  assert.deepEqual(nodeChanges(null, READY), []);
  assert.deepEqual(
    nodeChanges(null, node({ Ready: 'False', PIDPressure: 'True' }, { unschedulable: true })).map(short),
    ['host.not_ready onset Ready', 'host.pressure onset PIDPressure', 'host.drained onset unschedulable'],
  );
});

test('a cordon and its end; a condition of another component is not ours', () => {
  const cordoned = node(
    { Ready: 'True' },
    { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
  );
  assert.deepEqual(nodeChanges(READY, cordoned).map(short), ['host.drained onset unschedulable']);
  assert.deepEqual(nodeChanges(cordoned, READY).map(short), ['host.drained clear unschedulable']);
  assert.deepEqual(nodeChanges(READY, node({ Ready: 'True', GpuXid: 'True' })), []);
});

test('taints that evict, with who set them; those that follow from conditions, or only keep pods away, are none', () => {
  const tainted = node(
    { Ready: 'True' },
    {
      taints: [
        { key: 'nvsentinel.nvidia.com/fault', value: 'xid', effect: 'NoExecute' },
        { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' },
        { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
        { key: 'nvidia.com/gpu', effect: 'NoSchedule' },
      ],
    },
  );
  const taints = [
    'nvsentinel.nvidia.com/fault=xid:NoExecute',
    'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
  ];
  assert.deepEqual(
    nodeChanges(READY, tainted).map(short),
    taints.map((taint) => `host.drained onset ${taint}`),
  );
  assert.deepEqual(
    nodeChanges(tainted, READY).map(short),
    taints.map((taint) => `host.drained clear ${taint}`),
  );
});
