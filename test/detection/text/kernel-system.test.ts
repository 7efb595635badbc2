// Kernel lines without an XID: driver messages, identities, out-of-memory kills, hung tasks, lockups, crashes, panics.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { decodeLines, kernelRecord, type Shape, START_MS, testShapes } from './lines.ts';

const shapes: readonly Shape[] = [
  ['NVRM: GPU 0000:92:00.0: GPU has fallen off the bus.', 'gpu.lost', 'gpu/0000:92:00.0', { xid: undefined }],
  ['NVRM: GPU at 0000:02:00.0 has fallen off the bus.', 'gpu.lost', 'gpu/0000:02:00.0', {}],
  ['NVRM: The NVIDIA GPU 0000:b4:00.0\\x0aNVRM: (PCI ID: 10de:2330) installed in this system has\\x0aNVRM: fallen off the bus and is not responding to commands.', 'gpu.lost', 'gpu/0000:b4:00.0', {}],
  ['NVRM: fallen off the bus and is not responding to commands.', 'gpu.lost', null, {}],
  ['NVRM: GPU 0000:03:00.0: RmInitAdapter failed! (0x24:0x65:1423)', 'gpu.init_failure', 'gpu/0000:03:00.0', { code: '0x24:0x65:1423' }],
  ['NVRM: GPU 0000:03:00.0: rm_init_adapter failed, device minor number 2', 'gpu.init_failure', 'gpu/0000:03:00.0', {}],
  ['NVRM: API mismatch: the client has the version 535.104.05, but\\x0aNVRM: this kernel module has the version 535.86.10.  Please\\x0aNVRM: make sure that this kernel module and all NVIDIA driver\\x0aNVRM: components have the same version.', 'gpu.driver_unsupported', 'host/node-1', { library: '535.104.05', module: '535.86.10' }],
  ['NVRM: API mismatch: the client has the version ', 'gpu.driver_unsupported', 'host/node-1', { library: undefined, module: undefined }],
  ['NVRM: API mismatch: the client has the version 550.90.07, but', 'gpu.driver_unsupported', 'host/node-1', { library: '550.90.07', module: undefined }],
  ['NVRM: this kernel module has the version 550.54.15.  Please', 'gpu.driver_unsupported', 'host/node-1', { library: undefined, module: '550.54.15' }],
  ["NVRM: API mismatch: the client 'nvidia-smi' (pid 77)", 'gpu.driver_unsupported', 'host/node-1', { client: 'nvidia-smi', client_pid: 77 }],
  ['NVRM: has the version 550.90.07, but this kernel module has', 'gpu.driver_unsupported', 'host/node-1', { library: '550.90.07' }],
  ['NVRM: the version 550.54.15.  Please make sure that this', 'gpu.driver_unsupported', 'host/node-1', { module: '550.54.15' }],
  ["NVRM: API mismatch: the client 'nvidia-smi' (pid 77)\\x0aNVRM: has the version 999.99.99, but\\x0aNVRM: this kernel module has the version 570.86.10.  Please", 'gpu.driver_unsupported', 'host/node-1', { library: '999.99.99', module: '570.86.10', client: 'nvidia-smi', client_pid: 77 }],
  ['NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024', 'driver.reloaded', 'host/node-1', { driver: '535.183.01', open_module: false }],
  ['NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build', 'driver.reloaded', 'host/node-1', { driver: '580.65.06', open_module: true }],
  ['NVRM: Rate limiting GSP RPC error prints for GPU at PCI:0000:9c:00 (printing 1 of every 30).  The GPU likely needs to be reset.', 'gpu.driver_notice', 'gpu/0000:9c:00.0', { notice: 'rate_limited', one_in: 30 }],
  ['Out of memory: Killed process 4321 (python3) total-vm:91234kB, anon-rss:81234kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:1kB oom_score_adj:0', 'host.oom', 'process/4321', { pid: 4321, process: 'python3', anon_rss_kib: 81_234, constraint: undefined }],
  ['Memory cgroup out of memory: Killed process 4322 (a) b) total-vm:1kB, anon-rss:7kB', 'host.oom', 'process/4322', { process: 'a) b', constraint: 'CONSTRAINT_MEMCG' }],
  ['Out of memory: Kill process 4323 (java) score 900 or sacrifice child', 'host.oom', 'process/4323', { process: 'java' }],
  ['Out of memory: Killed process 4324, UID 33, (apache2)', 'host.oom', 'process/4324', { process: 'apache2' }],
  ['oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0-1,oom_memcg=/pod1,task_memcg=/pod1/c2,task=dataloader,pid=4325,uid=0', 'host.oom', 'process/4325', { process: 'dataloader', memcg: '/pod1/c2', constraint: 'CONSTRAINT_MEMCG' }],
  ['oom_reaper: reaped process 4326 (worker), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB', 'host.oom', 'process/4326', { process: 'worker' }],
  ['INFO: task ray::IDLE:5151 blocked for more than 120 seconds.', 'host.hung_task', 'process/5151', { process: 'ray::IDLE', blocked_s: 120 }],
  ['INFO: task kworker/u256:3+flush-8:0:77 blocked for more than 241 seconds.', 'host.hung_task', 'process/77', { process: 'kworker/u256:3+flush-8:0' }],
  ['task:python3.12      state:D stack:    0 pid:5152 ppid: 12 flags:0x00000002', 'host.hung_task', 'process/5152', { process: 'python3.12', state: 'D' }],
  ['watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [python3:5153]', 'host.soft_lockup', 'host/node-1', { cpu: 7, stuck_s: 23, process: 'python3', pid: 5153 }],
  ['NMI watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [python3:5153]', 'host.soft_lockup', 'host/node-1', { cpu: 7, stuck_s: 23, process: 'python3', pid: 5153 }],
  ['pt_main_thread[5154]: segfault at 7f00 ip 00007f01 sp 00007f02 error 4 in libnccl.so.2[7f0000000000+d00000]', 'process.segfault', 'process/5154', { process: 'pt_main_thread', library: 'libnccl.so.2' }],
  ['traps: python3[5155] general protection fault ip:7f1 sp:7f2 error:0 in libcuda.so.1[7f0+1]', 'process.segfault', 'process/5155', { process: 'python3', library: 'libcuda.so.1' }],
  ['Kernel panic - not syncing: Fatal hardware error!', 'host.panic', 'host/node-1', { reason: 'Fatal hardware error!' }],
]; // biome-ignore format: one shape a line

testShapes(shapes);

for (const line of [
  'mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link ACTIVE',
  'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),',
  'nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected invalid context, skipping further processing',
  'NVRM: The NVIDIA probe routine failed for 1 device(s).',
  'task:python3.12      state:R stack:    0 pid:5152 ppid: 12 flags:0x00000002',
  'NVRM: GPU4 RPC history (CPU -> GSP):',
]) {
  test(`nothing from: ${line.slice(0, 60)}`, () => assert.deepEqual(decodeLines([line]), []));
}

test('a GPU that three lines say is off the bus has the address of the first', () => {
  const lines = [
    'NVRM: The NVIDIA GPU 0000:b5:00.0',
    'NVRM: (PCI ID: 10de:2330) installed in this system has',
    'NVRM: fallen off the bus and is not responding to commands.',
  ];
  const events = decodeLines(lines);
  assert.deepEqual(
    events.map((event) => event.component?.id),
    ['0000:b5:00.0'],
  );
});

test('an address of an unfinished message is not given to a later fault', () => {
  const lines = [
    'NVRM: The NVIDIA GPU 0000:b5:00.0',
    ...['a', 'b', 'c', 'd'].map((word) => `NVRM: ${word}`),
    'NVRM: fallen off the bus and is not responding to commands.',
  ];
  assert.deepEqual(
    decodeLines(lines).map((event) => event.component),
    [null],
  );
});

test('UUID and serial of identity lines are names of the GPU from then on', () => {
  const context = kernelContext('node-1');
  const uuid = 'GPU-12345678-9abc-def0-1234-56789abcdef0';
  const events = decodeLines(
    [
      `NVRM: GPU at PCI:0000:9d:00: ${uuid}`,
      'NVRM: GPU Board Serial Number: 1650000000001',
      'NVRM: Xid (PCI:0000:9d:00): 79, GPU has fallen off the bus.',
      'NVRM: Xid (PCI:0000:9e:00): 79, GPU has fallen off the bus.',
    ],
    context,
  );
  assert.deepEqual(
    events.map((event) => event.component?.aliases),
    [[uuid, '1650000000001'], undefined],
  );
});

testShapes([
  ['rcu: INFO: rcu_sched self-detected stall on CPU', 'host.soft_lockup', 'host/node-1', { what: 'rcu_stall' }],
  ['rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:', 'host.soft_lockup', 'host/node-1', { what: 'rcu_stall' }],
  ['INFO: rcu_sched detected expedited stalls on CPUs/tasks: { 12-... } 5260 jiffies s: 4', 'host.soft_lockup', 'host/node-1', {}],
  ['NMI watchdog: Watchdog detected hard LOCKUP on cpu 3', 'host.soft_lockup', 'host/node-1', { what: 'hard_lockup', cpu: 3 }],
  ['nvidia 0000:0f:00.0: Unable to change power state from D3cold to D0, device inaccessible', 'gpu.lost', 'gpu/0000:0f:00.0', {}],
  ['mlx5_core 0000:86:00.0: Unable to change power state from unknown to D0, device inaccessible', 'nic.lost', 'nic/0000:86:00.0', {}],
  ['nvme 0000:2a:00.0: Unable to change power state from D3cold to D0, device inaccessible', 'pcie.link_down', 'pcie/0000:2a:00.0', {}],
]); // biome-ignore format: a table

test('the driver that is taken out of the kernel is said, once; a part of it that is not the whole is not', () => {
  const lines = ['nvidia-modeset: Unloading', 'nvidia-nvlink: Unregistered Nvlink Core, major device number 234'];
  const detection = new TextDetection('node-1');
  const events = lines.flatMap((text, i) => detection.decode(kernelRecord(text, i, START_MS + i * 300)).events);
  assert.deepEqual(
    events.map(({ kind, component }) => [kind, component?.type]),
    [['driver.unloaded', 'host']],
  );
  for (const line of [
    'nvidia-uvm: Unloaded the UVM driver.',
    'x nvidia-modeset: Unloading',
    'nvidia-modeset: Unloading later',
  ])
    assert.deepEqual(decodeLines([line]), [], line);
});

test('an expedited wait of some jiffies is not a lockup', () => {
  const line = (jiffies: number) =>
    `rcu: INFO: rcu_sched detected expedited stalls on CPUs/tasks: { 11-.... } ${jiffies} jiffies s: 902 root: 0x1/.`;
  assert.deepEqual(decodeLines([line(21)]), []);
  assert.deepEqual(
    decodeLines([line(6001)]).map(({ kind }) => kind),
    ['host.soft_lockup'],
  );
});
