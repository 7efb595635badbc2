// Any order: the streams of the corpus, shuffled within the lateness or delivered twice, settle to the same incidents.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FaultEvent } from '../../src/model/event.ts';
import { runs } from '../runs.ts';
import { keptCorpus } from './kept-corpus.ts';
import { LATENESS, readyMs, type Stream, settled, streamOf } from './streams.ts';

/** Past this many events a single shuffle takes seconds: storms have tests of their own. */
const MAX_EVENTS = 1500;

const scenarios = keptCorpus().filter(({ family }) => !['storms', 'days'].includes(family));
/** A scenario by its place, so that a counterexample is short. */
const drawn = fc.record({ scenario: fc.nat({ max: scenarios.length - 1 }), seed: fc.nat({ max: 99 }) });

async function drawStream({ scenario, seed }: { readonly scenario: number; readonly seed: number }): Promise<Stream> {
  const one = scenarios[scenario];
  assert.ok(one);
  const stream = await streamOf(one, seed);
  return { ...stream, events: stream.events.slice(0, MAX_EVENTS) };
}

/**
 * Each event up to the lateness after it was ready. What is reported again as more becomes known of it comes in its order;
 * what came as history stays as late as it was.
 */
function shuffled(events: readonly FaultEvent[], delay: () => number): FaultEvent[] {
  const delays = new Map<string, number>();
  const delayOf = (id: string): number => {
    const known = delays.get(id) ?? delay();
    delays.set(id, known);
    return known;
  };
  return events
    .map((event) => {
      const isHistory = event.observedMs - event.interval.latestMs > LATENESS;
      return isHistory ? event : { ...event, observedMs: readyMs(event) + delayOf(event.id) };
    })
    .sort((a, b) => a.observedMs - b.observedMs);
}

/** Whole numbers from 0 to `max`, the same for the same seed. */
function numbers(seed: number, max: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * (max + 1));
  };
}

/** The first lines in which the two differ, and no more of what can be thousands. */
function assertSame(actual: string, expected: string, what: string): void {
  if (actual === expected) return;
  const [left, right] = [actual.split('\n'), expected.split('\n')];
  const at = left.findIndex((line, i) => line !== right[i]);
  const around = (lines: readonly string[]): string => lines.slice(Math.max(0, at - 6), at + 3).join('\n');
  assert.fail(`${what}\n${around(left)}\n--- should be\n${around(right)}`);
}

test('any arrival order within the lateness settles to the same incidents', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, fc.array(fc.nat(), { minLength: 2, maxLength: 2 }), async (draw, seeds) => {
      const stream = await drawStream(draw);
      const ready = shuffled(stream.events, () => 0);
      const expected = settled(stream, ready);
      for (const seed of seeds) {
        const order = shuffled(stream.events, numbers(seed, LATENESS - 1000));
        assertSame(settled(stream, order), expected, stream.name);
      }
    }),
    { numRuns: runs(12, 200) },
  );
});

test('what is delivered two or three times changes nothing but counts', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, fc.nat(), async (draw, seed) => {
      const stream = await drawStream(draw);
      const again = numbers(seed, 2);
      const often = stream.events.flatMap((event) => Array.from({ length: 1 + again() }, () => event));
      assertSame(settled(stream, often), settled(stream, stream.events), stream.name);
    }),
    { numRuns: runs(10, 150) },
  );
});
