// Kernel lines about what hangs on the host from outside: file servers, and ports of network cards.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines, kernelRecord, START_MS } from './lines.ts';

function brief(lines: readonly string[], anchored = true) {
  return decodeLines(lines, kernelContext('node-1', anchored)).map(({ kind, component, state, attributes }) => [
    kind,
    `${component?.type}/${component?.id}`,
    state,
    attributes?.server ?? attributes?.interface,
  ]);
}

test('a file server that does not answer stalls this host, and is named, until it answers', () => {
  assert.deepEqual(brief(['nfs: server filer-2 not responding, still trying', 'nfs: server filer-2 OK']), [
    ['storage.stall', 'host/node-1', 'onset', 'filer-2'],
    ['storage.stall', 'host/node-1', 'clear', 'filer-2'],
  ]);
});

/** A line, then kind, server, state: each in the words of the client that prints it. */
const FILE_SYSTEMS: readonly (readonly [string, string, string, string | undefined])[] = [
  ['nfs: server 10.0.0.4 not responding, timed out', 'storage.stall', '10.0.0.4', 'onset'],
  ['nfs: server fd00::12 not responding, still trying', 'storage.stall', 'fd00::12', 'onset'],
  ['lockd: server filer-3 not responding, still trying', 'storage.stall', 'filer-3', 'onset'],
  ['lockd: server filer-3 OK', 'storage.stall', 'filer-3', 'clear'],
  ['NFS: state manager: lease expired failed on NFSv4 server filer-3 with error 13', 'storage.stall', 'filer-3', undefined],
  ['CIFS: VFS: \\\\smb-1 has not responded in 180 seconds. Reconnecting...', 'storage.stall', 'smb-1', 'onset'],
  ['libceph: mon1 (1)10.3.0.5:6789 session lost, hunting for new mon', 'storage.stall', 'ceph mon1', 'onset'],
  ['libceph: mon0 (2)10.3.0.4:3300 session established', 'storage.stall', 'ceph mon0', 'clear'],
  ['libceph: mon2 10.3.0.6:6789 session lost, hunting for new mon', 'storage.stall', 'ceph mon2', 'onset'],
  ['libceph: osd114 down', 'storage.stall', 'ceph osd114', 'onset'],
  ['libceph: osd114 up', 'storage.stall', 'ceph osd114', 'clear'],
  ['ceph: mds0 hung', 'storage.stall', 'ceph mds0', 'onset'],
  ['ceph: [3f4c1f2e-1111-2222-3333-444455556666 84217]:  mds0 hung', 'storage.stall', 'ceph mds0', 'onset'],
  ['ceph: mds0 came back', 'storage.stall', 'ceph mds0', 'clear'],
  ['ceph: mds0 caps stale', 'storage.stall', 'ceph mds0', undefined],
  ['ceph: mds0 session blocklisted', 'storage.io_error', 'ceph mds0', undefined],
  [
    "Lustre: 4321:0:(client.c:2289:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent 1732800000/real 1732800000]  req@ffff8e1a x1816/t0(0) o400->scratch-OST0007-osc-ffff8e1b@10.20.0.7@o2ib:28/4 lens 224/224 e 0 to 1 dl 1732800100 ref 1 fl Rpc:XNQr/0/ffffffff rc 0/-1 job:'ptlrpcd'",
    'storage.stall', 'scratch-OST0007', undefined,
  ],
  ['LustreError: 167-0: scratch-MDT0000-mdc-ffff8e1b: This client was evicted by scratch-MDT0000; in progress operations using this service will fail.', 'storage.io_error', 'scratch-MDT0000', undefined],
  ['LustreError: 11-0: scratch-OST0007-osc-ffff9c: operation ost_write to node 10.3.0.7@o2ib failed: rc = -28', 'storage.full', 'scratch-OST0007', undefined],
  ['beegfs: beegfs_DGramLis(811): 1A2B-65A1-node-1: NodeConn (acquire stream): Connect failed: beegfs-storage@10.9.0.3:8003 (protocol: RDMA)', 'storage.stall', 'beegfs-storage@10.9.0.3:8003', 'onset'],
  ['beegfs: python3(4242): NodeConn (acquire stream): Connected: beegfs-storage@10.9.0.3:8003 (protocol: TCP; fallback route)', 'storage.stall', 'beegfs-storage@10.9.0.3:8003', 'clear'],
  ['beegfs: python3(4242): Messaging (RPC node): Retrying communication with node: beegfs-meta meta02 [ID: 2]', 'storage.stall', 'beegfs-meta meta02 [ID: 2]', undefined],
  ['mmfs: [N] Disk lease period expired 0.010 seconds ago in cluster train.example.com. Attempting to reacquire the lease.', 'storage.stall', 'gpfs train.example.com', 'onset'],
  ['mmfs: [N] Disk lease reacquired in cluster train.example.com.', 'storage.stall', 'gpfs train.example.com', 'clear'],
  ['mmfs: [E] Lost membership in cluster train.example.com. Unmounting file systems.', 'storage.io_error', 'gpfs train.example.com', undefined],
  ['wekafsio: mount 3: ALL FEs down, holding requests', 'storage.stall', 'weka ALL FEs', 'onset'],
  ['mmfs: [E] Disk failure.  Volume fs1. rc = 19, and physical volume nsd07.', 'storage.io_error', 'gpfs fs1', undefined],
  ['mmfs: Error=MMFS_PHOENIX, ID=0xAB429E38, Tag=2604', 'storage.io_error', 'gpfs daemon', undefined],
  ['wekafsio: mount 3 N[run.log] ino 0x1f total-sync-errs(ENOSPC(1), OTHER(0)) sync => -28', 'host.disk_full', 'weka', undefined],
  ['wekafsio: N[a] total-sync-errs(ENOSPC(9), OTHER(0)) sync => -28] Truncated dirty-pages total-errors(ENOSPC(0), OTHER(2)) write => -5', 'storage.io_error', 'weka', undefined],
  ['nvme nvme4: starting error recovery', 'storage.stall', 'nvme4', 'onset'],
  ['nvme nvme4: Successfully reconnected (2 attempts)', 'storage.stall', 'nvme4', 'clear'],
]; // biome-ignore format: one shape a line

for (const [line, kind, server, state] of FILE_SYSTEMS) {
  test(`${kind} of a file server from: ${line.slice(0, 72)}`, () => {
    const [event, ...others] = decodeLines([line]);
    assert.deepEqual(others, []);
    assert.deepEqual([event?.kind, event?.attributes?.server, event?.state], [kind, server, state]);
    assert.equal(event?.component?.id, 'node-1', 'of the host that waits for it');
  });
}

test('what the daemon of a file system writes itself is a user’s word', () => {
  const record = kernelRecord('mmfs[2211]: [E] Lost membership in cluster a.example. Unmounting file systems.');
  const attributes = { ...record.attributes, facility: 3 };
  const [event] = decodeKernelLine({ ...record, trust: 'tenant', attributes }, kernelContext('node-1'));
  assert.deepEqual([event?.kind, event?.trust], ['storage.io_error', 'tenant']);
});

test('a client of a file system that continues its work reports nothing', () => {
  for (const line of [
    'libceph: osd12 (1)10.0.0.5:6801 socket closed (con state OPEN)',
    'libceph: client84217 fsid 3f4c1f2e-1111-2222-3333-444455556666',
    'ceph: mds0 reconnect denied by a user',
    'Lustre: Mounted scratch-client',
    'beegfs: python3(4242): mount: BeeGFS mount ready.',
    'beegfs: x): Connect failed: beegfs-storage@1.2.3.4:8003 (protocol: TCP)',
    'nfs: Deprecated parameter intr',
    'wekafsio: loading out-of-tree module',
    'wekafsio: N[total-sync-errs(ENOSPC(9), OTHER(0)) sync => -28] opened',
    'mmfs: [N] This node (172.17.0.102 (gpfs02)) is now Cluster Manager for gpfs01.',
    'mmfs: [I] Accepted and connected to 10.10.1.3 nsd01 <c0n2>',
  ]) assert.deepEqual(decodeLines([line]), [], line); // biome-ignore format: a list
});

test('a Lustre target is lost and restored', () => {
  const lines = [
    'Lustre: scratch-OST0011-osc-ffff9c3b4e2f1000: Connection to scratch-OST0011 (at 10.20.0.7@o2ib) was lost; in progress operations using this service will wait for recovery to complete',
    'Lustre: scratch-OST0011-osc-ffff9c3b4e2f1000: Connection restored to 10.20.0.7@o2ib (at 10.20.0.7@o2ib)',
  ];
  const seen = (apartMs: number) =>
    decodeLines(lines, kernelContext('node-1'), START_MS, apartMs).map(({ kind, state, severity, timeMs, attributes }) => [kind, state, severity, timeMs - START_MS, attributes?.server]); // biome-ignore format: one call
  assert.deepEqual(seen(15_000), [
    ['storage.stall', 'onset', undefined, 0, 'scratch-OST0011'],
    ['storage.stall', 'clear', undefined, 15_000, 'scratch-OST0011'],
  ]);
  assert.deepEqual(seen(2000), [['storage.stall', undefined, 'info', 0, 'scratch-OST0011']], 'a hiccup is a fact');
  assert.equal(decodeLines(lines.slice(0, 1))[0]?.attributes?.network, 'o2ib', 'the network that leads to it');
  const [first, back] = lines;
  assert.ok(first !== undefined && back !== undefined);
  const again = decodeLines([first, back, first], kernelContext('node-1'), START_MS, 2000);
  assert.deepEqual(again.map(({ state, timeMs }) => [state, timeMs - START_MS]), [[undefined, 0], ['onset', 4000]]); // biome-ignore format: one call
});

test('a port goes down and comes up under the address of its card', () => {
  assert.deepEqual(
    brief(['mlx5_core 0000:86:00.0 ens6f0np0: Link down', 'bnxt_en 0000:41:00.1 ens1: NIC Link is Up, 200000 Mbps']),
    [
      ['nic.port_down', 'nic/0000:41:00.1', 'clear', 'ens1'],
      ['nic.port_down', 'nic/0000:86:00.0', 'onset', 'ens6f0np0'],
    ],
    'a port that goes down is held back for some seconds',
  );
});

test('a port that is up again within seconds dropped once', () => {
  const lines = ['mlx5_core 0000:86:00.0 p0: Link down', 'mlx5_core 0000:86:00.0 p0: Link up'];
  const seen = (apartMs: number) =>
    decodeLines(lines, kernelContext('node-1'), START_MS, apartMs).map(({ kind, state, severity, timeMs, attributes }) => [kind, state, severity, timeMs - START_MS, attributes?.down_ms]); // biome-ignore format: one call
  assert.deepEqual(seen(4000), [['nic.link_flap', undefined, 'warning', 0, 4000]]);
  assert.deepEqual(seen(9000), [
    ['nic.port_down', 'onset', undefined, 0, undefined],
    ['nic.port_down', 'clear', undefined, 9000, undefined],
  ]);
});

test('what a card says of its cable and that its port is down are one loss, whichever comes first', () => {
  const [down, cable, up] = [
    'mlx5_core 0000:86:00.0 p0: Link down',
    'mlx5_core 0000:86:00.0: Port module event: module 0, Cable error, Bus stuck (I2C or data shorted)',
    'mlx5_core 0000:86:00.0 p0: Link up',
  ];
  const seen = (lines: string[]) =>
    decodeLines(lines, kernelContext('node-1'), START_MS, 4000).map(({ kind, state, evidence = [] }) => [kind, state, evidence.length]); // biome-ignore format: one call
  const both = [['nic.port_down', 'onset', 2], ['nic.port_down', 'clear', 1]]; // biome-ignore format: one line
  assert.deepEqual(seen([down, cable, up]), both);
  assert.deepEqual(seen([cable, down, up]), both);
  assert.deepEqual(seen([cable]), [['nic.port_down', undefined, 1]]);
});

test('in a saved log the message follows a prefix', () => {
  const lines = [
    'Feb 01 14:25:31 node-1 kernel: nfs: server filer-2 not responding, timed out',
    '[ 12.5] mlx5_core 0000:86:00.0 p0: Link down',
  ];
  assert.equal(brief(lines, false).length, 2);
  assert.deepEqual(brief(lines), [], 'nothing but the kernel begins its own message');
});

test('a queue that sends nothing is reported by its port, in the words of every kernel', () => {
  const seen = decodeLines([
    'r8125 0000:22:04.0 eth4: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5010 ms',
    'mlx5_core 0000:86:00.0 ens6f0np0: NETDEV WATCHDOG: CPU: 41: transmit queue 17 timed out 5120 ms',
    'NETDEV WATCHDOG: eth2 (igb): transmit queue 5 timed out',
    'NETDEV WATCHDOG: ens5 (ena): transmit queue 3 timed out 6012 ms',
    'NETDEV WATCHDOG: eth0 (e1000e): transmit timed out',
    'mlx5_core 0000:86:00.0 ens6f0np0: TX timeout detected',
    'mlx5_core 0000:86:00.0 ens6f0np0: TX timeout on queue: 3, SQ: 0x1a2, CQ: 0x44, SQ Cons: 0x1 SQ Prod: 0x2f, usecs since last trans: 20132000',
  ]).map(({ kind, component, severity, attributes }) => [
    kind,
    component?.id,
    severity,
    attributes?.interface,
    attributes?.transmit_queue,
  ]);
  assert.deepEqual(seen, [
    ['nic.command_timeout', '0000:22:04.0', 'warning', 'eth4', 0],
    ['nic.command_timeout', '0000:86:00.0', 'error', 'ens6f0np0', 17],
    ['nic.command_timeout', 'eth2', 'warning', 'eth2', 5],
    ['nic.command_timeout', 'ens5', 'error', 'ens5', 3],
    ['nic.command_timeout', 'eth0', 'warning', 'eth0', null],
    ['nic.command_timeout', '0000:86:00.0', 'error', 'ens6f0np0', null],
    ['nic.command_timeout', '0000:86:00.0', 'error', 'ens6f0np0', 3],
  ]);
});

test('a management port says nothing of the fabric', () => {
  assert.deepEqual(brief(['tg3 0000:03:00.0 eno1: Link is down', 'e1000e 0000:00:1f.6 eth0: NIC Link is Down']), []);
});
