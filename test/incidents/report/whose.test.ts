// The first lines of an incident name user, job, ranks and pod.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderIncidentLine } from '../../../src/incidents/report/line.ts';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import { whoseText } from '../../../src/incidents/report/whose.ts';
import type { Whose } from '../../../src/model/whose.ts';
import { incident, T0 } from '../sample.ts';

const ONE: Whose = {
  job: '991',
  aliases: [],
  manager: 'slurm',
  name: 'llama-70b',
  user: 'alice',
  account: null,
  queue: null,
  attempt: null,
  pods: [],
  ranks: [0, 1, 2, 3],
  by: 'device',
};
const OPTIONS = { width: 100, colour: false, nowMs: T0 + 60_000, timeZone: 'UTC' };

test('the job is the third line, after the root cause', () => {
  const lines = renderIncidentText(incident('7f3c41d2a0b1', { whose: [ONE] }), OPTIONS).split('\n');
  assert.match(lines[1] ?? '', /^Root cause {2}/);
  assert.ok(lines.slice(2, 4).includes('Job         llama-70b (slurm job 991) of alice, ranks 0…3'), lines.join('\n'));
});

test('an incident without a root names it too', () => {
  const text = renderIncidentText(incident('7f3c41d2a0b1', { whose: [ONE], rootKnown: false }), OPTIONS);
  assert.match(text, /^Job +llama-70b \(slurm job 991\) of alice, ranks 0…3$/m);
});

test('a list names job and user at the end of the line', () => {
  assert.match(renderIncidentLine(incident('7f3c41d2a0b1', { whose: [ONE] })), / {2}\[job 991 of alice\]$/);
  assert.match(renderIncidentLine(incident('7f3c41d2a0b1', { whose: [ONE, ONE] })), /\[job 991 of alice and 1 more\]$/);
  assert.doesNotMatch(renderIncidentLine(incident('7f3c41d2a0b1')), /\[/);
});

test('pods, jobs without a name, and jobs that were only there read as such', () => {
  const pods = [{ namespace: 'ml', name: 'llama-0', uid: 'u', container: 'trainer' }];
  const says = (one: Partial<Whose>, ...more: Whose[]) => whoseText({ whose: [{ ...ONE, ...one }, ...more] });
  assert.equal(says({ name: null, user: null, ranks: [2], pods }), 'slurm job 991, rank 2, pod ml/llama-0 (trainer)');
  assert.equal(says({ job: null, manager: null, name: null, user: null, ranks: [], pods }), 'pod ml/llama-0 (trainer)');
  assert.equal(says({ by: 'host', ranks: [] }), 'on this host: llama-70b (slurm job 991) of alice');
  assert.equal(
    says({ name: null, user: null, ranks: [] }, ...['1', '2', '3', '4'].map((job) => ({ ...ONE, job, name: null, user: null, ranks: [] }))), // biome-ignore format: one line
    'slurm job 991; slurm job 1; slurm job 2; and 2 more',
  );
  assert.equal(whoseText({}), null);
});

test('names of others cannot end a line or steer a terminal', () => {
  const text =
    whoseText({ whose: [{ ...ONE, name: 'x\n\u001b[31mRoot cause  nothing', user: 'y'.repeat(900) }] }) ?? '';
  assert.ok(!text.includes('\n') && !text.includes('\u001b'));
  assert.ok(text.length < 300);
});
