// Planned scope: what is planned explains its own device and what belongs to it; a critical fault of another one is always reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isExplaining } from '../../src/correlation/graph/kind-roles.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import { KINDS, type Kind, kindInfo } from '../../src/model/kind.ts';
import { correlator, event, GPUS, link, lost, run, T0 } from './fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const kernel = { trust: 'kernel', source: 'kernel-log' } as const;
const NIC_A = 'nic/0000:40:00.0';
const LINKS = [link(GPU_A, 'job/ddp', 'runs'), link(GPU_B, 'job/other', 'runs')];
const LAGS = [-20, -3, 0.5, 7, 45, 110];

/** Reported of a host alone. */
const OF_HOSTS: ReadonlySet<Kind> = new Set<Kind>(['host.rebooted', 'driver.reloaded', 'driver.service_stopped', 'fabric_manager.stopped']); // biome-ignore format: one line

/** Devices that a planned event of this kind is reported; what a host does, of another host. */
function plannedAt(kind: Kind): readonly string[] {
  if (kind.startsWith('job.')) return ['job/ddp'];
  if (OF_HOSTS.has(kind)) return ['host/node-4'];
  return kind === 'gpu.reset' ? [GPU_A] : [GPU_A, NIC_A];
}

/** Another device that the critical kind can be reported. */
function elsewhere(kind: Kind): string | null {
  switch (kind.split('.')[0]) {
    case 'gpu':
      return GPU_B;
    case 'nvlink':
      return `nvlink/${GPU_B.slice(4)}/3`;
    case 'nvswitch':
      return 'nvswitch/0000:c5:00.0';
    case 'nic':
      return 'nic/0000:41:00.0';
    case 'pcie':
      return GPU_B; // what the bus reports of its address is of the GPU
    case 'memory':
      return 'dimm/node-3/A1';
    case 'job':
      return 'job/other';
    default:
      return null;
  }
}

const EXPLAINING = KINDS.filter(isExplaining);
const CRITICAL = KINDS.filter((kind) => kindInfo(kind).severity === 'critical' && elsewhere(kind) !== null);

test('planned on one device × critical on another × lag: an incident opens, with its root there', () => {
  assert.ok(EXPLAINING.length >= 10 && CRITICAL.length >= 20);
  for (const planned of EXPLAINING) {
    for (const at of plannedAt(planned)) {
      for (const fault of CRITICAL) {
        const place = elsewhere(fault) ?? '';
        if (at === NIC_A && place.startsWith('job/')) continue; // a card serves every job of its host
        for (const lag of LAGS) {
          for (const state of ['point', 'onset'] as const) {
            const trust = fault.startsWith('job.') ? ({ trust: 'system', source: 'slurm' } as const) : kernel;
            const events = [event(0, planned, at, { ...kernel, state }), event(lag, fault, place, trust)];
            const made = correlator(LINKS);
            const reported = run(
              made,
              events.toSorted((a, b) => a.timeMs - b.timeMs),
            ).take(made.advance(T0 + 400_000));
            const opened = reported.last.filter(({ severity }) => severity === 'critical');
            assert.deepEqual(
              opened.map(({ root }) => [root.kind, `${root.component?.type}/${root.component?.id}`]),
              [[fault, place]],
              `${planned} on ${at}, ${fault} on ${place} ${lag} s later (${state})`,
            );
          }
        }
      }
    }
  }
});

test('GPU 0 is reset, and GPU 4 falls off the bus seven seconds before or after', () => {
  for (const lag of [7, -7]) {
    const reset = event(0, 'gpu.reset', GPU_A);
    const reported = run(
      correlator(),
      [reset, lost(lag, GPU_B)].toSorted((a, b) => a.timeMs - b.timeMs),
    );
    const { root, severity } = reported.of('gpu.lost');
    assert.deepEqual([root.component?.id, severity], [GPU_B.slice(4), 'critical']);
  }
});

test('the kernel reports that a GPU fell off the bus or did not come up after a reset that the library reports', () => {
  for (const kind of ['gpu.lost', 'gpu.init_failure'] as const) {
    for (const lag of [-1, 0.5, 7, 45]) {
      const resets = GPUS.map((gpu) => event(0, 'gpu.reset', gpu));
      const events = [...resets, event(lag, kind, GPU_B, kernel)].toSorted((a, b) => a.timeMs - b.timeMs);
      const { root, severity } = run(correlator(LINKS), events).of(kind);
      assert.deepEqual([root.kind, root.component?.id, severity], [kind, GPU_B.slice(4), 'critical'], `${kind} ${lag}`);
    }
  }
});

test('a GPU that is off the bus, or missing from five minutes after the host booted, is an incident', () => {
  const cases = [[9, 'gpu.lost'], [200, 'gpu.lost'], [400, 'gpu.missing']] as const; // biome-ignore format: one line
  for (const [lag, kind] of cases) {
    const reported = run(correlator(LINKS), [
      event(0, 'host.rebooted', 'host/node-3', kernel),
      event(lag, kind, GPU_B, kernel),
    ]);
    assert.equal(reported.of(kind).severity, 'critical', `${kind} ${lag} s after the boot`);
  }
});

test('no chain of small steps leads from a reset of one GPU to the loss of another', () => {
  const between: readonly (readonly [Kind, string])[] = [
    ['nvlink.nonfatal', `nvlink/${GPU_B.slice(4)}/3`],
    ['nvlink.fatal', `nvlink/${GPU_A.slice(4)}/3`],
    ['nvswitch.nonfatal', 'nvswitch/0000:c5:00.0'],
    ['fabric_manager.error', 'host/node-3'],
    ['process.segfault', 'process/7'],
    ['gpu.preemptive_cleanup', GPU_B],
  ];
  for (const [kind, place] of between) {
    const events: FaultEvent[] = [
      event(0, 'gpu.reset', GPU_A),
      event(2, kind, place, kernel),
      event(4, 'nvlink.fatal', `nvlink/${GPU_B.slice(4)}/3`, kernel),
      event(6, 'gpu.lost', GPU_B, kernel),
    ];
    const reported = run(correlator(LINKS), events).last.filter(({ severity }) => severity === 'critical');
    const members = reported.flatMap(({ chain }) => chain.map((member) => member.kind));
    assert.ok(members.includes('gpu.lost'), `${kind}: ${reported.map(({ title }) => title).join('; ')}`);
  }
});

test('what belongs to the device that is reset, and the transients of a host that boots, stay explained', () => {
  const quiet: readonly (readonly FaultEvent[])[] = [
    [event(0, 'gpu.reset', GPU_A), event(2, 'gpu.lost', GPU_A), event(3, 'nvlink.fatal', `nvlink/${GPU_A.slice(4)}/0`)],
    [event(0, 'gpu.reset', GPU_A), event(3, 'nvlink.nonfatal', `nvlink/${GPU_B.slice(4)}/0`, kernel)],
    [event(0, 'gpu.reset', GPU_A), event(5, 'job.hang', 'job/ddp', { trust: 'system', source: 'slurm' })],
    [event(0, 'host.rebooted', 'host/node-3', kernel), event(9, 'gpu.missing', GPU_B, kernel)],
    [event(0, 'firmware.updated', NIC_A, kernel), event(9, 'nic.lost', NIC_A, kernel)],
  ];
  for (const events of quiet) {
    const reported = run(correlator(LINKS), events).last.filter(({ severity }) => severity !== 'info');
    assert.deepEqual(reported.map(({ title }) => title), []); // biome-ignore format: one call
  }
});

const LOG = { trust: 'tenant', source: 'job-log' } as const;
const ended = (s: number, step: string, reason?: string) =>
  event(s, 'job.cancelled', 'job/ddp', { ...LOG, attributes: { step, ...(reason === undefined ? {} : { reason }) } });
const KILLED = event(0, 'job.rank_killed', 'rank/ddp/1', { ...LOG, attributes: { how: 'Killed', task: 1 } });

test('a task that was killed is the root, though the line with which Slurm ends its step comes first', () => {
  for (const lag of [-1, -0.5, 0.5, 2])
    for (const order of [1, -1]) {
      const events = [ended(lag, '991.0'), KILLED].toSorted((a, b) => order * (a.timeMs - b.timeMs));
      const { root } = run(correlator(LINKS), events).of('job.rank_killed');
      assert.equal(root.kind, 'job.rank_killed', `${lag} ${order}`);
    }
});

test('a step or job that someone cancelled explains the tasks that end with it', () => {
  const cancels = [
    [ended(-30, '991.0')],
    [ended(-0.5, '991.0', 'signal killed')],
    [ended(-0.6, '991.0'), ended(-0.5, '991')],
    [
      ended(-0.6, '991.0'),
      event(-0.4, 'job.cancelled', 'job/ddp', { trust: 'system', source: 'slurm', observedMs: T0 + 9000 }),
    ],
  ];
  for (const cancel of cancels) {
    const events = [...cancel, KILLED].toSorted((a, b) => a.observedMs - b.observedMs);
    const roots = run(correlator(LINKS), events).last.map(({ root }) => root.kind);
    assert.deepEqual(
      roots.filter((kind) => kind !== 'job.cancelled'),
      [],
      JSON.stringify(cancel.map(({ attributes }) => attributes)),
    );
  }
});
