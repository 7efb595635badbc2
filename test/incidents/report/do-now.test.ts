// What to do now: each action with its first step, the place of it and whom to call, and nothing that a shell could take for more.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actText, unknownText } from '../../../src/incidents/report/sentences.ts';
import { adviceText, doText, logText, stepRows } from '../../../src/incidents/report/steps.ts';
import { ACTIONS } from '../../../src/model/action.ts';
import type { Component } from '../../../src/model/component.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Kind } from '../../../src/model/kind.ts';
import type { Whose } from '../../../src/model/whose.ts';
import { event, gpu, incident } from '../sample.ts';

const WHOSE: Whose = { job: '991', aliases: [], manager: 'slurm', name: 'llama', user: 'alice', account: null, queue: null, attempt: null, pods: [], ranks: [], by: 'device' }; // biome-ignore format: one record

function of(kind: Incident['action']['kind'], more: Partial<Incident> = {}): Incident {
  return incident('7f3c41d2a0b1', { action: { kind, target: gpu(0), why: '' }, ...more });
}

test('each action but none has a first step that names host or device, and whom to call', () => {
  for (const kind of ACTIONS) {
    const rows = stepRows(of(kind), 'UTC');
    if (kind === 'none') assert.deepEqual(rows, []);
    else {
      assert.deepEqual(rows.map(({ label }) => label), ['Now', 'Call'], kind); // biome-ignore format: one line
      const text = rows.map((row) => row.text).join(' ');
      assert.match(text, /node-3|faultline bundle 7f3c41/, kind);
      assert.doesNotMatch(text.replace(/NVIDIA|-U USER -f PASSFILE/g, ''), /[%@]|[A-Z]{4,}/, kind);
    }
  }
});

test('the bundle is made where the incident lies', () => {
  const [now] = stepRows(of('contact_vendor'), 'UTC', ' --config /etc/site.yaml');
  assert.match(now?.text ?? '', /faultline bundle [0-9a-f]{6} --config \/etc\/site\.yaml$/);
});

test('the node is drained in the words of what placed the work there, and the owner of the job is named', () => {
  const drain = (...whose: Whose[]) => stepRows(of('reboot_node', { whose }), 'UTC')[0]?.text ?? '';
  assert.match(
    drain(WHOSE),
    /^scontrol update nodename=node-3 state=drain reason="faultline 7f3c41"; once nothing runs on node-3, save /,
  );
  assert.match(drain({ ...WHOSE, manager: 'kubernetes' }), /^kubectl cordon node-3; once nothing runs on node-3, /);
  const both =
    /^let no new work onto node-3 \(Slurm: scontrol update nodename=node-3 state=drain reason="faultline 7f3c41"; Kubernetes: kubectl cordon node-3\); once /;
  assert.match(drain(), both);
  assert.match(drain({ ...WHOSE, manager: 'torchrun' }), both);
  assert.equal(stepRows(of('debug_app', { whose: [WHOSE] }), 'UTC')[1]?.text, 'who runs llama (slurm job 991): alice');
  assert.match(
    stepRows(of('reset_gpu'), 'UTC')[0]?.text ?? '',
    /nvidia-smi --gpu-reset -i 0000:[0-9a-f]{2}:00\.0\); where that fails, reboot node-3 once nothing runs there$/,
  );
});

test('a host that is named after a command is in none', () => {
  const target = { type: 'host', id: 'a;reboot' } as const;
  const [now] = stepRows(of('drain_node', { action: { kind: 'drain_node', target, why: '' }, whose: [WHOSE] }), 'UTC');
  assert.match(
    now?.text ?? '',
    /^let no new work onto a;reboot \(scontrol update nodename=HOST state=drain reason="faultline 7f3c41"\)$/,
  );
});

test('a device or an incident that is named after a command is in none', () => {
  for (const id of ['0000:1b:00.0;curl$IFS|sh', '0000:1b:00.0 $(reboot)', '0000:1b:00.0\nreboot', 'GPU-`reboot`']) {
    const [now] = stepRows(
      of('reset_gpu', { action: { kind: 'reset_gpu', target: { ...gpu(0), id }, why: '' } }),
      'UTC',
    );
    assert.doesNotMatch(now?.text ?? '', /nvidia-smi/, id);
  }
  const odd = incident('`w`"$(reboot)', { action: { kind: 'replace_part', target: gpu(0), why: '' }, whose: [WHOSE] });
  const [now] = stepRows(odd, 'UTC');
  assert.match(now?.text ?? '', /reason="faultline ID"; save .*faultline bundle ID$/);
});

test('where the root is not known there is no step but to find out', () => {
  const [now, call] = stepRows(of('reboot_node', { rootKnown: false }), 'UTC');
  assert.match(now?.text ?? '', /^on node-3, sudo dmesg -T \| tail -n 100 shows what its kernel says of 14:32:00 UTC/);
  assert.equal(call?.label, 'Call');
  assert.doesNotMatch(doText(of('reboot_node', { rootKnown: false, confidence: 0.2 }), 'UTC'), /reboot/);
});

test('whose job it is is said as far as anything names it', () => {
  const { root } = incident('7f3c41d2a0b1');
  const call = (more: Partial<Incident>) => stepRows(of('debug_app', more), 'UTC')[1]?.text;
  const killed = (attributes: FaultEvent['attributes']) => {
    const component = { type: 'process', id: '48211', host: 'node-3' } as const;
    const one = event(root.eventId, 'host.oom', component, { attributes });
    return call({ events: [one], root: { ...root, component } });
  };
  assert.equal(
    killed({ memcg: '/system.slice/slurmstepd.scope/job_991/step_0/user/task_3', uid: 1000 }),
    'who runs slurm job 991: uid 1000 (getent passwd 1000)',
  );
  const pod = '4f2b1c1e-1111-2222-3333-444455556666';
  assert.equal(killed({ memcg: `/kubepods.slice/kubepods-pod${pod.replaceAll('-', '_')}.slice`, uid: 0 }), `who runs pod ${pod} (its UID; kubectl get pods -A -o custom-columns=U:.metadata.uid,NS:.metadata.namespace,N:.metadata.name | grep 4f2b1c1e names it)`); // biome-ignore format: one line
  assert.equal(killed({ pod: 'llama-0', namespace: 'ml' }), 'who runs pod ml/llama-0');
  assert.equal(killed({ pid: 48211, process: 'python' }), 'who runs the job of process 48211 (python)');
  assert.equal(killed({}), 'who runs the job');
  const rank = { type: 'rank', id: '8812/3' } as const;
  assert.equal(call({ root: { ...root, component: rank } }), 'who runs job 8812');
  const two = [WHOSE, { ...WHOSE, job: '992', name: 'eval', user: 'bob' }];
  assert.equal(call({ whose: two }), 'who runs llama (slurm job 991): alice, and of 1 more');
});

test('of what is over nothing is to be done', () => {
  assert.equal(
    logText(of('reboot_node', { state: 'resolved' }), 'UTC'),
    'nothing now, it is over; what it was: faultline explain 7f3c41',
  );
});

test('of what is over the log and the report say the same: nothing now, or what is left', () => {
  const over = of('reboot_node', { state: 'resolved' });
  assert.equal(adviceText(over), 'nothing now, it is over; where it comes back: reboot node-3');
  assert.deepEqual(stepRows(over, 'UTC'), []);
  const left = of('replace_part', { state: 'resolved' });
  assert.match(adviceText(left), /^replace /);
  assert.equal(stepRows(left, 'UTC').length, 2);
  assert.equal(logText(left, 'UTC'), 'it is over; what is left to do: faultline explain 7f3c41');
  // A saved text only ends: it does not say that what it tells of is over.
  assert.match(adviceText(over, null), /^reboot node-3/);
  assert.equal(stepRows(over, 'UTC', null).length, 2);
});

test('incidents of other hosts are asked for of the time of the symptom, which in a saved text may be days ago', () => {
  const { root } = incident('7f3c41d2a0b1');
  const component = { type: 'job', id: '8812' } as const;
  const slow = of('none', { rootKnown: false, root: { ...root, kind: 'job.throughput_drop', component }, events: [] });
  const openedMs = Date.UTC(2026, 10, 28, 14, 21, 7);
  const times = { ...slow, openedMs, updatedMs: openedMs + 120_000 };
  const now = (one: Incident, place: string | null) => stepRows(one, 'UTC', place)[0]?.text ?? '';
  const whole =
    /^on each host of the job run faultline incidents --since 2026-11-28T14:11:07Z --until 2026-11-28T14:24:07Z/;
  assert.match(now(times, null), /^on each host of the job, sudo dmesg -T > .*then scan them with this log/);
  assert.match(now({ ...times, state: 'resolved' }, ''), whole);
  assert.match(now(times, ''), /^on each host of the job run faultline incidents --since 1h/);
});

test('an action on what has no such part is said in other words', () => {
  const { root } = incident('7f3c41d2a0b1');
  const on = (kind: Incident['action']['kind'], target: Component, more: Partial<Incident> = {}) => {
    const one = of(kind, { action: { kind, target, why: '' }, ...more });
    return doText(one, 'UTC');
  };
  const link = { type: 'nvlink', id: '0000:1b:00.0/4', host: 'node-3' } as const;
  assert.match(
    on('check_link', link),
    /^check node-3 gpu 0000:1b:00\.0 link 4; first, .*once nothing runs on node-3, .*reset all its GPUs .*has no cable/,
  );
  assert.match(
    on('replace_part', { type: 'host', id: 'node-3' }),
    /^replace the part of node-3 that the lines name; first, /,
  );
  const stall = { root: { ...root, kind: 'storage.stall', component: { type: 'host', id: 'node-3' } } } as const;
  const server = { type: 'host', id: 'filer-3' } as const;
  const text = on('inspect_hardware', server, stall);
  assert.match(text, /^look after the file server filer-3: .* Call who runs the file server filer-3$/);
  assert.doesNotMatch(text, /no new work|diagnosis/);
  assert.match(
    on('inspect_hardware', { type: 'host', id: 'node-3' }, stall),
    /^check the storage that node-3 waits for; first, on node-3, iostat /,
  );
});

test('a job has no cable: the card of its host is meant, where a line names it', () => {
  const { root } = incident('7f3c41d2a0b1');
  const component = { type: 'job', id: 'llama' } as const;
  const on = (attributes: FaultEvent['attributes']) =>
    doText(
      of('check_link', {
        action: { kind: 'check_link', target: component, why: '' },
        root: { ...root, component },
        events: [event(root.eventId, 'net.rdma_retry_exceeded', component, { attributes })],
      }),
      'UTC',
    );
  assert.match(on({ device: 'mlx5_4', named_host: 'gx-11' }), /^check cable, optics and connector of mlx5_4 of gx-11/);
  assert.match(on({}), /^check cable, optics and connector of the network cards of node-3/);
});

test('of a symptom that has no first step its owner is named all the same', () => {
  const { root } = incident('7f3c41d2a0b1');
  const component = { type: 'job', id: '8812' } as const;
  const rows = (kind: Kind) => stepRows(of('none', { rootKnown: false, root: { ...root, kind, component } }), 'UTC');
  assert.match(rows('job.peer_failure')[0]?.text ?? '', /^see which rank ended first/);
  assert.match(rows('job.pause')[0]?.text ?? '', /^on node-3, sudo dmesg -T \| tail -n 100/);
  for (const kind of ['job.peer_failure', 'job.pause'] as const)
    assert.deepEqual(rows(kind)[1], { label: 'Call', text: 'who runs job 8812' });
  assert.match(rows('job.rank_killed')[0]?.text ?? '', /^on node-3, sudo dmesg -T \| grep -iE 'killed process/);
});

test('what is to be sent is named by what finds it: in a list by a command, without a log by none', () => {
  assert.match(
    doText(of('debug_app'), 'UTC'),
    /send the lines of faultline explain 7f3c41 as evidence: .* can stay in service unless sudo dmesg -T there has faults at 14:32:00 UTC\. /,
  );
  assert.match(stepRows(of('debug_app'), 'UTC')[0]?.text ?? '', /^send the lines below as evidence: /);
  assert.match(
    stepRows(of('contact_vendor'), 'UTC')[0]?.text ?? '',
    /with that and the file of: faultline bundle 7f3c41$/,
  );
  assert.match(
    stepRows(of('contact_vendor'), 'UTC', null)[0]?.text ?? '',
    /with that and the logs that were scanned, and this report$/,
  );
});

test('what resets, reboots or takes power away says first what to save, by what would be gone', () => {
  const { root } = incident('7f3c41d2a0b1');
  const now = (kind: Incident['action']['kind'], more: Partial<Incident>) =>
    stepRows(of(kind, more), 'UTC')[0]?.text ?? '';
  for (const kind of ['reset_gpu', 'drain_reset_gpu', 'reboot_node', 'power_cycle_node', 'inspect_hardware'] as const)
    assert.match(
      now(kind, { root: { ...root, kind: 'gpu.lost' } }),
      /nvidia-bug-report\.sh --safe-mode\), then /,
      kind,
    );
  const target = { type: 'host', id: 'node-3' } as const;
  const host = (kind: Incident['action']['kind']) =>
    now(kind, { root: { ...root, kind: 'host.kernel_oops', component: target }, action: { kind, target, why: '' } });
  assert.match(
    host('reboot_node'),
    /dmesg > \/var\/tmp\/faultline-7f3c41\.dmesg\), then reboot it: sudo systemctl reboot$/,
  );
  assert.match(host('power_cycle_node'), /sel elist > sel\.txt\), then take its power away .* chassis power cycle$/);
  assert.match(now('reboot_node', { root: { ...root, kind: 'gpu.lost' } }), /then reboot it: sudo systemctl reboot$/);
});

test('the diagnosis of a device on the bus is a command with its address', () => {
  const at = (target: Component) => stepRows(of('inspect_hardware', { action: { kind: 'inspect_hardware', target, why: '' } }), 'UTC')[0]?.text ?? ''; // biome-ignore format: one line
  assert.match(
    at(gpu(0)),
    /sudo lspci -vvs 0000:1b:00\.0; NVIDIA: nvidia-smi -q -i 0000:1b:00\.0, then dcgmi diag -r 3/,
  );
  assert.match(at({ type: 'pcie', id: '0000:9a:00.0', host: 'node-3' }), /lspci -vvs 0000:9a:00\.0\)$/);
  assert.doesNotMatch(at({ type: 'pcie', id: '0000:9a:00.0;reboot', host: 'node-3' }), /lspci/);
});

test('what places work is known by the lines as well', () => {
  const now = (attributes: FaultEvent['attributes']) =>
    stepRows(of('reboot_node', { whose: [], events: [event('e', 'host.oom', gpu(0), { attributes })] }), 'UTC')[0]?.text ?? ''; // biome-ignore format: one line
  assert.match(
    now({ memcg: '/system.slice/slurmstepd.scope/job_9/step_0/user/task_0' }),
    /^scontrol update nodename=node-3 /,
  );
  assert.match(now({ pod: 'llama-0' }), /^kubectl cordon node-3; /);
});

test('one slow call of a driver ends no work: it is asked again first', () => {
  const { root } = incident('7f3c41d2a0b1');
  const text = doText(of('reset_gpu', { root: { ...root, kind: 'gpu.call_stalled' } }), 'UTC');
  assert.match(
    text,
    /^see whether the driver answers for node-3 gpu 0 again, .*leave the work there alone\. Where it hangs, /,
  );
  assert.match(text, /once nothing runs on node-3 gpu 0, save .* --gpu-reset -i 0000:1b:00\.0\)/);
  assert.doesNotMatch(text, /end what runs/);
});

test("a GPU of AMD's driver is saved and reset by AMD's commands", () => {
  const { root } = incident('7f3c41d2a0b1');
  const text = 'amdgpu 0000:1b:00.0: amdgpu: GPU reset begin!';
  const seen = {
    ...event(root.eventId ?? '', root.kind, gpu(0)),
    evidence: [{ source: 'kernel-log', timeMs: 0, text }],
  };
  const now = doText(of('reset_gpu', { events: [seen] }), 'UTC');
  assert.match(
    now,
    /sudo amd-smi metric\), then reset it \(AMD: sudo amd-smi reset --gpureset --gpu 0000:1b:00\.0, which resets all GPUs that XGMI links to it, .*\/dev\/kfd open\)/,
  );
  // A reset of one ends the work on the others too.
  assert.match(now, /^(?:.* )?end what runs on node-3, save/);
  assert.match(doText(of('drain_reset_gpu', { events: [seen] }), 'UTC'), /once nothing runs on node-3, save/);
  assert.doesNotMatch(now, /nvidia/i);
  const looked = doText(of('inspect_hardware', { events: [seen] }), 'UTC');
  assert.match(looked, /AMD: sudo amd-smi metric --gpu 0000:1b:00\.0, sudo amd-smi bad-pages --gpu 0000:1b:00\.0/);
  assert.doesNotMatch(looked, /nvidia|dcgmi/i);
});

test('of what was injected or simulated nothing is to be done, and each line of that says so', () => {
  for (const made of ['injected', 'simulated'] as const) {
    const trial = of('reboot_node', { made });
    const nothing = `[${made}] nothing to do: it is a trial`;
    assert.deepEqual([doText(trial, 'UTC'), actText(trial), logText(trial, 'UTC')], [nothing, nothing, nothing]);
    assert.equal(adviceText(trial), 'nothing, a trial; were it real: reboot node-3');
    for (const { text } of stepRows(trial, 'UTC')) assert.ok(text.startsWith('were it real: '), text);
    // The end of a step is a command: who reads only that pastes it.
    assert.match(stepRows(trial, 'UTC')[0]?.text ?? '', /sudo systemctl reboot \(a trial\)$/);
    const unknown = of('none', { made, rootKnown: false });
    assert.ok(unknownText(unknown, unknown.openedMs).find.startsWith('were it real: '));
  }
});
