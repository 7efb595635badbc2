// What scontrol and sinfo print of nodes: the reason of one that is out of service, and who drained it where a person did; never of one that is back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlurmNodes } from '../../../../src/detection/text/report/slurm-nodes.ts';
import { readReport } from './read-report.ts';

function reported(text: string): string[] {
  const reader = new SlurmNodes('head-1');
  return text
    .split('\n')
    .flatMap((line) => (reader.take(line)?.findings ?? []).map(({ kind, component }) => `${kind} ${component?.id}`));
}

const shown = (state: string, reason: string): string =>
  [
    'NodeName=gx-4 Arch=x86_64 CoresPerSocket=64',
    '   Gres=gpu:h200:8(S:0-1)',
    `   State=${state} ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A`,
    `   Reason=${reason} [slurm@2026-11-28T12:00:24]`,
  ].join('\n');
const GRES = 'gres/gpu count reported lower than configured (7 < 8)';

test('scontrol show node: the reason of a node that is out of service', () => {
  assert.deepEqual(reported(shown('IDLE+DRAIN', GRES)), ['gpu.missing gx-4']);
  assert.deepEqual(reported(shown('DOWN*+DRAIN', 'Not responding')), ['host.down gx-4']);
  assert.deepEqual(reported(shown('MIXED', GRES)), []);
  assert.deepEqual(reported(shown('IDLE+DRAIN', 'new DIMMs on Monday')), ['host.drained gx-4']);
  assert.deepEqual(reported(shown('MIXED', 'new DIMMs on Monday')), []);
});

test('scontrol -o: all of a node in one line', () => {
  const line = shown('DOWN+DRAIN', 'Kill task failed').replaceAll(/\n\s+/g, ' ');
  assert.deepEqual(reported(line), ['host.hung_task gx-4']);
});

test('sinfo -R: reasons that the table cut, and those of persons', () => {
  const table = [
    'REASON               USER      TIMESTAMP           NODELIST',
    'Not responding       slurm     2026-11-28T12:00:24 gx-[12-13]',
    'gres/gpu count repor slurm     2026-11-28T12:00:24 gx-004',
    'Kill task failed     root      2026-11-28T12:00:24 gx-005',
    'rack work            kim       2026-11-28T12:00:24 gx-006',
  ];
  assert.deepEqual(reported(table.join('\n')), [
    'host.down gx-12',
    'host.down gx-13',
    'gpu.missing gx-004',
    'host.hung_task gx-005',
    'host.drained gx-006',
  ]);
  // Without its head only the reasons that Slurm gives by itself.
  assert.deepEqual(reported(table.slice(1).join('\n')), [
    'host.down gx-12',
    'host.down gx-13',
    'gpu.missing gx-004',
    'host.hung_task gx-005',
  ]);
});

test('sinfo: rows of its own columns whose head was cut off', () => {
  const rows = [
    'gpu*         up   infinite      1  down* gx-07',
    'gpu*         up 7-00:00:00      3    mix gx-[01-03]',
    'gpu*         up   infinite      2   idle gx-[04-05]',
  ];
  assert.deepEqual(reported(rows.join('\n')), ['host.down gx-07']);
  assert.deepEqual(reported('eth0 up 12:30 1 down* because of gx-07\njob up 5 down* gx-07'), []);
});

test('sinfo -N -l and sinfo: states with the reason of each node, or a star where a node does not answer', () => {
  const byNode = [
    'Thu Jun  9 22:22:36 2016',
    'NODELIST    NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT FEATURES REASON',
    'gx-001          1     main*       down*   12   12:1:1  64267        0      1   (null) Not responding',
    'gx-002          1     main*        idle   12   12:1:1  64267        0      1   (null) none',
    'gx-003          1     main*     drained   12   12:1:1  64267        0      1   (null) Kill task failed',
    'gx-004          1     main*     drained   12   12:1:1  64267        0      1   (null) rack work',
    'gx-005          1     main*       mixed   12   12:1:1  64267        0      1   (null) Not responding',
  ];
  assert.deepEqual(readReport(byNode.join('\n')).faults, [
    ['host.down', 'host/gx-001'],
    ['host.hung_task', 'host/gx-003'],
    ['host.drained', 'host/gx-004'],
  ]);
  assert.deepEqual(readReport(byNode.slice(2).join('\n')).faults, []);
  const byState = [
    'PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST',
    'main*        up   infinite      2  down* gx-[001-002]',
    'main*        up   infinite      1   down gx-003',
    'main*        up   infinite      9   idle gx-[004-012]',
    'main*        up   infinite      1  idle* gx-013',
    'spare        up   infinite      0    n/a',
  ];
  assert.deepEqual(readReport(byState.join('\n')).faults, [
    ['host.down', 'host/gx-001'],
    ['host.down', 'host/gx-002'],
  ]);
});

test('sinfo -R with its command in the same line, and reasons cut at 20 letters', () => {
  const rows = [
    'sinfo -R REASON USER TIMESTAMP NODELIST',
    'Kill task failed root 2026-11-28T12:00:24 gx-003',
    'Low socket*core*thre slurm     2026-11-28T12:00:24 gx-004',
    'Low TmpDisk          slurm     2026-11-28T12:00:24 gx-005',
    'rack work            kim       2026-11-28T12:00:24 gx-006',
  ];
  assert.deepEqual(readReport(rows.join('\n')).faults, [
    ['host.hung_task', 'host/gx-003'],
    ['host.part_missing', 'host/gx-004'],
    ['host.part_missing', 'host/gx-005'],
    ['host.drained', 'host/gx-006'],
  ]);
});

test('sinfo with any columns in any order, by their head: the reason is what the others leave', () => {
  const asked = [
    'NODELIST   REASON               USER      TIMESTAMP           STATE',
    'gx-031     NHC: check_nvsmi_hea root      2026-11-28T02:00:00 drained',
    'gx-032     Kill task failed     root      2026-11-28T02:44:11 drained',
    'gx-033     Not responding       slurm     2026-11-28T03:11:00 down*',
    'gx-034     kim: new cables      root      2026-11-28T03:15:00 drained',
    'gx-035     none                 Unknown   Unknown             idle',
  ];
  assert.deepEqual(readReport(asked.join('\n')).faults, [
    ['host.degraded', 'host/gx-031'],
    ['host.hung_task', 'host/gx-032'],
    ['host.down', 'host/gx-033'],
    ['host.drained', 'host/gx-034'],
  ]);
  const hosts = [
    'HOSTNAMES STATE CPU_LOAD FREE_MEM REASON',
    'gx-041 idle 0.10 990000 none',
    'gx-042 drained 0.02 990000 gres/gpu count reported lower than configured (7 < 8)',
    'gx-043 down* N/A N/A none',
  ];
  assert.deepEqual(readReport(hosts.join('\n')).faults, [
    ['gpu.missing', 'host/gx-042'],
    ['host.down', 'host/gx-043'],
  ]);
  const backwards = ['STATE REASON NODELIST', 'drained rack work today gx-051', 'mixed none gx-052'];
  assert.deepEqual(readReport(backwards.join('\n')).faults, [['host.drained', 'host/gx-051']]);
});

test('a line in capitals does not head a list of nodes without a column of nodes, nor are rows after other text rows', () => {
  assert.deepEqual(readReport('STATE REASON\ndrained GPU lost').faults, []);
  assert.deepEqual(readReport('gx-042 drained 0.02 990000 gres/gpu count too low (7 < 8)').faults, []);
});

test('scontrol: a node that is down for no reason that is given is down; one that was switched off or is drained is not', () => {
  const shown = (state: string, ...more: string[]) =>
    ['NodeName=gx-061 Arch=x86_64 CoresPerSocket=1', `   State=${state} ThreadsPerCore=1 TmpDisk=0`, '   Partitions=gpu', ...more].join('\n'); // biome-ignore format: one node
  assert.deepEqual(readReport(shown('DOWN')).faults, [['host.down', 'host/gx-061']]);
  assert.deepEqual(readReport(shown('DOWN*', 'NodeName=gx-062 Arch=x86_64', '   State=IDLE')).faults, [
    ['host.down', 'host/gx-061'],
  ]);
  for (const state of ['DOWN+CLOUD+POWERED_DOWN', 'DOWN+DRAIN', 'IDLE', 'ALLOCATED'])
    assert.deepEqual(readReport(shown(state)).faults, [], state);
  const why = shown('DOWN', '   Reason=Kill task failed [root@2026-11-28T02:44:11]');
  assert.deepEqual(readReport(why).faults, [['host.hung_task', 'host/gx-061']]);
});

test('sinfo with two columns, in the capitals of a site', () => {
  const rows = ['REASON                   NODELIST', 'ECC errors               gx-[071-072]', 'NOT RESPONDING           gx-073', 'new memory on Monday     gx-074']; // biome-ignore format: one table
  assert.deepEqual(readReport(rows.join('\n')).faults, [
    ['host.degraded', 'host/gx-071'],
    ['host.degraded', 'host/gx-072'],
    ['host.down', 'host/gx-073'],
    ['host.drained', 'host/gx-074'],
  ]);
});

test('a drained node that does not answer is silent, and a reason that was cut is whole', () => {
  const head = 'PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST';
  assert.deepEqual(readReport(`${head}\ngpu*         up   infinite      1 drain* gx-081`).faults, [['host.down', 'host/gx-081']]); // biome-ignore format: one line
  assert.deepEqual(readReport(`${head}\ngpu*         up   infinite      1   idle gx-081`).faults, []);
  const reason = (cut: string) => readReport(`REASON               USER      TIMESTAMP           NODELIST\n${cut} slurm     2026-11-28T12:00:00 gx-082`).faults; // biome-ignore format: one line
  assert.deepEqual(reason('SlurmdSpoolDir is fu'), [['host.disk_full', 'host/gx-082']]);
  assert.deepEqual(reason('ResumeTimeout reache'), [['host.down', 'host/gx-082']]);
  assert.deepEqual(reason('Node unexpectedly re'), [['host.degraded', 'host/gx-082']]);
});
