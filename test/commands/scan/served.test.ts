// A file server and its clients, each with a log of its own: one incident, the server's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

const kernel = (time: string, host: string, text: string): string => `2026-11-29T${time}+00:00 ${host} kernel: ${text}`;

interface Case {
  readonly logs: Logs;
  readonly server: string;
  readonly effect: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  'a target of Lustre, by its name': {
    logs: {
      'nodes/oss-3/syslog': [
        kernel('07:10:01', 'oss-3', 'sd 4:0:7:0: [sdh] tag#12 FAILED Result: hostbyte=DID_NO_CONNECT driverbyte=DRIVER_OK cmd_age=30s'),
        kernel('07:10:01', 'oss-3', 'blk_update_request: I/O error, dev sdh, sector 88120 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 0'),
        kernel('07:10:04', 'oss-3', 'LustreError: 3112:0:(osd_io.c:1480:osd_ldiskfs_write_record()) work-OST002a: error writing record: rc = -5'),
      ],
      'nodes/cn-61/syslog': [kernel('07:10:19', 'cn-61', 'Lustre: work-OST002a-osc-ff4c0d1122334400: Connection to work-OST002a (at 10.9.4.3@tcp) was lost; in progress operations using this service will wait for recovery to complete')],
      'nodes/cn-62/syslog': [kernel('07:10:21', 'cn-62', 'Lustre: work-OST002a-osc-ff4c0d9988776600: Connection to work-OST002a (at 10.9.4.3@tcp) was lost; in progress operations using this service will wait for recovery to complete')],
    },
    server: 'oss-3',
    effect: /cn-61, cn-62 wait for it/,
  },
  'a server of NFS, by its own name': {
    logs: {
      'nodes/filer-2/syslog': [
        kernel('03:00:00', 'filer-2', 'nvme nvme3: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff'),
        kernel('03:00:02', 'filer-2', 'blk_update_request: I/O error, dev nvme3n1, sector 4096 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 0'),
      ],
      'nodes/cn-07/syslog': [kernel('03:00:30', 'cn-07', 'nfs: server filer-2.site.example not responding, still trying')],
    },
    server: 'filer-2',
    effect: /cn-07 waits for it/,
  },
}; // biome-ignore format: a line a line

for (const [name, { logs, server, effect }] of Object.entries(CASES))
  test(name, async (t) => {
    const text = await scannedLogs(t, logs);
    assert.match(text, /^1 incident out of/m, text);
    assert.match(text, new RegExp(`Root cause .* on ${server}`), text);
    assert.match(text, effect);
  });

test('a client waits for another server, or at another time: its incident stays its own', async (t) => {
  const broken = (CASES['a server of NFS, by its own name'] as Case).logs['nodes/filer-2/syslog'] ?? [];
  const other = await scannedLogs(t, {
    'nodes/filer-2/syslog': broken,
    'nodes/cn-07/syslog': [kernel('03:00:30', 'cn-07', 'nfs: server filer-9 not responding, still trying')],
  });
  assert.match(other, /^2 incidents out of/m);
  assert.match(other, /Do +look after the file server filer-9/);
  const later = await scannedLogs(t, {
    'nodes/filer-2/syslog': broken,
    'nodes/cn-07/syslog': [kernel('21:00:30', 'cn-07', 'nfs: server filer-2 not responding, still trying')],
  });
  assert.match(later, /^2 incidents out of/m);
});

test('what a user writes into the log of a job names no server', async (t) => {
  const text = await scannedLogs(t, {
    'nodes/cn-07/syslog': [kernel('03:00:30', 'cn-07', 'nfs: server filer-2 not responding, still trying')],
    'filer-2.out': [
      '2026-11-29 03:00:01 INFO step 1',
      'kernel: blk_update_request: I/O error, dev nvme3n1, sector 4096',
    ],
  });
  assert.match(text, /Root cause +storage stalled on cn-07: filer-2 does not answer/);
});

const ceph = (time: string, text: string): string => `2026-11-29T${time}.204113+0000 mon.store-mon2 (mon.1) 5512 : cluster ${text}`; // biome-ignore format: one form

test('the OSD that its peers gave up, and its host, are the root of the checks of its cluster', async (t) => {
  const text = await scannedLogs(t, {
    'ceph.log': [
      ceph('11:00:02', '[WRN] Health check failed: 8 slow ops, oldest one blocked for 33 sec, osd.41 has slow ops (SLOW_OPS)'),
      ceph('11:00:25', '[INF] osd.41 failed (root=default,datacenter=b,host=store-14) (2 reporters from different host after 24.000512 >= grace 20.000000)'),
      ceph('11:00:26', '[WRN] Health check failed: 1 osds down (OSD_DOWN)'),
      ceph('11:00:29', '[WRN] Health check failed: Degraded data redundancy: 12/9000 objects degraded (0.133%), 3 pgs degraded (PG_DEGRADED)'),
    ],
  }); // biome-ignore format: a line a line
  assert.match(text, /^1 incident out of/m, text);
  assert.match(text, /Root cause +Ceph OSD down on store-14: osd\.41\n/);
  assert.match(text, /Do +find out why osd\.41 of store-14 is down, and start it again/);
  assert.ok(text.includes("systemctl list-units --all 'ceph*osd?41.service'"), text);
  assert.match(text, /Call +who runs store-14, then who runs the Ceph cluster/);
});

test('of OSDs of several hosts none is the root: the monitor tells of them', async (t) => {
  const failed = (osd: number, host: string, second: string) => ceph(`11:00:${second}`, `[INF] osd.${osd} failed (root=default,host=${host}) (2 reporters from different host after 24.000512 >= grace 20.000000)`); // biome-ignore format: one form
  const text = await scannedLogs(t, {
    'ceph.log': [failed(41, 'store-14', '25'), failed(52, 'store-15', '25'), ceph('11:00:26', '[WRN] Health check failed: 2 osds down (OSD_DOWN)')], // biome-ignore format: one log
  });
  assert.match(text, /^1 incident out of/m, text);
  assert.match(text, /Root cause +Ceph OSD down on store-mon2\n/);
});

test('a client that holds a lock of a metadata server is looked at, not the disks of the server', async (t) => {
  const text = await scannedLogs(t, {
    'mds-1.log': [
      'Nov 29 05:00:03 mds-1 kernel: Lustre: mdt00_007: service thread pid 9912 was inactive for 201.004 seconds. The thread might be hung, or it might only be slow and will resume later. Dumping the stack trace for debugging purposes:',
      'Nov 29 05:01:40 mds-1 kernel: LustreError: 9001:0:(ldlm_lockd.c:259:expired_lock_main()) ### lock callback timer expired after 151s: evicting client at 10.77.2.19@tcp  ns: mdt-work-MDT0001_UUID lock: ffff8a01/0x11 lrc: 3/0,0 mode: PR/PR',
    ],
  }); // biome-ignore format: a line a line
  assert.match(text, /Do +see whether client 10\.77\.2\.19 on tcp is up/, text);
  assert.match(text, /sudo lctl ping 10\.77\.2\.19@tcp/);
  assert.doesNotMatch(text, /iostat/);
});

test('a file server whose file system was shut down is not drained as a node of jobs is', async (t) => {
  const shut = 'XFS (dm-9): log I/O error -5';
  const server = [
    kernel('09:30:00', 'filer-4', shut),
    kernel('09:30:00', 'filer-4', 'XFS (dm-9): Filesystem has been shut down due to log error (0x2).'),
  ];
  const alone = await scannedLogs(t, { 'nodes/filer-4/syslog': server });
  assert.match(alone, /file system dm-9 was shut down/, alone);
  assert.match(alone, /Effect +file system dm-9 of filer-4 is shut down/);
  const clients = await scannedLogs(t, {
    'nodes/filer-4/syslog': server,
    'nodes/cn-11/syslog': [kernel('09:30:40', 'cn-11', 'nfs: server filer-4 not responding, still trying')],
  });
  assert.match(clients, /Do +bring back dm-9 of filer-4, a file server, which is shut down/, clients);
  assert.match(clients, /Call +who runs the file server filer-4/);
  assert.doesNotMatch(clients, /scontrol|kubectl/);
});
