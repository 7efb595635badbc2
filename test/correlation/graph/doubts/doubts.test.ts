// Doubts: what is known of a cause and an effect of the work that speaks against the one having brought about the other.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '../../../../src/model/kind.ts';
import { correlator, event, type Given, GPUS, run, T0 } from '../../fixtures.ts';

const [GPU = ''] = GPUS;
const NIC = 'nic/0000:40:00.0';
const RANK = 'rank/train/3';
const kernel: Given = { trust: 'kernel', source: 'kernel-log' };
const log = (attributes: Given['attributes'], more: Given = {}): Given => ({
  trust: 'tenant',
  source: 'job-log',
  ...more,
  ...(attributes === undefined ? {} : { attributes }),
});

/** Kinds of the roots of all incidents that hold an event of this kind. */
function rootsOf(kind: Kind, events: Parameters<typeof run>[1]): Kind[] {
  const { last } = run(correlator(), events);
  return last.filter(({ chain }) => chain.some((link) => link.kind === kind)).map(({ root }) => root.kind);
}

const crash = (s: number, attributes: Given['attributes']) => event(s, 'job.rank_crashed', RANK, log(attributes));
const flap = (s: number) => event(s, 'nic.link_flap', NIC, { trust: 'kernel', source: 'nic' });
const timeout = (s: number, waitedS: number, more: Given['attributes'] = {}) =>
  event(s, 'job.collective_timeout', RANK, log({ waited_ms: waitedS * 1000, ...more }, { wide: [s - waitedS, s] }));
const slow = (s: number, before: number, after: number) =>
  event(s, 'job.throughput_drop', 'job/train', log({ quantity: 'step time', before, after, unit: 's' }, { state: 'onset', wide: [s - after, s] })); // biome-ignore format: one line

test('an error of the program itself is blamed on no hardware, one of the network or of CUDA may be', () => {
  const of = (exception: string, message: string) => rootsOf('job.rank_crashed', [flap(0), crash(5, { exception, message })]); // biome-ignore format: one line
  assert.deepEqual(of('KeyError', "'attention_mask'"), ['job.rank_crashed']);
  assert.deepEqual(of('AssertionError', 'NCCL is not what failed here'), ['job.rank_crashed']);
  assert.deepEqual(of('LossExplodedError', 'loss 1e9 at step 12'), ['job.rank_crashed']);
  assert.deepEqual(of('RuntimeError', 'shape mismatch: [8, 512] and [8, 511]'), ['job.rank_crashed']);
  assert.deepEqual(of('DistBackendError', 'NCCL error: unhandled system error'), ['nic.link_flap']);
  assert.deepEqual(of('RuntimeError', 'NCCL communicator was aborted on rank 3'), ['nic.link_flap']);
});

test('an exception that speaks of files is not blamed on a GPU', () => {
  const fault = event(0, 'gpu.app_fault', GPU, { ...kernel, attributes: { xid: 31 } });
  const raised = crash(5, { exception: 'OSError', message: '[Errno 5] Input/output error: /data/shard-12.tar' });
  assert.deepEqual(rootsOf('job.rank_crashed', [fault, raised]), ['job.rank_crashed']);
});

test('the kernel’s kill of one process explains the end of that one, and of one that names it, and of no other', () => {
  const killed = event(0, 'host.oom', 'process/9912', { ...kernel, attributes: { pid: 9912 } });
  const roots = (attributes: Given['attributes']) => rootsOf('job.rank_crashed', [killed, crash(4, attributes)]);
  assert.deepEqual(roots({ pid: 9912, signal: 9 }), ['host.oom']);
  assert.deepEqual(roots({ pid: 4711, exit_code: 1 }), ['job.rank_crashed']);
  const worker = { exception: 'RuntimeError', message: 'DataLoader worker (pid(s) 9912) exited unexpectedly' };
  assert.deepEqual(roots({ ...worker, pid: 4711 }), ['host.oom']);
  // The log of a container has numbers of its own.
  const ended = (s: number) => event(s, 'job.rank_killed', RANK, log({ pid: 93, signal: 9 }));
  assert.deepEqual(rootsOf('job.rank_killed', [killed, ended(0.3)]), ['host.oom']);
  assert.deepEqual(rootsOf('job.rank_killed', [killed, ended(20)]), ['job.rank_killed']);
});

test('retries that one process of a job reports end its other ranks, also where the line names no rank', () => {
  const retries = event(
    0,
    'net.rdma_retry_exceeded',
    'job/train',
    log({ pid: 3468, since_step_ms: 800, step_ms: 3400 }),
  );
  assert.deepEqual(rootsOf('job.rank_crashed', [retries, crash(3, { pid: 40_100, signal: 6 })]), ['net.rdma_retry_exceeded']); // biome-ignore format: one line
  const own = { exception: 'KeyError', message: "'attention_mask'" };
  assert.deepEqual(rootsOf('job.rank_crashed', [retries, crash(3, own)]), ['job.rank_crashed']);
});

test('steps that the job did after the event take it out of the question, those under way do not', () => {
  const after = (s: number, sinceStepS: number) => rootsOf('job.collective_timeout', [flap(0), timeout(s, 60, { since_step_ms: sinceStepS * 1000, step_ms: 2000 })]); // biome-ignore format: one line
  assert.deepEqual(after(62, 60), ['nic.link_flap']);
  assert.deepEqual(after(362, 62), ['job.collective_timeout']);
});

test('a wait that had begun before the event was not caused by it', () => {
  assert.deepEqual(rootsOf('job.collective_timeout', [flap(0), timeout(601, 600)]), ['nic.link_flap']);
  assert.deepEqual(rootsOf('job.collective_timeout', [flap(0), timeout(240, 600)]), ['job.collective_timeout']);
});

test('a wait of a job with short steps needs no minute for the other ranks to compute', () => {
  const steps = (stepMs: number) => ({ since_step_ms: 61_000, step_ms: stepMs });
  const roots = (stepMs: number) => rootsOf('job.collective_timeout', [flap(112), timeout(120, 60, steps(stepMs))]);
  assert.deepEqual(
    roots(700),
    ['job.collective_timeout'],
    'stuck for fifty seconds, seventy steps, before the port went',
  );
  assert.deepEqual(roots(20_000), ['nic.link_flap'], 'another rank may have computed so long');
});

test('a few percent of a clock do not make steps half as long again; half of it does', () => {
  const clock = (after: number) => event(0, 'gpu.thermal_throttle', GPU, { state: 'onset', attributes: { also_quantity: 'sm_clock', also_before: 1.98e9, also_after: after } }); // biome-ignore format: one line
  assert.deepEqual(rootsOf('job.throughput_drop', [clock(1.83e9), slow(6, 2, 2.9)]), ['job.throughput_drop']);
  assert.deepEqual(rootsOf('job.throughput_drop', [clock(1.83e9), slow(6, 2, 2.17)]), ['gpu.thermal_throttle']);
  assert.deepEqual(rootsOf('job.throughput_drop', [clock(0.9e9), slow(6, 2, 2.9)]), ['gpu.thermal_throttle']);
});

test('what was over before steps became slow does not make them slow', () => {
  const stall = [
    event(0, 'storage.stall', 'host/node-3', { ...kernel, state: 'onset' }),
    event(8, 'storage.stall', 'host/node-3', { ...kernel, state: 'clear' }),
  ];
  assert.deepEqual(rootsOf('job.throughput_drop', [...stall, slow(40, 2, 3)]), ['job.throughput_drop']);
  assert.deepEqual(rootsOf('job.throughput_drop', [...stall, slow(5, 2, 3)]), ['storage.stall']);
});

test('what is planned explains a stop whatever the job did before', () => {
  const stopped = event(0, 'job.cancelled', 'job/train', { trust: 'system', source: 'slurm' });
  const end = crash(20, { exception: 'KeyError', message: "'x'", since_step_ms: 1000, step_ms: 1000 });
  assert.deepEqual(rootsOf('job.rank_crashed', [stopped, end]), []);
});

const HOST = 'host/node-3';
const stalled = (s: number, place: string, attributes: Given['attributes'] = {}) =>
  event(s, 'storage.stall', place, { ...kernel, attributes });
const stuckCard = (s: number, driver: string) =>
  event(s, 'nic.command_timeout', NIC, { ...kernel, attributes: { driver } });

test('a card’s fault stops the file server behind it, not a disk in the host, nor a server that RDMA of other cards reaches', () => {
  const root = (driver: string, place: string, attributes: Given['attributes'] = {}) =>
    rootsOf('storage.stall', [stuckCard(0, driver), stalled(20, place, attributes)]);
  assert.deepEqual(root('bnxt_en', HOST, { server: 'filer-2' }), ['nic.command_timeout']);
  assert.deepEqual(root('bnxt_en', HOST, { server: 'lfs-OST0011', network: 'tcp1' }), ['nic.command_timeout']);
  assert.deepEqual(root('mlx5_core', HOST, { server: 'lfs-OST0011', network: 'o2ib' }), ['nic.command_timeout']);
  assert.deepEqual(root('bnxt_en', HOST, { server: 'lfs-OST0011', network: 'o2ib' }), ['storage.stall']);
  assert.deepEqual(root('mlx5_core', 'disk/nvme2'), ['storage.stall']);
});

test('a port that was up again half a minute before is not what keeps the file server from answering', () => {
  const roots = (upS: number) =>
    rootsOf('storage.stall', [
      event(0, 'nic.port_down', NIC, { state: 'onset', trust: 'kernel', source: 'nic' }),
      event(upS, 'nic.port_down', NIC, { state: 'clear', trust: 'kernel', source: 'nic' }),
      stalled(70, HOST, { server: 'filer-2' }),
    ]);
  assert.deepEqual(roots(2), ['storage.stall']);
  assert.deepEqual(roots(65), ['nic.port_down']);
});

test('the load of a supply goes over for its own loss, not for that of another', () => {
  const lost = (supply: number) => event(supply / 10, 'psu.input_lost', `psu/node-3/${supply}`, { state: 'onset', trust: 'bmc', source: 'bmc' }); // biome-ignore format: one line
  const over = event(1, 'psu.failover', 'psu/node-3/1', {
    state: 'onset',
    trust: 'bmc',
    source: 'bmc',
    attributes: { taken_by: 'psu/node-3/2' },
  });
  assert.deepEqual(rootsOf('psu.failover', [lost(1), over]), ['psu.input_lost']);
  assert.deepEqual(rootsOf('psu.failover', [lost(3), over]), ['psu.failover']);
});

test('an exception that speaks of files comes from the storage that was seen to fail, before the network behind it', () => {
  const raised = { exception: 'OSError', message: '[Errno 108] Cannot send after transport endpoint shutdown' };
  const crashed = (...before: Parameters<typeof run>[1]) => rootsOf('job.rank_crashed', [...before, crash(40, raised)]);
  assert.deepEqual(crashed(flap(0)), ['nic.link_flap']);
  assert.deepEqual(crashed(stuckCard(0, 'igb'), stalled(20, HOST, { network: 'o2ib' })), ['storage.stall']);
});

test('of one disk the graver fault is the root, whatever announced it; of others the stall that came first', () => {
  const failed = (s: number, place: string) => event(s, 'storage.io_error', place, kernel);
  assert.deepEqual(rootsOf('storage.stall', [stalled(0, 'disk/nvme2'), failed(30, 'disk/nvme2')]), [
    'storage.io_error',
  ]);
  const evicted = [stalled(0, HOST, { server: 'lfs-OST0011' }), failed(30, HOST)];
  assert.deepEqual(rootsOf('storage.io_error', evicted), ['storage.stall']);
  assert.deepEqual(rootsOf('storage.stall', [failed(0, 'disk/nvme2'), stalled(30, 'disk/nvme2')]), [
    'storage.io_error',
  ]);
});

test('words that guess at shared memory follow a memory error, a reading of it does not', () => {
  const broken = event(0, 'memory.ue', 'dimm/node-3/A1', kernel);
  const full = (more: Given) => rootsOf('host.shm_full', [broken, event(0.4, 'host.shm_full', HOST, more)]);
  assert.deepEqual(full(log({ message: 'DataLoader worker (pid 9) is killed by signal: Bus error' })), ['memory.ue']);
  assert.deepEqual(full({ trust: 'system', source: 'system' }), ['host.shm_full']);
});

test('an access that a GPU made is refused by the switches; what broke in a switch follows from none', () => {
  const fault = event(0, 'gpu.app_fault', GPU, { ...kernel, attributes: { xid: 31 } });
  const refused = (of: string) =>
    rootsOf('nvswitch.nonfatal', [
      fault,
      event(0.01, 'nvswitch.nonfatal', 'nvswitch/0000:86:00.0', { ...kernel, attributes: { class: of } }),
    ]);
  assert.deepEqual(refused('access'), ['gpu.app_fault']);
  assert.deepEqual(refused('switch'), ['nvswitch.nonfatal']);
});

/** A job of steps of 0.4 s that made its last one at `lastS`, reported as a hang two minutes later. */
const hang = (lastS: number) =>
  event(lastS + 120, 'job.hang', 'job/train', log({ silent_ms: 120_000, usual_step_ms: 400 }, { state: 'onset', wide: [lastS, lastS + 120] })); // biome-ignore format: one line

/** The root of the hang once a quarter of an hour has passed: one without a root is not reported at once. */
function rootOfHang(events: Parameters<typeof run>[1]): Kind[] {
  const made = correlator();
  const { last } = run(made, events).take(made.advance(T0 + 900_000));
  return last.filter(({ chain }) => chain.some(({ kind }) => kind === 'job.hang')).map(({ root }) => root.kind);
}

test('a processor that only answers the driver stops a job minutes later, a port that flapped does not', () => {
  const gsp = event(0, 'gpu.gsp_timeout', GPU, { ...kernel, attributes: { xid: 119 }, state: 'onset' });
  assert.deepEqual(rootOfHang([gsp, hang(110)]), ['gpu.gsp_timeout']);
  assert.deepEqual(rootOfHang([flap(0), hang(110)]), ['job.hang']);
});

test('a library gives its peer up up to a minute after the job stood', () => {
  const gaveUp = event(45, 'net.rdma_retry_exceeded', 'job/train', log({ code: 21 }));
  assert.deepEqual(rootOfHang([gaveUp, hang(10)]), ['net.rdma_retry_exceeded']);
});

test('errors that a link corrected once are not why it went down; those that it corrected until then are', () => {
  const corrected = (s: number, more: Given = {}) => event(s, 'pcie.corrected', 'pcie/0000:1b:00.0', { ...kernel, ...more }); // biome-ignore format: one line
  const failures: readonly Kind[] = ['pcie.link_down', 'pcie.uncorrected_fatal'];
  const rootsAt = (s: number, ...errors: Parameters<typeof run>[1]) =>
    failures.flatMap((kind) => {
      const failed = event(s, kind, 'pcie/0000:1b:00.0', kernel);
      return rootsOf(kind, [...errors, failed, event(s + 2, 'gpu.lost', GPU, kernel)]);
    });
  assert.deepEqual(rootsAt(78, corrected(0)), ['pcie.link_down', 'pcie.uncorrected_fatal']);
  assert.deepEqual(rootsAt(30, corrected(0), corrected(0.2)), ['pcie.link_down', 'pcie.uncorrected_fatal']);
  assert.deepEqual(rootsAt(3, corrected(0)), ['pcie.corrected', 'pcie.corrected']);
  assert.deepEqual(rootsAt(78, corrected(0), corrected(25), corrected(50)), ['pcie.corrected', 'pcie.corrected']);
  const counted = { severity: 'warning', source: 'gpu', state: 'onset' } as const;
  assert.deepEqual(rootsAt(78, corrected(0, counted)), ['pcie.corrected', 'pcie.corrected']);
});

test('a slow step began before it was known to be slow: the time that it took is none of good steps', () => {
  const ended = (s: number) =>
    event(s, 'job.throughput_drop', 'job/train', log({ quantity: 'step_time', before: 3.1, after: 9.8, unit: 's' }, { state: 'onset' })); // biome-ignore format: one line
  const throttled = (s: number) => event(s, 'cpu.thermal_throttle', 'host/node-3', kernel);
  assert.deepEqual(rootsOf('job.throughput_drop', [throttled(5), ended(17)]), ['cpu.thermal_throttle']);
  assert.deepEqual(rootsOf('job.throughput_drop', [throttled(5), ended(57)]), ['job.throughput_drop']);
});
