// A job that runs has operations in flight at every moment: dumped then, no rank is accused; left alone, the stall is reported.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../runs.ts';
import { analyseCase, scoreOf } from './accuracy.ts';
import { type CaseKind, KINDS, makeCase } from './generator/cases.ts';
import type { Moment } from './generator/moment.ts';

const HEALTHY: readonly CaseKind[] = ['healthy', 'uneven'];

test('a healthy job that is dumped at any moment, its ranks one after the other, accuses no rank', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        seed: fc.integer({ min: 0, max: 1 << 20 }),
        kind: fc.constantFrom(...HEALTHY),
        size: fc.constantFrom(8, 16, 32),
        tickMs: fc.constantFrom(1, 20, 100, 500),
        tick: fc.integer({ min: 1, max: 260 }),
        skew: fc.integer({ min: 0, max: 12 }),
        every: fc.constantFrom(0, 7, 21),
        pause: fc.integer({ min: 1, max: 12 }),
      }),
      async ({ seed, kind, size, tickMs, tick, skew, every, pause }) => {
        // Two seconds are nothing; more than that is usual when it was seen before. A first long pause looks like a stall.
        fc.pre(every === 0 || tickMs * pause <= 1500 || (every === 7 && tick > 120));
        const moment: Moment = {
          tickMs,
          dumped: (rank) => tick + ((rank * 7 + seed) % (skew + 1)),
          // Every so many calls one of the hosts does something else first: a checkpoint, the next batch.
          pauses: (rank, call) => (every > 0 && call % every === 0 && rank === seed % size ? pause : 0),
        };
        const document = await analyseCase(makeCase(kind, seed, size, moment));
        assert.deepEqual(
          document.culprits.map(({ rank, reasons }) => [rank, reasons]),
          [],
        );
      },
    ),
    { numRuns: runs(60, 600) },
  );
});

test('what is too young is reported with its age, and the same job later names the rank', async () => {
  const end = 60_000;
  for (const kind of KINDS.filter((each) => !HEALTHY.includes(each))) {
    for (let seed = 0; seed < 4; seed += 1) {
      const late = makeCase(kind, seed, 16, { tickMs: 100, dumped: () => end });
      assert.equal(scoreOf(late, await analyseCase(late)), 'right', `${kind} ${seed}`);
    }
  }
  // Ten ticks are a second: all of the ranks that wait have only just come.
  const young = makeCase('not_joined', 3, 16, { tickMs: 1, dumped: () => 500 });
  const { verdicts, culprits } = await analyseCase(young);
  assert.deepEqual([verdicts.map(({ type }) => type), culprits], [['none'], []]);
  assert.match(
    verdicts[0]?.why ?? '',
    /^what is unfinished is too young to be a stall: \w+ \d+ of group \S+ had waited 0\.\d s/,
  );
});

test('a clock of the file system that is behind that of the host says nothing about the age', async () => {
  const made = makeCase('not_joined', 3, 16, { tickMs: 100, dumped: () => 5000 });
  const files = made.files.map((file) => ({ ...file, modifiedMs: 1_000_000_000_000 }));
  assert.equal(scoreOf(made, await analyseCase({ ...made, files })), 'right');
});
