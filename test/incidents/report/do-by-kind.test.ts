// What to do by the kind of the root: whose data, which memory, which disk, which host.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actText, unknownText } from '../../../src/incidents/report/sentences.ts';
import { doText, stepRows } from '../../../src/incidents/report/steps.ts';
import type { Component } from '../../../src/model/component.ts';
import type { Attributes, FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { type Kind, kindInfo } from '../../../src/model/kind.ts';
import { event, gpu, incident } from '../sample.ts';

function of(kind: Incident['action']['kind'], more: Partial<Incident> = {}): Incident {
  return incident('7f3c41d2a0b1', { action: { kind, target: gpu(0), why: '' }, ...more });
}

const asRoot = (
  kind: Kind,
  component: Component,
  attributes: FaultEvent['attributes'] = {},
  text = '',
): Partial<Incident> => {
  const { root } = incident('7f3c41d2a0b1');
  const evidence = text === '' ? [] : [{ source: 'job-log', timeMs: 0, text }];
  return {
    host: 'node-3',
    whose: [],
    events: [event(root.eventId, kind, component, { attributes, evidence })],
    root: { ...root, kind, component },
  };
};
const RANK: Component = { type: 'rank', id: '8812/3', host: 'node-3' };
const doOf = (kind: Incident['action']['kind'], target: Component, more: Partial<Incident>): string =>
  doText(of(kind, { action: { kind, target, why: '' }, ...more }), 'UTC');

test('no data of others is deleted unasked, and a quota is the business of its owner', () => {
  const full = doOf(
    'free_space',
    { type: 'host', id: 'node-3' },
    asRoot('host.disk_full', { type: 'host', id: 'node-3' }),
  );
  assert.match(full, /ask the owners to move or delete, or add space; delete nothing unasked\. Call who runs node-3$/);
  const quota = doOf(
    'free_space',
    RANK,
    asRoot('host.disk_full', RANK, {}, "OSError: [Errno 122] Disk quota exceeded: '/home/kim/a.pt'"),
  );
  assert.match(quota, /^make room within the quota that .*quota -s .* Call who runs job 8812$/);
  assert.doesNotMatch(quota, /df -h/);
  const shared = doOf(
    'free_space',
    { type: 'host', id: 'node-3' },
    asRoot('host.shm_full', { type: 'host', id: 'node-3' }),
  );
  assert.match(shared, /^free space on node-3; first, in a container, .*--shm-size=/);
});

test('files that are read-only or stale are no matter of configuration', () => {
  const text = doOf(
    'check_config',
    { type: 'host', id: 'node-3' },
    asRoot('storage.io_error', { type: 'host', id: 'node-3' }),
  );
  assert.match(
    text,
    /^see what holds the files of node-3; first, on node-3, findmnt -T PATH .*read-only.*exported it again/,
  );
  assert.doesNotMatch(text, /changed last/);
});

test('memory of a GPU that ran out is answered in the options of the program', () => {
  const text = (line: string) => doOf('debug_app', RANK, asRoot('job.gpu_oom', RANK, {}, line));
  assert.match(
    text('CUDA out of memory'),
    /^let 8812 rank 3 use less memory of the GPU; first, a smaller batch|^let job 8812 rank 3 .*a smaller batch/,
  );
  assert.match(text('vllm.v1.engine: CUDA out of memory'), /--max-num-seqs .*--gpu-memory-utilization/);
  assert.match(text('sglang scheduler hit: CUDA out of memory'), /--mem-fraction-static/);
});

test('where the driver hangs or the GPU is off the bus its report is made in the mode that does not hang', () => {
  const save = (kind: Kind) => stepRows(of('reset_gpu', asRoot(kind, gpu(0))), 'UTC')[0]?.text ?? '';
  for (const kind of ['gpu.lost', 'gpu.gsp_timeout'] as const)
    assert.match(save(kind), /nvidia-bug-report\.sh --safe-mode/);
  assert.match(save('gpu.memory.dbe'), /nvidia-bug-report\.sh\), /);
});

test('what the driver asks for without a cause has its step, and what was before it is to be found out', () => {
  const asked = of('reset_gpu', {
    ...asRoot('gpu.recovery_action', gpu(0)),
    rootKnown: false,
    confidence: 0.8,
    alternatives: [],
  });
  assert.match(
    stepRows(asked, 'UTC')[0]?.text ?? '',
    /reset it \(NVIDIA: sudo nvidia-smi --gpu-reset -i 0000:1b:00\.0\); where that fails, reboot node-3 once nothing runs there$/,
  );
  assert.equal(stepRows(asked, 'UTC')[1]?.text, 'who runs node-3');
  assert.match(unknownText(asked, 0).find, /^read the kernel log before the request/);
});

test('a disk goes by its name, and a GPU that no line names is not "it"', () => {
  const disk = { type: 'disk', id: 'nvme1', host: 'node-3' } as const;
  assert.match(doOf('inspect_hardware', disk, asRoot('storage.io_error', disk)), /smartctl -a \/dev\/nvme1\)/);
  const odd = { type: 'disk', id: 'a;reboot', host: 'node-3' } as const;
  assert.match(doOf('inspect_hardware', odd, asRoot('storage.io_error', odd)), /smartctl -a \/dev\/DISK\)/);
  const unnamed = of('drain_reset_gpu', { action: { kind: 'drain_reset_gpu', target: null, why: '' } });
  assert.match(stepRows(unnamed, 'UTC')[0]?.text ?? '', /reset the GPU that the lines mean/);
  const numbered = (attributes: Attributes): string => {
    const [event, ...others] = unnamed.events;
    assert.ok(event !== undefined);
    return stepRows({ ...unnamed, events: [{ ...event, attributes }, ...others] }, 'UTC')[0]?.text ?? '';
  };
  assert.match(numbered({ rank: 13 }), /reset the GPU of rank 13, at 8 ranks a host most often number 5 \(NVIDIA: nvidia-smi -L/); // biome-ignore format: one line
  assert.match(
    numbered({ dcgm_gpu: 5 }),
    /reset it \(see that nvidia-smi -i 5 is that GPU; sudo nvidia-smi --gpu-reset -i 5\)/,
  );
  assert.match(numbered({ gpu_index: 3 }), /AMD: sudo amd-smi reset --gpureset --gpu 3\)/);
});

test('a pod is what is looked at and not its node, and no command names a host that no line does', () => {
  const target = { type: 'host', id: 'log:events.txt' } as const;
  const root = event('e-pod', 'pod.start_failed', target, { attributes: { pod: 'train-2', namespace: 'ml' } });
  const pod = incident('59991d', {
    root: { eventId: root.id, kind: 'pod.start_failed', component: target },
    events: [root],
    action: { kind: 'check_config', target, why: '' },
  });
  assert.match(actText(pod), /^find out why pod ml\/train-2 does not start/);
  const [now, call] = stepRows(pod, 'UTC');
  assert.match(now?.text ?? '', /^kubectl describe pod train-2 -n ml says why/);
  assert.equal(call?.text, 'who runs pod ml/train-2');
  const hostile = { ...pod, events: [{ ...root, attributes: { pod: 'a;reboot' } }] };
  assert.match(stepRows(hostile, 'UTC')[0]?.text ?? '', /^kubectl describe pod says why/);
  const unready = incident('a26144', {
    root: { eventId: '', kind: 'host.not_ready', component: target },
    events: [],
    action: { kind: kindInfo('host.not_ready').action, target, why: '' },
  });
  assert.match(stepRows(unready, 'UTC')[0]?.text ?? '', /^ping -c 3 HOST; ssh HOST uptime/);
});

test('no new work comes where a port that took work with it may go down again', () => {
  const nic: Component = { type: 'nic', id: '0000:5e:00.0', host: 'node-3' };
  const port = asRoot('nic.port_down', nic);
  const now = (more: Partial<Incident>) =>
    stepRows(of('check_link', { action: { kind: 'check_link', target: nic, why: '' }, ...more }), 'UTC')[0]?.text ?? '';
  assert.doesNotMatch(now(port), /no new work/);
  assert.match(now({ ...port, events: [...(port.events ?? []), event('e-net', 'net.rdma_retry_exceeded', RANK)] }), /no new work onto node-3.*once nothing runs over it, reseat/); // biome-ignore format: one call
});

test('what a program says of its GPU sends to the kernel first, in whatever line of its log it is', () => {
  const text = doOf('debug_app', RANK, asRoot('job.rank_crashed', RANK, {}, 'Memory access fault by GPU node-2 (Agent handle: 0x1) on address 0x7f0000.')); // biome-ignore format: one line
  assert.match(text, /first on node-3, sudo dmesg -T \| grep -i amdgpu at /);
});
