// The parts of a confidence: base rates where causes compete, both ends of one link, the cap on a user's word, and the sum.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceOnly, isCapped } from '../../../src/correlation/explain/confidence.ts';
import type { ConfidenceCode } from '../../../src/model/confidence.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Explanation } from '../../../src/model/explanation.ts';
import { correlator, event, type Given, GOLDEN, GPUS, link, lost, POWER_CHAIN, run } from '../fixtures.ts';

const [GPU_A = '', GPU_B = ''] = GPUS;
const LINKS = [link(GPU_A, 'rank/train/0', 'runs'), link(GPU_B, 'rank/train/1', 'runs')];
const kernel: Given = { trust: 'kernel', source: 'kernel-log' };
const log: Given = { trust: 'tenant', source: 'job-log' };

const reported = (events: readonly FaultEvent[]) => run(correlator(LINKS), events);
const part = (one: Explanation, wanted: ConfidenceCode) => one.confidenceParts.find(({ code }) => code === wanted);

test('of two causes that compete the one that is more frequent elsewhere gains by it, with its report', () => {
  const flap = event(1, 'nic.link_flap', 'nic/0000:40:00.0', { trust: 'kernel', source: 'nic' });
  const timeout = event(5, 'job.collective_timeout', 'rank/train/0', log);
  const one = reported([lost(0, GPU_A), flap, timeout]).of('gpu.lost');
  assert.deepEqual(part(one, 'base_rate'), {
    code: 'base_rate',
    why: 'base rates: faulty GPU 35.3 % against network switch or cable 8.4 % of unexpected interruptions, Llama 3 405B',
    delta: 0.01,
  });
});

test('where nothing competes, or one of the two was counted nowhere, base rates add nothing', () => {
  assert.equal(part(reported([lost(0, GPU_A)]).only(), 'base_rate'), undefined);
  assert.ok(reported(POWER_CHAIN).last.every((one) => part(one, 'base_rate') === undefined));
});

test('without a cause the likeliest one is named with its base rate', () => {
  const [why] = reported([event(0, 'job.collective_timeout', 'rank/train/0', log)]).only().confidenceParts;
  assert.match(why?.why ?? '', /software bug: 12\.9 % of unexpected interruptions, Llama 3 405B/);
});

test('which end of a link is broken is not known where both report it at once, and is where one does', () => {
  const end = (s: number, at: string) => event(s, 'nvlink.fatal', at, kernel);
  const both = reported([end(0, 'nvlink/0000:1b:00.0/3'), end(0.003, 'nvlink/0000:29:00.0/5')]).only();
  const alone = reported([end(0, 'nvlink/0000:1b:00.0/3')]).only();
  const otherEnd = part(both, 'other_end');
  assert.equal(otherEnd?.delta, -0.18);
  assert.match(otherEnd?.why ?? '', /^node-3 gpu 0000:29:00\.0 link 5 /);
  assert.ok(both.confidence < 0.7 && alone.confidence > both.confidence);
});

test('a user’s word stays at 60 %, whatever the map makes of it', () => {
  const one = reported([event(0, 'job.nan', 'job/train', log)]).only();
  assert.equal(one.confidence, 0.6);
  assert.ok(isCapped(one.confidenceParts));
  assert.ok(evidenceOnly(one.confidenceParts) > 0.6);
});

test('the map is at most one part, and what is left without it is what the evidence came to', () => {
  for (const one of [...reported(GOLDEN).last, ...reported(POWER_CHAIN).last]) {
    const maps = one.confidenceParts.filter(({ code }) => code === 'calibration');
    assert.ok(maps.length <= 1);
    const sum = one.confidenceParts.reduce((total, { delta }) => total + Math.round(100 * delta), 0);
    assert.equal(sum, Math.round(100 * one.confidence), one.title);
    const rest = Math.round(100 * (one.confidence - (maps[0]?.delta ?? 0)));
    assert.equal(Math.round(100 * evidenceOnly(one.confidenceParts)), rest, one.title);
  }
});

test('no base rate and no map makes a planned cause surer', () => {
  const one = reported([event(0, 'job.preempted', 'job/train', { trust: 'system', source: 'slurm' })]).last;
  assert.ok(one.every((planned) => !planned.confidenceParts.some(({ code }) => code === 'calibration')));
});
