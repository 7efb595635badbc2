// Detectors with limits of a site: other ones, for some models, muted; and what a reload ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfig } from '../../../src/daemon/config.ts';
import { Pipeline } from '../../../src/daemon/pipeline.ts';
import { BUILT_IN, UNCHANGED } from '../../../src/detection/user-rules/in-force.ts';
import type { RulesConfig } from '../../../src/detection/user-rules/index.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { native } from '../../../src/native.ts';

const T0 = Date.UTC(2026, 10, 27, 14, 0, 0);
const [H100, A100] = ['gpu/0000:1b:00.0', 'gpu/0000:29:00.0'];

async function rulesOf(text: string): Promise<RulesConfig> {
  const surroundings = { environment: {}, uid: 0, home: '/root', hostname: 'node-3' };
  return (await checkConfig(text, '/nowhere/faultline.yaml', surroundings)).config.detection;
}

class Line {
  readonly core = new (native().Core)({ historySeconds: 60, maxSeries: 64 });
  readonly events: FaultEvent[] = [];
  readonly pipeline: Pipeline;
  #nowMs = T0;

  constructor(rules: RulesConfig) {
    this.pipeline = new Pipeline({
      host: 'node-3',
      core: this.core,
      latenessMs: 5000,
      holdMs: 5000,
      links: [],
      rules,
      now: () => this.#nowMs,
      onEvent: (event) => this.events.push(event),
      onIncident() {},
    });
    for (const [text, model] of [[H100, 'NVIDIA H100 80GB'], [A100, 'NVIDIA A100']] as const)
      this.pipeline.discovery({ component: { type: 'gpu', id: text.slice(4) }, links: [], attributes: { model } }); // biome-ignore format: one line
  }

  /** A minute of this value, one sample a second. */
  minute(key: string, value: number): this {
    for (let i = 0; i < 60; i += 1) {
      this.#nowMs += 1000;
      this.pipeline.samples({ source: 'test', trust: 'driver', keys: [key], timesMs: [this.#nowMs], values: [value] });
    }
    return this;
  }

  said(): string[] {
    return this.events.splice(0).map(({ kind, state, component }) => `${kind} ${state} ${component?.type}/${component?.id}`);
  } // biome-ignore format: one line
}

function line(context: { after(end: () => void): void }, rules: RulesConfig): Line {
  const made = new Line(rules);
  context.after(() => made.core.close());
  return made;
}

const STEAL = 'host/node-3#cpu_steal';

test('a limit of the site counts, and its end moves along', async (context) => {
  const rules = await rulesOf('detectors:\n  - {name: host-cpu-steal, above: 0.3, severity: error}\n');
  const steal = rules.detectors.find(({ rule }) => rule.spec.name === 'host-cpu-steal');
  assert.deepEqual([steal?.origin, steal?.rule.severity], ['/nowhere/faultline.yaml:2', 'error']);
  assert.ok(steal?.rule.spec.type === 'level' && Math.abs(steal.rule.spec.clear - 0.25) < 1e-9);
  assert.equal(rules.detectors.filter(({ origin }) => origin !== BUILT_IN).length, 1);
  const made = line(context, rules);
  assert.deepEqual(made.minute(STEAL, 0.2).said(), []);
  assert.deepEqual(made.minute(STEAL, 0.4).said(), ['cpu.steal onset host/node-3']);
  assert.deepEqual(made.minute(STEAL, 0.27).said(), []);
  assert.deepEqual(made.minute(STEAL, 0.2).said(), ['cpu.steal clear host/node-3']);
});

test('without changes everything is as it is built in, and muted is silent', async (context) => {
  assert.equal((await rulesOf('')).detectors, UNCHANGED);
  const made = line(context, await rulesOf('detectors: [{name: host-cpu-steal, enabled: off}]\n'));
  assert.deepEqual(made.minute(STEAL, 0.9).said(), []);
});

const RULE = `rules:
  - {name: hot, threshold: {of: gpu, series: own_reading, above: 70, models: ["*H100*"]}}
  - {name: warm, threshold: {of: gpu, series: own_reading, above: 60}}
`;

test('a threshold for a model judges that one alone', async (context) => {
  const made = line(context, await rulesOf(RULE));
  assert.deepEqual(made.minute(`${H100}#own_reading`, 75).said().sort(), [`user.hot onset ${H100}`, `user.warm onset ${H100}`]);
  assert.deepEqual(made.minute(`${A100}#own_reading`, 75).said(), [`user.warm onset ${A100}`]);
}); // biome-ignore format: one line

test('a built-in detector has a limit for some models, another for the others, and may be muted for some', async (context) => {
  const name = 'gpu-retired-pages-dbe';
  const detector = UNCHANGED.find(({ rule }) => rule.spec.name === name)?.rule;
  assert.ok(detector !== undefined);
  const { quantity } = detector.spec.select;
  const off = await rulesOf(`detectors: [{name: ${name}, enabled: off, models: ["*H100*"]}]\n`);
  const made = line(context, off);
  made.minute(`${H100}#${quantity}`, 0).minute(`${A100}#${quantity}`, 0).said();
  assert.deepEqual(made.minute(`${H100}#${quantity}`, 1000).said(), []);
  assert.deepEqual(made.minute(`${A100}#${quantity}`, 1000).said().length, 1);
});

test('a reload ends what a rule reported that is gone or changed, and leaves the others alone', async (context) => {
  const before = await rulesOf(RULE);
  const made = line(context, before);
  made.minute(`${H100}#own_reading`, 75).said();
  made.pipeline.rules(await rulesOf(`# a comment more\n${RULE}`));
  assert.deepEqual(made.said(), []);
  made.pipeline.rules(await rulesOf(RULE.replace('above: 60', 'above: 90')));
  assert.deepEqual(made.said(), [`user.warm clear ${H100}`]);
  made.pipeline.rules(await rulesOf(''));
  assert.deepEqual(made.said(), [`user.hot clear ${H100}`]);
  assert.deepEqual(made.minute(`${H100}#own_reading`, 99).said(), []);
});

test('a reload moves the limit of a speed of jobs in both places that judge it, and nothing is stuck', async (context) => {
  const limit = (ratio: number) => rulesOf(`detectors: [{name: job-step-time, ratio: ${ratio}, clear_ratio: 1.1}]\n`);
  const made = line(context, await limit(1.3));
  const [key, slower] = ['job/llama#step_time', [`job.slow onset job/llama`]];
  const kinds = () => made.said().map((said) => said.replace(/^job\.\S+/, 'job.slow'));
  made.minute(key, 0.4);
  assert.deepEqual([made.minute(key, 0.48), kinds()][1], [], 'a fifth is within 1.3');
  made.pipeline.rules(await limit(1.15));
  made.minute(key, 0.4);
  assert.deepEqual([made.minute(key, 0.48), kinds()][1], slower, 'and beyond 1.15');
  made.pipeline.rules(await limit(1.5));
  assert.deepEqual(kinds(), ['job.slow clear job/llama']);
  made.minute(key, 0.4);
  assert.deepEqual([made.minute(key, 0.56), kinds()][1], []);
  assert.deepEqual([made.minute(key, 0.4).minute(key, 0.8), kinds()][1], slower);
});

test('a rule that counts events starts over where it changed, and ends what it reported where it is gone', async (context) => {
  const rule = (count: number) => `rules: [{name: lost, events: {kind: [gpu.lost], count: ${count}, within: 1h}}]\n`;
  const made = line(context, await rulesOf(rule(1)));
  const timeMs = T0 + 1000;
  const lost = { kind: 'gpu.lost', component: { type: 'gpu', id: '0000:1b:00.0' }, timeMs, observedMs: timeMs, trust: 'kernel', source: 'kernel-log' } as const; // biome-ignore format: one line
  made.pipeline.event(lost);
  assert.deepEqual(made.said(), [`gpu.lost point ${H100}`, `user.lost onset ${H100}`]);
  made.pipeline.event(lost); // the same again counts once
  assert.deepEqual(made.said().filter((one) => one.startsWith('user')), []); // biome-ignore format: one line
  made.pipeline.rules(await rulesOf(''));
  assert.deepEqual(made.said(), [`user.lost clear ${H100}`]);
});

test('what a user of the host may have written makes the event of a rule theirs', async (context) => {
  const made = line(
    context,
    await rulesOf('rules: [{name: lost, events: {kind: [gpu.lost], count: 2, within: 1h}}]\n'),
  );
  const one = { kind: 'gpu.lost', component: { type: 'gpu', id: '0000:1b:00.0' }, source: 'x' } as const;
  made.pipeline.event({ ...one, timeMs: T0 + 1, observedMs: T0 + 1, trust: 'kernel' });
  made.pipeline.event({ ...one, timeMs: T0 + 2, observedMs: T0 + 2, trust: 'tenant', discriminator: 2 });
  assert.equal(made.events.find(({ kind }) => kind === 'user.lost')?.trust, 'tenant');
});
