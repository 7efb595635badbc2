// Claim: an incident with an effect is as sure as its weakest step, in parts that say why; a root alone is as sure as it was seen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfidenceCode } from '../../../src/model/confidence.ts';
import type { Explanation } from '../../../src/model/explanation.ts';
import { correlator, event, type Given, GOLDEN, GPUS, lost, POWER_CHAIN, run } from '../fixtures.ts';

const log: Given = { trust: 'tenant', source: 'job-log' };
const bmc: Given = { trust: 'bmc', source: 'bmc', state: 'onset' };
const CLAIM: readonly ConfidenceCode[] = ['link_strength', 'lag_fit', 'evidence_against', 'rival_effect'];

const part = (one: Explanation, wanted: ConfidenceCode) => one.confidenceParts.find(({ code }) => code === wanted);
const slow = (s: number) => event(s, 'job.throughput_drop', 'job/train', { ...log, state: 'onset' });
const fan = event(0, 'host.fan_failure', 'fan/node-3/2', bmc);

test('a root alone claims only that it happened', () => {
  const alone = run(correlator(), [lost(0, GPUS[0] ?? '')]).only();
  assert.ok(CLAIM.every((code) => part(alone, code) === undefined));
});

test('a weak row makes the claim weak, however surely the root was seen', () => {
  const alone = run(correlator(), [fan]).only();
  const blamed = run(correlator(), [fan, slow(5)]).of('host.fan_failure');
  assert.ok(blamed.confidence < 0.75 && alone.confidence > 0.85, `${blamed.confidence} of ${alone.confidence}`);
  assert.match(part(blamed, 'link_strength')?.why ?? '', /40 of 100/);
});

test('the later it comes within its time, the less sure', () => {
  const sure = [5, 120, 400].map((s) => run(correlator(), [fan, slow(s)]).of('host.fan_failure').confidence);
  assert.ok((sure[0] ?? 0) > (sure[1] ?? 0) && (sure[1] ?? 0) > (sure[2] ?? 0), sure.join());
});

test('two causes that are as likely leave each of them undecided', () => {
  const nic = (bus: string) => event(0, 'nic.port_down', `nic/0000:${bus}:00.0`, { trust: 'kernel', source: 'nic', state: 'onset' }); // biome-ignore format: one line
  const timeout = event(4, 'job.collective_timeout', 'job/train', log);
  const storage = event(1, 'fabric_manager.error', 'host/node-3', { trust: 'system', source: 'system' });
  const one = run(correlator(), [nic('40'), timeout]).of('nic.port_down');
  const two = run(correlator(), [nic('40'), storage, timeout]).last.find(({ chain }) =>
    chain.some(({ kind }) => kind === 'job.collective_timeout'),
  );
  assert.ok(two !== undefined && two.confidence < one.confidence - 0.15, `${two?.confidence} and ${one.confidence}`);
  assert.ok(part(two, 'rival_effect') !== undefined);
});

test('a chain that fits step by step stays sure', () => {
  assert.ok(run(correlator(), GOLDEN).last.some(({ root, confidence }) => root.kind === 'gpu.memory.dbe' && confidence >= 0.85)); // biome-ignore format: one line
});

test('all parts of a claim take, and what is left adds up', () => {
  for (const one of [...run(correlator(), [fan, slow(300)]).last, ...run(correlator(), POWER_CHAIN).last]) {
    for (const code of CLAIM) assert.ok((part(one, code)?.delta ?? 0) <= 0);
    const sum = one.confidenceParts.reduce((total, { delta }) => total + Math.round(100 * delta), 0);
    assert.equal(sum, Math.round(100 * one.confidence), one.title);
  }
});
