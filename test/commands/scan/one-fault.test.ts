// One fault is one incident, over the hosts and logs that report it; two faults stay two.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

const DAY = 'Nov 20';
const sel = (time: string, what: string): string => `9 | 11/20/2026 | ${time} | ${what} | Asserted`;
const NO_INPUT = 'Power Supply PS2 Status | Power Supply AC lost';

const kern = (time: string, host: string, text: string): string => `${DAY} ${time} ${host} kernel: ${text}`;
const LOST = 'NVRM: Xid (PCI:0000:4e:00): 79, pid=2211, name=python, GPU has fallen off the bus.';
const lustre = (target: string, at: string): string =>
  `Lustre: ${target}-osc-ffff9a: Connection to ${target} (at ${at}@o2ib) was lost; in progress operations using this service will wait for recovery to complete`;
const unreadable = (disk: string): string =>
  `sd 0:0:5:0: [${disk}] tag#1 FAILED Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK`;

async function incidentsOf(t: TestContext, logs: Logs): Promise<{ count: number; text: string }> {
  const text = await scannedLogs(t, logs);
  return { count: text.match(/^INCIDENT/gm)?.length ?? 0, text };
}

test('supplies of several hosts that lose their input at once hang on one feed; hours apart they do not', async (t) => {
  const logs = (second: string): Logs => ({
    'gx-1-sel.txt': [sel('03:12:41', NO_INPUT)],
    'gx-2-sel.txt': [sel(second, NO_INPUT)],
  });
  const { count, text } = await incidentsOf(t, logs('03:12:44'));
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +power supply lost its input on gx-1 psu 2, and on gx-2: the feed that they share/);
  assert.match(text, /Do +find the feed that gx-1 and gx-2 share/);
  assert.match(text, /Call +the facility/);
  const apart = await incidentsOf(t, logs('09:40:12'));
  assert.equal(apart.count, 2, apart.text);
});

test('the breaker before them, and the hosts that are missed after it, are of one incident', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'pdu.log': [`${DAY} 14:02:10 pdu-r12-a PDU: Breaker 3 tripped on bank 2`],
    'gx-4-sel.txt': [sel('14:02:12', NO_INPUT)],
    'slurmctld.log': ['[2026-11-20T14:07:20.201] error: Nodes gx-[31-33] not responding, setting DOWN'],
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +breaker open on pdu-r12-a/);
});

test('hosts that get hot with the inlet of one have their air in common', async (t) => {
  const inlet = 'Temperature Inlet Temp | Upper Critical going high';
  const { count, text } = await incidentsOf(t, {
    'gx-1-sel.txt': [sel('13:06:11', inlet)],
    'gx-2-sel.txt': [sel('13:07:30', inlet)],
    'gx-3.log': [
      kern('13:12:02', 'gx-3', 'CPU12: Package temperature above threshold, cpu clock throttled (total events = 1)'),
    ],
  });
  assert.equal(count, 1, text);
  assert.match(text, /inlet too warm on gx-1, and on gx-2 and gx-3: air or coolant that they share/);
  const apart = await incidentsOf(t, {
    'gx-1-sel.txt': [sel('03:06:11', inlet)],
    'gx-2-sel.txt': [sel('13:07:30', inlet)],
  });
  assert.equal(apart.count, 2, apart.text);
});

test('clients that miss one server are one incident, by its address; of two servers they are two', async (t) => {
  const logs = (other: string, at: string): Logs => ({
    'a.log': [kern('10:02:12', 'gx-1', lustre('work-OST0004', '10.1.0.3'))],
    'b.log': [kern('10:02:15', 'gx-2', lustre(other, at))],
  });
  const { count, text } = await incidentsOf(t, logs('work-OST0005', '10.1.0.3'));
  assert.equal(count, 1, text);
  assert.match(text, /work-OST0004 does not answer, and on gx-2/);
  const apart = await incidentsOf(t, logs('home-OST0001', '10.1.0.9'));
  assert.equal(apart.count, 2, apart.text);
});

test('a second target of a server is known by the address of its first one', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'oss.log': [
      kern('10:01:02', 'oss3', unreadable('sdk')),
      kern(
        '10:01:07',
        'oss3',
        'LustreError: 12211:0:(ofd_obd.c:1210:ofd_create()) work-OST0004: unable to precreate: rc = -30',
      ),
    ],
    'a.log': [kern('10:02:12', 'gx-1', lustre('work-OST0004', '10.1.0.3'))],
    'b.log': [kern('10:02:15', 'gx-2', lustre('work-OST0005', '10.1.0.3'))],
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +storage I\/O error on oss3 disk sdk/);
});

test('disks that go at once share a controller; a disk of another hour does not', async (t) => {
  const logs = (second: string): Logs => ({
    'st.log': [kern('10:59:40', 'st4', unreadable('sdf')), kern(second, 'st4', unreadable('sdg'))],
    'ceph.log': [
      '2026-11-20T11:00:01.112+0000 mon.a (mon.0) 9121 : cluster [INF] osd.12 failed (root=default,host=st4) (3 reporters from different host after 20.1 >= grace 20.0)',
    ],
  });
  const { count, text } = await incidentsOf(t, logs('10:59:41'));
  assert.equal(count, 1, text);
  const apart = await incidentsOf(t, logs('16:59:41'));
  assert.equal(apart.count, 2, apart.text);
});

test('a GPU by its address, by its UUID, as the reason why its node is not ready, and of its drain is one', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'kern.log': [kern('04:00:01', 'gn-7', LOST)],
    'device-plugin.log': [
      'W1120 04:00:02.101100       1 health.go:170] XidCriticalError: Xid=79 on Device=GPU-1a2b3c4d-0000-1111-2222-333344445555; marking device as unhealthy.',
    ],
    'events.txt': [
      '2026-11-20T04:01:10Z   Warning   NodeNotReady    node/gn-7   Node gn-7 status is now: NodeNotReady',
    ],
    'slurmctld.log': [
      '[2026-11-20T04:02:10.000] update_node: node gn-7 reason set to: gpu check failed',
      '[2026-11-20T04:02:10.001] update_node: node gn-7 state set to DRAINED',
    ],
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +GPU fell off the bus on gn-7 gpu 0000:4e:00\.0/);
});

test('a link that flaps for minutes, at both ends, is one incident with its count', async (t) => {
  const times = [
    ['01:00:01', '01:00:09'],
    ['01:05:31', '01:05:38'],
    ['01:12:02', '01:12:10'],
  ] as const;
  const { count, text } = await incidentsOf(t, {
    'gx-5.log': times.flatMap(([down, up]) => [
      kern(down, 'gx-5', 'mlx5_core 0000:5e:00.0 ens5f0np0: Link down'),
      kern(up, 'gx-5', 'mlx5_core 0000:5e:00.0 ens5f0np0: Link up'),
    ]),
    'leaf3.log': times.flatMap(([down, up]) => [
      `${DAY} ${down} leaf3 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/17 is down (Link failure)`,
      `${DAY} ${up} leaf3 %ETHPORT-5-IF_UP: Interface Ethernet1/17 is up in mode trunk`,
    ]),
  });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +NIC port down on gx-5 ens5f0np0, 3 times, and at once leaf3 port Ethernet1\/17/);
});

test('what a rank on another host says of its lost peer is of the only fault of those moments', async (t) => {
  const refused = (time: string): string =>
    `2026-11-20 ${time} gx-84:1122:1190 [3] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.0.0.83<40112> failed : Connection refused`;
  const logs = (time: string): Logs => ({
    'gx-83.log': [kern('11:00:01', 'gx-83', LOST)],
    'gx-84-job.log': [refused(time)],
  });
  const { count, text } = await incidentsOf(t, logs('11:00:04'));
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +GPU fell off the bus on gx-83/);
  const apart = await incidentsOf(t, logs('15:00:04'));
  assert.equal(apart.count, 2, apart.text);
});

test('ranks that lose a pod which its node evicted are of that eviction', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'events.txt': [
      '2026-11-20T12:00:03Z   Warning   Evicted   pod/trainer-2    The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi.',
      '2026-11-20T12:00:04Z   Normal    NodeHasDiskPressure   node/gn-9    Node gn-9 status is now: NodeHasDiskPressure',
    ],
    'trainer-0.log': [
      '2026-11-20T12:00:06Z [rank0]: torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error, NCCL version 2.20.5',
    ],
  });
  assert.equal(count, 1, text);
});

test('the restart of a host after its fault, its links and that it is missed are of that fault', async (t) => {
  const restart = [
    `${DAY} 08:20:13 gx-9 systemd-logind[900]: System is rebooting.`,
    kern('08:20:20', 'gx-9', 'mlx5_core 0000:5e:00.0 ens5f0np0: Link down'),
    kern('08:24:01', 'gx-9', 'Linux version 5.15.0-91-generic (buildd@lcy02) (gcc 11.4.0)'),
    kern('08:24:09', 'gx-9', 'mlx5_core 0000:5e:00.0 ens5f0np0: Link up'),
  ];
  const others = {
    'leaf7.log': [
      `${DAY} 08:20:20 leaf7 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/9 is down (Link failure)`,
      `${DAY} 08:24:09 leaf7 %ETHPORT-5-IF_UP: Interface Ethernet1/9 is up in mode trunk`,
    ],
    'slurmctld.log': [
      '[2026-11-20T08:21:40.000] error: Nodes gx-9 not responding',
      '[2026-11-20T08:25:10.000] Node gx-9 now responding',
    ],
  };
  const { count, text } = await incidentsOf(t, { 'gx-9.log': [kern('08:00:01', 'gx-9', LOST), ...restart], ...others });
  assert.equal(count, 1, text);
  assert.match(text, /Root cause +GPU fell off the bus on gx-9/);
  const quiet = await incidentsOf(t, { 'gx-9.log': restart, ...others });
  assert.equal(quiet.count, 0, quiet.text);
});

test('faults of two hosts in one minute, which share nothing, stay two', async (t) => {
  const { count, text } = await incidentsOf(t, {
    'gx-1.log': [kern('03:00:01', 'gx-1', LOST)],
    'gx-2.log': [
      kern('03:00:41', 'gx-2', 'nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff'),
    ],
  });
  assert.equal(count, 2, text);
});
