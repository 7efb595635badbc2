// Names that nothing but their senders know take neither the series of devices nor the memory of jobs that are known.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Detection } from '../../src/detection/detection.ts';
import {
  CLAIMED_MS,
  MOST_CLAIMED,
  MOST_CLAIMED_EVER,
  MOST_OF_TENANTS,
  PushedSeries,
} from '../../src/detection/pushed-series.ts';
import { Decoders } from '../../src/detection/text/decoders.ts';
import { TextDetection } from '../../src/detection/text/text-detection.ts';
import type { Attributes } from '../../src/model/event.ts';
import type { SampleBatch, TextRecord } from '../../src/model/record.ts';
import { native } from '../../src/native.ts';
import { T0 } from './series.ts';

const NO_SERIES = 0xffffffff;

function batch(trust: SampleBatch['trust'], keys: string[] = []): SampleBatch {
  return { source: 'x', trust, keys, timesMs: keys.map(() => T0), values: keys.map(() => 1) };
}

let position = 0;
function line(attributes: Attributes, text: string, source = 'logs-in'): TextRecord {
  position += 1;
  const timeMs = T0 + position * 1000;
  return { source, trust: 'tenant', stream: 'fluent/x', position, timeMs, timeDigits: 3, observedMs: timeMs, text, attributes: { framework: 'auto', ...attributes } }; // biome-ignore format: one line
}

test('invented jobs have a small part of the series; devices and jobs that are known have theirs', (t) => {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 1024, anchorMs: T0 });
  t.after(() => core.close());
  const detection = new Detection(core, 'node-3');
  const step = (i: number) => `step ${i} loss 1.5 lr 0.1 grad norm 0.5 step time 1.5 s 2000 tokens/s mfu 41%`;
  for (let i = 0; i < 400; i += 1)
    for (const at of [1, 2]) detection.text(line({ job: `invented-${i}`, claimed: true }, step(at)));
  const claimed = core.seriesKeys().filter((key) => key.startsWith('job/invented'));
  assert.ok(claimed.length > 0, 'the first ones are watched');
  assert.ok(claimed.length <= MOST_CLAIMED, `${claimed.length} series`);
  for (const at of [1, 2]) detection.text(line({ job: 'llama' }, step(at), 'job-log'));
  detection.samples(batch('driver', ['gpu/0000:1b:00.0#power']));
  const keys = core.seriesKeys();
  assert.ok(keys.includes('gpu/0000:1b:00.0#power'));
  assert.ok(keys.some((key) => key.startsWith('job/llama#')));
});

test('what has no place is not remembered, and tenants of any kind leave room', () => {
  let made = 0;
  const room = 10_000;
  const core = { push: () => {}, series: () => (made < room ? made++ : NO_SERIES) };
  const series = new PushedSeries(core, (name) => name.startsWith('invented'));
  for (let i = 0; i < 2000; i += 1) series.id(`service/invented-${i}#requests`, batch('tenant'), false, T0);
  assert.deepEqual([made, series.size], [MOST_CLAIMED, MOST_CLAIMED]);
  for (let i = 0; i < 20_000; i += 1) series.id(`job/known-${i}#loss`, batch('tenant'), false, T0);
  assert.deepEqual([made, series.size], [MOST_OF_TENANTS, MOST_OF_TENANTS]);
  assert.equal(series.id('job/known-0#loss', batch('tenant'), false, T0), MOST_CLAIMED);
  for (let i = 0; i < 20_000; i += 1) series.id(`gpu/${i}#power`, batch('driver'), false, T0);
  assert.deepEqual([made, series.size], [room, room]);
});

test('claimed names that fell silent make room for others, those that send keep theirs, and all together take no more than their part', () => {
  let made = 0;
  const series = new PushedSeries({ push: () => {}, series: () => made++ }, () => true);
  const id = (name: string, ms: number) => series.id(`job/${name}#loss`, batch('tenant'), false, T0 + ms);
  for (let i = 0; i < MOST_CLAIMED; i += 1) id(`a${i}`, 0);
  assert.equal(id('new', CLAIMED_MS - 1), NO_SERIES, 'none is silent for long enough');
  const kept = id('a0', CLAIMED_MS / 2);
  assert.notEqual(id('new', CLAIMED_MS), NO_SERIES);
  for (let i = 0; i < MOST_CLAIMED; i += 1) id(`b${i}`, CLAIMED_MS);
  assert.equal(id('one more', CLAIMED_MS), NO_SERIES, 'a0 is not silent, and the rest is taken');
  assert.equal(id('a0', CLAIMED_MS), kept);
  for (let hour = 2; hour < 20; hour += 1) for (let i = 0; i < 600; i += 1) id(`c${hour}-${i}`, hour * CLAIMED_MS * 2);
  assert.equal(made, MOST_CLAIMED_EVER);
});

test('names of senders push out one another, and none that is known', () => {
  const decoders = new Decoders<object>();
  const known = decoders.of('llama', false, () => ({}));
  for (let i = 0; i < 1000; i += 1) decoders.of(`invented-${i}`, true, () => ({}));
  assert.equal(decoders.get('llama'), known);
  assert.equal(
    decoders.of('llama', true, () => ({})),
    known,
    'what a sender says of a job that is known is read with it',
  );
  assert.equal(decoders.values().length, 17);
  const before = decoders.get('invented-999');
  assert.ok(decoders.isClaimed('invented-999'));
  assert.equal(
    decoders.of('invented-999', false, () => ({})),
    before,
    'found after all: what was read stays',
  );
  assert.ok(!decoders.isClaimed('invented-999'));
});

test('what a known job’s lines began is not forgotten though hundreds of invented jobs and services write in between', (t) => {
  const core = new (native().Core)({ historySeconds: 10, maxSeries: 64, anchorMs: T0 });
  t.after(() => core.close());
  const detection = new Detection(core, 'node-3');
  detection.text(line({ job: 'llama' }, 'Traceback (most recent call last):', 'job-log'));
  assert.ok(detection.attends('job', 'llama'));
  for (let i = 0; i < 300; i += 1) detection.text(line({ job: `invented-${i}`, claimed: true }, 'hello'));
  assert.ok(detection.attends('job', 'llama'));
});

test('streams that senders name push out none of the kernel’s: an error over several lines is reported whole', () => {
  const text = new TextDetection('node-3');
  const kernel = (words: string) => text.decode({ ...line({ priority: 3, facility: 0 }, `{1}[Hardware Error]: ${words}`, 'kernel-log'), stream: 'kmsg', trust: 'kernel', timeMs: T0 }).events; // biome-ignore format: one line
  const events = ['event severity: recoverable', ' Error 0, type: recoverable', ' fru_text: P1-DIMMA1'].flatMap(kernel);
  for (let i = 0; i < 300; i += 1)
    text.decode({ ...line({ priority: 3, facility: 3 }, 'nvidia-smi: hello', 'logs-in'), stream: `fluent/${i}` });
  events.push(...kernel('  section_type: memory error'), ...text.settle(T0 + 10_000));
  assert.deepEqual(events.map(({ kind, component }) => [kind, component?.id]), [['memory.ue', 'node-3/P1-DIMMA1']]); // biome-ignore format: one line
});
