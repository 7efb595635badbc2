// What lines do not name: a GPU without an address, a host without a name, a supply that only its host reports, a fault that only a job's words speak of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realAct } from '../../../src/incidents/report/sentences.ts';
import { type Row, stepRows } from '../../../src/incidents/report/steps.ts';
import type { Component } from '../../../src/model/component.ts';
import type { Incident } from '../../../src/model/incident.ts';
import type { Kind } from '../../../src/model/kind.ts';
import { incidentOf, type Seen } from '../of-kind.ts';

function of(kind: Kind, more: Partial<Seen> = {}): Incident {
  const incident = incidentOf(kind, { component: null, host: 'h7', trust: 'kernel', ...more });
  assert.ok(incident !== null, kind);
  return incident;
}

const textOf = (rows: readonly Row[], label: string): string => rows.find((row) => row.label === label)?.text ?? '';
const nowOf = (incident: Incident): string => textOf(stepRows(incident, 'UTC', null), 'Now');

test('a GPU that a line names by its number, or its rank, is what something is done to, and never all of its host', () => {
  assert.match(realAct(of('gpu.memory.dbe', { attributes: { dcgm_gpu: 3 } })), /^drain the jobs from GPU 3 of h7, /);
  assert.match(
    realAct(of('gpu.memory.dbe', { attributes: { rank: 9 } })),
    /^drain the jobs from the GPU of rank 9 on h7/,
  );
  const unsaid = of('gpu.memory.contained');
  assert.match(
    realAct(unsaid),
    /^restart what ran on the GPU of h7 that the lines mean, then reset it once it is idle/,
  );
  assert.match(nowOf(unsaid), /^end what is left of the work on the GPU of h7 that the lines mean, /);
  const rank: Component = { type: 'rank', id: 'train/2', host: 'h7' };
  assert.match(realAct(of('gpu.memory.dbe', { component: rank })), /^drain the jobs from the GPU of train rank 2, /);
  assert.match(realAct(of('gpu.lost')), /^reboot h7/);
});

test('of a host without a name commands say where the name belongs', () => {
  const text = nowOf(of('gpu.lost', { host: 'log:console.txt' }));
  assert.match(
    text,
    /^let no new work onto the host of console\.txt \(Slurm: scontrol update nodename=HOST state=drain/,
  );
  assert.match(text, /kubectl cordon HOST\)/);
});

test('where only the words of a job speak for it the kernel is asked before anything is drained', () => {
  const gpu = of('gpu.memory.dbe', { trust: 'tenant', attributes: { rank: 1 } });
  assert.match(realAct(gpu), /\(once kernel or driver say so too: only a job does yet\)$/);
  assert.match(nowOf(gpu), /^on h7, sudo dmesg -T \| grep -iE 'xid\|amdgpu' at 14:32:00 UTC\. Where it says the same, let no new work/); // biome-ignore format: one line
  assert.match(nowOf(of('gpu.memory.dbe', { attributes: { rank: 1 } })), /^let no new work onto h7/);
  const disk = of('storage.io_error', { trust: 'tenant', component: { type: 'disk', id: 'sdq', host: 'h7' } });
  assert.match(nowOf(disk), /^on h7, find the disk/);
});

test('a host that reports one supply less is asked which, before the facility is', () => {
  const rows = stepRows(of('psu.redundancy_lost', { component: { type: 'host', id: 'h7' } }), 'UTC', null);
  assert.match(textOf(rows, 'Now'), /^on h7, sudo ipmitool sdr type 'Power Supply' says which/);
  assert.match(textOf(rows, 'Call'), /^who may touch the hardware of h7, then the facility/);
});

test('what only a user’s words say, and a daemon does nothing about, has somewhere to look and whom to ask', () => {
  const { action, ...said } = of('gpu.lost', { trust: 'tenant' });
  const why = 'nothing on the node before kernel or driver confirm it: a user of the host could have written all of it';
  const rows = stepRows({ ...said, action: { ...action, kind: 'none', why } }, 'UTC');
  assert.match(textOf(rows, 'Now'), /^on h7, sudo dmesg -T \| tail -n 100 shows what its kernel says of 14:32:00 UTC/);
  assert.equal(textOf(rows, 'Call'), 'who runs h7');
});
