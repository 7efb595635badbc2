// Kernel lines about what hangs on the host from outside: file servers, and ports of network cards.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines } from './lines.ts';

function brief(lines: readonly string[], anchored = true) {
  return decodeLines(lines, kernelContext('node-1', anchored)).map(({ kind, component, state, attributes }) => [
    kind,
    `${component?.type}/${component?.id}`,
    state,
    attributes?.server ?? attributes?.interface,
  ]);
}

test('a file server that does not answer stalls the storage of this host until it does', () => {
  assert.deepEqual(brief(['nfs: server filer-2 not responding, still trying', 'nfs: server filer-2 OK']), [
    ['storage.stall', 'host/node-1', 'onset', 'filer-2'],
    ['storage.stall', 'host/node-1', 'clear', 'filer-2'],
  ]);
});

test('a Lustre target is lost and restored', () => {
  const lines = [
    'Lustre: scratch-OST0011-osc-ffff9c3b4e2f1000: Connection to scratch-OST0011 (at 10.20.0.7@o2ib) was lost; in progress operations using this service will wait for recovery to complete',
    'Lustre: scratch-OST0011-osc-ffff9c3b4e2f1000: Connection restored to 10.20.0.7@o2ib (at 10.20.0.7@o2ib)',
  ];
  assert.deepEqual(brief(lines), [
    ['storage.stall', 'host/node-1', 'onset', 'scratch-OST0011'],
    ['storage.stall', 'host/node-1', 'clear', 'scratch-OST0011'],
  ]);
});

test('a port goes down and comes up under the address of its card', () => {
  assert.deepEqual(
    brief(['mlx5_core 0000:86:00.0 ens6f0np0: Link down', 'bnxt_en 0000:41:00.1 ens1: NIC Link is Up, 200000 Mbps']),
    [
      ['nic.port_down', 'nic/0000:86:00.0', 'onset', 'ens6f0np0'],
      ['nic.port_down', 'nic/0000:41:00.1', 'clear', 'ens1'],
    ],
  );
});

test('in a saved log the message follows a prefix', () => {
  const lines = [
    'Feb 01 14:25:31 node-1 kernel: nfs: server filer-2 not responding, timed out',
    '[ 12.5] mlx5_core 0000:86:00.0 p0: Link down',
  ];
  assert.equal(brief(lines, false).length, 2);
  assert.deepEqual(brief(lines), [], 'nothing but the kernel begins its own message');
});

test('a management port says nothing of the fabric', () => {
  assert.deepEqual(brief(['tg3 0000:03:00.0 eno1: Link is down', 'e1000e 0000:00:1f.6 eth0: NIC Link is Down']), []);
});
