// What tools print of states: each row of the catalogue behind the line that begins its tool's output, and what they print when all is well.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import catalog from '#catalog/tool-states.json' with { type: 'json' };
import { isKind } from '../../../../src/model/kind.ts';
import { SEVERITIES } from '../../../../src/model/severity.ts';
import { readReport } from './read-report.ts';

interface Tool {
  readonly tool: string;
  readonly opens?: string;
  readonly rows: readonly {
    readonly line: string;
    readonly kind: string;
    readonly severity?: string;
    readonly of?: string;
    readonly example: string;
  }[];
}

const TOOLS: readonly Tool[] = catalog.tools;
/** As each tool begins. */
const BEGINS: Readonly<Record<string, string>> = {
  smartctl: 'smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.8.0-48-generic] (local build)',
  'nvme smart-log': 'Smart Log for NVME device:nvme3n1 namespace-id:ffffffff',
  'mdadm --detail': '/dev/md0:',
  '/proc/mdstat': 'Personalities : [raid1] [raid6] [raid5] [raid4]',
  'zpool status': '  pool: tank',
  ibstat: "CA 'mlx5_0'",
  'qstat -f': 'queuename                      qtype resv/used/tot. load_avg arch          states',
  ibstatus: "Infiniband device 'mlx5_0' port 1 status:",
  mlxlink: 'Operational Info',
  'ibqueryerrors, of a card': 'Errors for "node-3 mlx5_0"',
  'ibqueryerrors, of a switch': 'Errors for 0x7cfe900300a1b2c0 "MF0;leaf-2:QM8700/U1"',
  iblinkinfo: 'CA: node-3 mlx5_0:',
  'iblinkinfo, of a switch': 'Switch: 0x7cfe900300a1b2c0 MF0;leaf-2:QM8700/U1:',
  'amd-smi': 'GPU: 3',
  'rocm-smi --showrasinfo': 'GPU[3]\t\t: RAS INFO',
  'systemctl status': '● slurmd.service - Slurm node daemon',
  mmgetstate: ' Node number  Node name        GPFS state',
  mmhealth: 'Node name:      gx-04\nGPFS            HEALTHY       9 days ago        -',
  'beegfs-ctl --listtargets --state': 'TargetID     Reachability  Consistency   NodeID',
  'multipath -ll': 'mpatha (3600a098000f7a2) dm-3 NETAPP,INF-01-00',
  ibportstate: '# Port info: Lid 38 port 1',
  'weka status': 'WekaIO v4.2.7 (CLI build 4.2.7)',
  storcli: 'DG/VD TYPE  State Access Consist Cache Cac sCC       Size Name',
  MegaCli: 'Slot Number: 4',
  'smartctl, a part of it': 'SMART/Health Information (NVMe Log 0x02)',
  'mmhealth, a part of it': 'Component       Status        Status Change     Reasons',
  'mdadm --detail, a part of it': '        Raid Level : raid1',
  perfquery: '# Port extended counters: Lid 12 port 1 (CapMask: 0x5300)',
  'nvidia-smi nvlink -e': 'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-555555555555)',
  'scontrol show job': 'JobId=4411 JobName=train',
  'pbsnodes -a': '     Mom = gx-12',
  'pbsnodes -aSj': 'vnode           state           njobs   run   susp      f/t        f/t     f/t     f/t   jobs',
  bhosts: 'HOST_NAME          STATUS          JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV',
  lsload: 'HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem',
  'peltool, of a power supply': '    "Subsystem":                "Power Supply",',
  peltool: '    "Subsystem":                "Memory",',
};

for (const { tool, opens, rows } of TOOLS) {
  test(`${tool}: each row reports its example, with words of the closed lists`, () => {
    const begins = opens === undefined ? [] : [BEGINS[tool] ?? assert.fail(`${tool} has no beginning here`)];
    for (const row of rows) {
      const { findings } = readReport([...begins, row.example].join('\n'));
      const expected = row.of === 'unit' ? findings[0]?.kind : row.kind;
      assert.deepEqual(
        findings.map(({ kind, severity }) => [kind, severity]),
        [[expected, row.of === 'unit' ? findings[0]?.severity : row.severity]],
        row.example,
      );
      assert.ok(isKind(row.kind) && (row.severity === undefined || SEVERITIES.some((word) => word === row.severity)));
      // What is beyond a threshold is known without the line that names the port, too.
      if (opens !== undefined && !tool.startsWith('ibqueryerrors'))
        assert.deepEqual(readReport(row.example).forms, [], `${row.example}: alone`);
    }
  });
}

describe('the device is named', () => {
  for (const [text, expected] of [
    [['Personalities : [raid1]', 'md0 : active raid1 nvme1n1p2[1](F) nvme0n1p2[0]'], 'disk/nvme1'],
    [['smartctl 7.3 2022', 'Serial Number:    S5XANA0R', 'Critical Warning:                   0x04'], 'host/node-1'],
    [['pool: tank', ' state: SUSPENDED'], 'host/node-1'],
    [["CA 'mlx5_4'", '\tPort 1:', '\t\tState: Down', '\t\tPhysical state: Polling'], 'nic/mlx5_4'],
    [
      [
        'CA: hx-5 mlx5_7:',
        ' 0x7cfe900300a1b2c0 97 1[  ] ==( 1X 10.0 Gbps Active/ LinkUp)==> 3 8[  ] "MF0;leaf-2:QM8700/U1" ( Could be 4X)',
      ],
      'nic/mlx5_7',
    ],
    [
      [
        'Switch: 0x7cfe900300a1b2c0 MF0;leaf-2:QM8700/U1:',
        ' 3 8[  ] ==( 1X 10.0 Gbps Active/ LinkUp)==> 97 1[  ] "hx-5 mlx5_7" ( Could be 4X)',
      ],
      'nic/mlx5_7',
    ],
    [
      [
        'Switch: 0x7cfe900300a1b2c0 MF0;leaf-2:QM8700/U1:',
        ' 3 9[  ] ==( 1X 10.0 Gbps Active/ LinkUp)==> 12 1[  ] "MF0;spine-1:QM8700/U1" ( Could be 4X)',
      ],
      'nic/9',
    ],
    [['Errors for "hx-5 mlx5_7"', '   GUID 0x7cfe900300a1b2c0 port 1: [PortRcvErrors == 7]'], 'nic/mlx5_7'],
    [[' Node number  Node name        GPFS state', '      4      gx-04           down'], 'host/gx-04'],
    [['● nvidia-fabricmanager.service loaded failed failed NVIDIA fabric manager service'], 'host/node-1'],
  ] as const)
    test(text.at(-1)?.trim() ?? '', () => {
      assert.deepEqual(
        readReport(text.join('\n')).faults.map(([, component]) => component),
        [expected],
      );
    });
});

const WELL = [
  'CA: hx-5 mlx5_7:',
  '      0x7cfe900300a1b2c0     97    1[  ] ==( 4X       106.25 Gbps Active/  LinkUp)==>       3    8[  ] "MF0;leaf-2:QM8700/U1" ( )',
  'Switch: 0x7cfe900300a1b2c1 MF0;leaf-2:QM8700/U1:',
  '           3    8[  ] ==( 4X       106.25 Gbps Active/  LinkUp)==>      97    1[  ] "hx-5 mlx5_7" ( )',
  '           3    9[  ] ==(                Down/ Polling)==>             [  ] "" ( )',
  'Errors for "hx-5 mlx5_7"',
  '   GUID 0x7cfe900300a1b2c0 port 1: [PortXmitWait == 88122] [PortXmitDiscards == 4]',
  'smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.8.0-48-generic] (local build)',
  'Device Model:     ST4000NM0035-1V4107',
  'SMART overall-health self-assessment test result: PASSED',
  '  5 Reallocated_Sector_Ct   0x0033   100   100   010    Pre-fail  Always       -       0',
  '197 Current_Pending_Sector  0x0012   100   100   000    Old_age   Always       -       0',
  '# 1  Extended offline    Completed without error       00%     20114         -',
  'Critical Warning:                   0x00',
  'Media and Data Integrity Errors:    0',
  'Smart Log for NVME device:nvme0 namespace-id:ffffffff',
  'critical_warning\t\t\t: 0',
  'critical_warning\t\t\t: 0x00',
  'media_errors\t\t\t\t: 0',
  '/dev/md0:',
  '             State : clean',
  '       1       8       17        1      active sync   /dev/sdb1',
  'Personalities : [raid1]',
  'md0 : active raid1 sdb1[1] sda1[0]',
  '      976630336 blocks super 1.2 [2/2] [UU]',
  '  pool: tank',
  ' state: ONLINE',
  '\t    sdc     ONLINE       0     0     0',
  'errors: No known data errors',
  'pool: default',
  'state: Running',
  'Oct 10 2026 10:39:51.709234009 sysevent.fs.zfs.config_sync',
  'Oct 10 2026 10:39:51.709234009 ereport.fs.zfs.vdev.unknown',
  'ZFS has finished a scrub:',
  "CA 'mlx5_0'",
  '\tPort 1:',
  '\t\tState: Active',
  '\t\tPhysical state: LinkUp',
  "CA 'mlx5_2'",
  '\t\tState: Down',
  '\t\tPhysical state: Disabled',
  'link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ib0',
  'link mlx5_1/1 state DOWN physical_state DISABLED netdev eth0',
  'Operational Info',
  'State                              : Active',
  'Recommendation                     : No issue was observed',
  'GPU: 0',
  '        TOTAL_UNCORRECTABLE_COUNT: 0',
  '        SOCKET_THERMAL_VIOLATION_STATUS: NOT ACTIVE',
  '● snapd.service loaded failed failed Snap Daemon',
  '● slurmd.service - Slurm node daemon',
  '     Active: active (running) since Sat 2026-11-28 10:01:12 UTC; 3h ago',
  'scratch-OST0007-osc-ffff9d2c4a1f8000: active.',
  ' Node number  Node name        GPFS state',
  '      4      gx-04           active',
  'TargetID     Reachability  Consistency   NodeID',
  '     301     Online        Good          3',
  'mpatha (3600a098000f7a2) dm-3 NETAPP,INF-01-00',
  '  |- 3:0:0:1 sdc 8:32 active ready running',
  'DG/VD TYPE  State Access Consist Cache Cac sCC       Size Name',
  '0/1   RAID5 Optl  RW     Yes     RWBD  -   ON  10.914 TB',
  '   physicaldrive 1I:1:3 (port 1I:box 1:bay 3, SAS HDD, 1.2 TB, OK)',
  "Infiniband device 'mlx5_0' port 1 status:",
  '\tphys state:\t 5: LinkUp',
  '\tlink_layer:\t InfiniBand',
  "CA 'mlx5_3'",
  '\t\tState: Down',
  '\t\tPhysical state: Disabled',
  '\t\tLink layer: Ethernet',
  'JobId=4411 JobName=train',
  '   JobState=RUNNING Reason=None Dependency=(null)',
  '   JobState=PENDING Reason=Resources Dependency=(null)',
  '   JobState=CANCELLED Reason=None Dependency=(null)',
  'Slurmctld(primary) at gx-ctl is UP',
  '     Mom = gx-12',
  '     state = free',
  '     state = job-exclusive',
  'vnode           state           njobs   run   susp      f/t        f/t     f/t     f/t   jobs',
  'gx-13           free                 0     0      0    1tb/1tb   128/128     0/0     8/8 --',
  'HOST_NAME          STATUS          JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV',
  'gx-12              ok                 -     64      0      0      0      0      0',
  'gx-13              closed_Full        -     64     64     64      0      0      0',
  'gx-14              closed_Adm         -     64      0      0      0      0      0',
  'HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem',
  'gx-12               ok   0.0   0.1   0.1   2%   0.0   1   120  700G   8G  900G',
  'SMART/Health Information (NVMe Log 0x02)',
  'Critical Warning:                   0x00',
  'OST0001_UUID             100.0T       10.0T       90.0T  10% /scratch[OST:1]',
  'Component       Status        Status Change     Reasons',
  'GPFS            HEALTHY       2 days ago        -',
  '# Port extended counters: Lid 12 port 1 (CapMask: 0x5300)',
  'SymbolErrorCounter:..............3',
  'PortXmitWait:....................104711',
  'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-11111111-2222-3333-4444-555555555555)',
  '\t Link 1: Recovery Errors: 0',
  '\t Link 1: Replay Errors: 2',
  '2: eno1: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN mode DEFAULT group default qlen 1000',
  '3: ib0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 2044 qdisc mq state UP mode DEFAULT group default qlen 256',
  '4: ib1: <BROADCAST,MULTICAST> mtu 4092 qdisc noop state DOWN mode DEFAULT group default qlen 256',
  '        Raid Level : raid1',
  '             State : active',
  'mc0: 0 Uncorrected Errors with no DIMM info',
  'mc0: csrow0: CPU_SrcID#0_MC#0_Chan#0_DIMM#0: 0 Corrected Errors',
  'edac-util: No errors to report.',
];

test('what they print when all is well reports nothing', () => {
  assert.deepEqual(readReport(WELL.join('\n')).findings, []);
});

test('no row takes a line of another tool, or an empty one', () => {
  for (const { rows } of TOOLS) for (const { line } of rows) assert.ok(!new RegExp(`^(?:${line})$`).test(''), line);
});

test('a port of InfiniBand whose link is up but that is down is not one that is active', () => {
  const port = (state: string) => `CA 'mlx5_4'\n\tPort 1:\n\t\tState: ${state}\n\t\tPhysical state: LinkUp`;
  assert.deepEqual(readReport(port('Down')).faults, [['nic.port_down', 'nic/mlx5_4']]);
  assert.deepEqual(readReport(port('Active')).faults, []);
  assert.deepEqual(readReport(`${port('Down')}\n${port('Active')}`).faults, [['nic.port_down', 'nic/mlx5_4']]);
});

test('the whole of mmhealth: the port that it names, behind the heading of its table too, and GPFS alone where that is down', () => {
  const port = 'NETWORK        DEGRADED      12 min. ago       ib_rdma_port_width_low(mlx5_2/1)';
  const head = ['Node name:      gx-44.example', 'Component      Status        Status Change     Reasons & Notices'];
  const link = readReport([...head, 'GPFS           HEALTHY       9 days ago        -', port].join('\n')).findings;
  assert.deepEqual(
    link.map(({ kind, component, severity }) => [kind, component?.id, component?.host, severity]),
    [['nic.link_degraded', 'mlx5_2', 'gx-44.example', undefined]],
  );
  const down = readReport(
    [...head, 'GPFS           FAILED        12 min. ago       gpfs_down', port].join('\n'),
  ).findings;
  assert.deepEqual(
    down.map(({ kind, severity }) => [kind, severity]),
    [
      ['storage.stall', undefined],
      ['nic.link_degraded', 'info'],
    ],
  );
});
