// Watched files through the addon: samples in the core, one notice at the end, numbers as the sources read them, plans refused.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type FileWatchOptions, type NativeCore, native, noticesOf, type WatchedSeries } from '../../src/native.ts';
import { parseCounter, powerW, temperatureC } from '../../src/sources/files/sentinel.ts';
import { drainUntil, makeCore, until } from './edges.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'faultline-files-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function watch(core: NativeCore, groups: FileWatchOptions['groups'], more: Partial<FileWatchOptions> = {}) {
  return new (native().FileWatch)(core, {
    name: 'test 1',
    intervalMs: 2,
    firstMs: 0,
    slowRounds: 6,
    groups,
    ...more,
  });
}

const values = (core: NativeCore, key: string) => [...core.history(key, 0, Number.POSITIVE_INFINITY).values];

test('counters are sampled until a text changes; that is reported once, with the path', async (t) => {
  const root = folder(t);
  const [state, errors] = [join(root, 'state'), join(root, 'errors')];
  writeFileSync(state, '4: ACTIVE\n');
  writeFileSync(errors, '3\n');
  const core = makeCore();
  const startedMs = core.now();
  const files = [{ path: state, expected: '4: ACTIVE' }, { path: errors }];
  const series: WatchedSeries[] = [
    { key: 'nic/a#symbol_errors', kind: 'counter', files: [1] },
    { key: 'nic/a#link_rate', kind: 'held', value: 4e11 },
    { key: 'nic/a#rdma_receive_rate', kind: 'rate', files: [1], value: 4, total: 12 },
  ];
  const watching = watch(core, [{ files, series, totalsMs: startedMs }]);
  await until(() => values(core, 'nic/a#symbol_errors').length >= 5);
  assert.equal(watching.ended(), false);
  assert.equal(watching.hangs(60_000), null);
  const [began = 0, ended = 0, total, rate, ...rest] = watching.groups();
  assert.ok(began >= startedMs && ended >= began && ended <= core.now());
  assert.deepEqual([total, rate, rest], [12, 0, []]);
  const reported = drainUntil(core, ({ notices }) => notices.length > 0);
  writeFileSync(state, '1: DOWN\n');
  const { notices } = await reported;
  assert.deepEqual(
    noticesOf(notices, 'files_changed').map(({ watch, path }) => [watch, path]),
    [['test 1', state]],
  );
  await until(() => watching.ended());
  const { rounds, reads, readSeconds, dropped } = watching.counts();
  assert.ok(rounds >= 5 && reads >= 2 * rounds && readSeconds > 0);
  assert.equal(dropped, 0);
  for (const key of core.seriesKeys()) assert.equal(values(core, key).length, rounds);
  core.close();
});

test('any text is the number that the sources make of it, or none', async (t) => {
  const root = folder(t);
  const digits = fc.stringMatching(/^-?\d{1,21}$/);
  const edges = [2 ** 15 - 1, 2 ** 16 - 1, 0x7fff_fff0, 2 ** 31 - 1, 2 ** 32 - 1, 140_737_488_355_328];
  const near = fc.tuple(fc.constantFrom(...edges), fc.constantFrom(1, 1000, 1e6), fc.integer({ min: -2, max: 2 }));
  const text = fc.oneof(
    digits,
    near.map(([edge, scale, off]) => String(BigInt(edge * scale) + BigInt(off))),
    fc.bigInt({ min: -(2n ** 64n), max: 2n ** 65n }).map(String),
    fc.constantFrom('', ' 1', '1 ', '+1', '0x1f', '1e3', '-0', 'N/A', '1\n1', '\0', '9'.repeat(70)),
  );
  const kinds = ['counter', 'power', 'temperature'] as const;
  const parsers = { counter: parseCounter, power: powerW, temperature: temperatureC };
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 40 }), async (texts) => {
      const core = makeCore({ maxSeries: 200 });
      const files = texts.map((one, i) => {
        const path = join(root, String(i));
        writeFileSync(path, `${one}\n`);
        return { path };
      });
      const series = kinds.flatMap((kind) =>
        texts.map((_, i): WatchedSeries => ({ key: `x/${kind}${i}#v`, kind, files: [i] })),
      );
      const watching = watch(core, [{ files, series }]);
      await until(() => watching.counts().rounds > 0);
      watching.stop();
      for (const kind of kinds) {
        for (const [i, one] of texts.entries()) {
          const value = parsers[kind](one);
          // What the core takes for a blank of the vendor's it drops, whoever pushes it.
          const id = Uint32Array.of(core.series('pushed#v'));
          core.push(id, Float64Array.of(core.now()), Float64Array.of(value ?? Number.NaN));
          const taken = value !== null && values(core, 'pushed#v').at(-1) === value;
          const got = values(core, `x/${kind}${i}#v`).at(0);
          const expected = taken ? value : undefined;
          assert.ok(got === expected, `${got} for ${expected}: ${kind} of ${JSON.stringify(one)}`);
        }
      }
      core.close();
    }),
    { numRuns: 30 },
  );
});

test('a plan that cannot be is refused by name, and no thread begins', () => {
  const core = makeCore();
  const file = { path: '/nonexistent' };
  const one = { key: 'x#y', kind: 'counter', files: [0] } as const;
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [[{ files: [file], series: [{ ...one, files: [1] }] }], /files must be places/],
    [[{ files: [file], series: [{ ...one, files: [-1] }] }], /files must be places/],
    [[{ files: [file], series: [{ ...one, files: 'x' }] }], /files must be an array/],
    [[{ files: [file], series: [{ ...one, kind: 'sum' }] }], /kind must be one of/],
    [[{ files: [file], series: [{ ...one, value: Number.NaN }] }], /value must be finite/],
    [[{ files: [{ path: 'a\0b' }], series: [] }], /must not contain a NUL/],
    [[{ files: [{ path: 7 }], series: [] }], /path must be a string/],
    [[{ files: [{ path: '/x', expected: 'y'.repeat(64) }], series: [] }], /expected is too long/],
    [[{ files: [{ path: '/x', folder: true }], series: [] }], /expected is missing/],
    [[{ files: [{ path: '/x', expected: null }], series: [] }], /expected is missing/],
    [[{ files: Array.from({ length: 8193 }, () => file), series: [] }], /at most 8192 files/],
    [[{ files: [] }], /series must be an array/],
    [[null], /needs an object/],
    [{}, /groups must be an array/],
  ];
  for (const [groups, message] of wrong) {
    // The wrong types are the point here.
    assert.throws(() => watch(core, groups as FileWatchOptions['groups']), { name: 'TypeError', message });
  }
  assert.throws(() => watch(core, [], { slowRounds: 0 }), { name: 'TypeError', message: /slowRounds/ });
  core.close();
});
