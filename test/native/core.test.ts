// The core as JavaScript sees it: what goes in comes out as src/native.ts says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { native, noticesOf } from '../../src/native.ts';
import { above, makeCore, push } from './edges.ts';

test('an edge carries its interval, value, reference and extreme in epoch ms', () => {
  const core = makeCore({ anchorMs: 1_700_000_000_000 });
  core.setDetectors([above(80)]);
  const t = 1_700_000_100_000;
  const startMs = core.now();
  push(core, 'gpu/0000:9b:00.0#temperature', [
    [t, 70],
    [t + 500, 91],
    [t + 1000, 95],
    [t + 1500, 60],
  ]);
  const pushedMs = core.now();
  const drained = core.drain();
  const { edges } = drained;
  for (const edge of edges) assert.ok(edge.detectedMs >= startMs && edge.detectedMs <= pushedMs);
  assert.deepEqual(
    { ...drained, edges: edges.map(({ detectedMs, ...rest }) => rest) },
    {
      edges: [
        {
          detector: 'hot',
          key: 'gpu/0000:9b:00.0#temperature',
          edge: 'onset',
          timeMs: t + 500,
          previousMs: t,
          value: 91,
          reference: 80,
          extreme: 91,
        },
        {
          detector: 'hot',
          key: 'gpu/0000:9b:00.0#temperature',
          edge: 'clear',
          timeMs: t + 1500,
          previousMs: t + 1000,
          value: 60,
          reference: 80,
          extreme: 95,
        },
      ],
      records: [],
      notices: [],
    },
  );
  assert.deepEqual(core.drain(), { edges: [], records: [], notices: [] });
});

test('the trace context of a batch comes back with the edges that it causes, and with no others', () => {
  const core = makeCore();
  core.setDetectors([above(80)]);
  const ids = Uint32Array.of(core.series('gpu/a#temperature'));
  const context = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const t = core.now();
  core.push(ids, Float64Array.of(t), Float64Array.of(90), context);
  core.push(ids, Float64Array.of(t + 1), Float64Array.of(70));
  core.push(ids, Float64Array.of(t + 2), Float64Array.of(90), undefined);
  assert.deepEqual(
    core.drain().edges.map((edge) => [edge.edge, edge.traceparent, 'traceparent' in edge]),
    [
      ['onset', context, true],
      ['clear', undefined, false],
      ['onset', undefined, false],
    ],
  );
  const broken = [
    null, 7, '', `${context}0`, context.slice(1), context.replace('00-', '01-'), context.toUpperCase(),
    context.replace(/-[0-9a-f]{32}-/, `-${'0'.repeat(32)}-`), context.replace(/-[0-9a-f]{16}-/, `-${'0'.repeat(16)}-`),
  ]; // biome-ignore format: one list
  for (const text of broken) {
    const push = () => core.push(ids, Float64Array.of(t + 3), Float64Array.of(70), text as string); // refusal is what is tested
    assert.throws(push, /push needs a traceparent/, String(text));
  }
  assert.deepEqual(core.drain().edges, [], 'what is refused is not taken');
});

test('a trend says when the limit will be met, in epoch ms', () => {
  const core = makeCore({ anchorMs: 0 });
  const select = { componentType: 'gpu', quantity: 'temperature' };
  core.setDetectors([
    { name: 't', select, type: 'trend', when: 'above', limit: 90, horizonMs: 30_000, windowMs: 20_000, minSamples: 3 },
  ]);
  push(core, 'gpu/a#temperature', [
    [0, 60],
    [1000, 62],
    [2000, 64],
  ]);
  const [edge] = core.drain().edges;
  assert.equal(edge?.edge, 'onset');
  assert.ok(Math.abs((edge?.reference ?? 0) - 15_000) < 0.01);
});

test('now runs with the wall clock and does not go back', () => {
  const core = makeCore();
  const before = Date.now();
  const now = core.now();
  assert.ok(now >= before - 5 && now <= Date.now() + 5);
  assert.ok(core.now() >= now);
});

test('history gives back what was pushed, aggregates what came since', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 300 }),
      (values) => {
        const core = makeCore({ anchorMs: 0 });
        push(
          core,
          'host/h#load',
          values.map((value, index) => [index * 10, value] as const),
        );
        const { timesMs, values: kept } = core.history('host/h#load', 0, Number.POSITIVE_INFINITY);
        assert.deepEqual([...kept], values);
        assert.deepEqual(
          [...timesMs],
          values.map((_, index) => index * 10),
        );
        const all = core.aggregates();
        assert.deepEqual([...all.ids], [0]);
        assert.deepEqual([...all.count], [values.length]);
        assert.equal(all.min[0], Math.min(...values));
        assert.equal(all.max[0], Math.max(...values));
        assert.equal(all.last[0], values.at(-1));
        assert.equal(all.lastTimeMs[0], (values.length - 1) * 10);
        assert.equal(core.aggregates().ids.length, 0);
        core.close();
      },
    ),
    { numRuns: 50 },
  );
});

test('NaN is an absent sample, unknown keys and ids are nothing', () => {
  const core = makeCore({ anchorMs: 0 });
  push(core, 'gpu/a#power', [[1, Number.NaN]]);
  core.push(Uint32Array.of(99), Float64Array.of(1), Float64Array.of(1));
  assert.equal(core.stats().samples, 0);
  assert.equal(core.history('absent#nothing', 0, 1).values.length, 0);
  assert.deepEqual(core.seriesKeys(), ['gpu/a#power']);
});

test('series past the bound have the id of none, and that is reported once', () => {
  const core = makeCore({ maxSeries: 1 });
  assert.equal(core.series('gpu/a#power'), 0);
  assert.equal(core.series('gpu/b#power'), 0xffffffff);
  core.series('gpu/c#power');
  assert.deepEqual(
    noticesOf(core.drain().notices, 'series_limit').map(({ key }) => key),
    ['gpu/b#power'],
  );
});

test('misuse throws a message that names what is wrong, and changes nothing', () => {
  const core = makeCore();
  const Core = native().Core as unknown as new (options: unknown) => unknown; // wrong on purpose, as below
  const loose = core as unknown as Record<string, (...values: unknown[]) => unknown>;
  const throws = (body: () => unknown, message: RegExp) => assert.throws(body, { message });
  throws(() => new Core(undefined), /Core: needs an object/);
  throws(() => new Core({ historySeconds: 'x', maxSeries: 1 }), /historySeconds must be a number/);
  throws(() => new Core({ historySeconds: 1, maxSeries: 0 }), /maxSeries must be between/);
  throws(() => loose.push?.([1], [2], [3]), /push needs \(Uint32Array, Float64Array, Float64Array\)/);
  throws(() => loose.push?.(new Uint32Array(2), new Float64Array(1), new Float64Array(2)), /one length/);
  throws(() => loose.onWake?.(3), /onWake needs a function/);
  throws(() => loose.series?.(3), /series needs a key/);
  throws(() => loose.setDetectors?.([above(1), { ...above(1), type: 'vibes' }]), /type must be level, mask/);
  throws(() => loose.setDetectors?.([{ ...above(1), dwellMs: -1 }]), /detector hot: dwellMs must be between/);
  throws(() => loose.setDetectors?.([{ ...above(1), clear: 2 }]), /clear must not be above limit/);
  throws(() => Reflect.construct(native().KernelLog, [{}, {}]), /a Core is needed/);
  throws(
    () => Reflect.construct(native().KernelLog, [core, { path: '/a\0b', userLines: true, fromStart: true }]),
    /NUL/,
  );
  throws(() => Reflect.construct(native().Rapl, [core, { sysRoot: '/sys', host: 'h' }]), /intervalMs must be a number/);
  push(core, 'gpu/a#temperature', [[core.now(), 99]]);
  assert.equal(core.drain().edges.length, 0);
});

test('a closed core answers and takes nothing more', () => {
  const core = makeCore();
  core.close();
  core.close();
  push(core, 'gpu/a#power', [[core.now(), 1]]);
  core.onWake(() => assert.fail('woke after close'));
  assert.equal(core.stats().samples, 0);
  assert.deepEqual(core.drain(), { edges: [], records: [], notices: [] });
});

test('notify says whether it could send, version is that of the package', () => {
  assert.equal(native().notify('/nonexistent/socket', 'READY=1'), false);
  assert.equal(native().notify('', 'READY=1'), false);
  assert.match(native().version(), /^\d+\.\d+\.\d+/);
});
