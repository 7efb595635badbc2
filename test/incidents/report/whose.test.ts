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

test('the GPUs of its ranks are behind them; of many a few and how many more', () => {
  const says = (...devices: string[]) => whoseText({ whose: [{ ...ONE, ranks: [1], devices }] });
  assert.equal(says('gpu/0000:43:00.0'), 'llama-70b (slurm job 991) of alice, rank 1, on gpu 0000:43:00.0');
  assert.match(says(...[1, 2, 3, 4, 5, 6].map((n) => `gpu/${n}`)) ?? '', /on gpu 1, 2, 3, 4 and 2 more$/);
  assert.match(says('gpu_instance/0000:43:00.0/2', 'nic/mlx5_0') ?? '', /on gpu 0000:43:00\.0\/2$/);
});

test('an incident without a root says so once, and what to look at once', () => {
  const rank = { type: 'rank', id: '991/1' } as const;
  const title = 'No root cause yet, unconfirmed: job 991 rank 1 rank killed';
  const action = { kind: 'restart_app', target: rank, why: 'No root cause yet. To find out: read the first traceback' } as const; // biome-ignore format: one line
  const one = incident('7f3c41d2a0b1', { whose: [ONE], rootKnown: false, unconfirmed: '', title, action });
  assert.equal(renderIncidentLine(one).match(/no root cause/gi)?.length, 1);
  const text = renderIncidentText(one, OPTIONS);
  assert.equal(text.match(/no root cause yet/gi)?.length, 1, text);
  assert.match(text, /restart job 991 rank 1 \(read the first traceback\)/);
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
