// Ranks that wait for each other in a ring: the one is named that went another way than the same step before.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { FlightRecorderDocument } from '../../src/model/documents/flight-recorder.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { runs } from '../runs.ts';
import { dumpOf } from './generator/dump.ts';
import { type Call, type Group, run } from './generator/job.ts';
import { makeOrderCase } from './generator/orders.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-fr-order-'));
after(() => rmSync(root, { recursive: true }));

function analysed(
  files: readonly { readonly name: string; readonly bytes: Buffer }[],
): Promise<FlightRecorderDocument> {
  const folder = mkdtempSync(join(root, 'job-'));
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  return analyseFlightRecorder([folder]);
}

const named = ({ culprits }: FlightRecorderDocument): number[] => culprits.map(({ rank }) => rank);
const groups = ['tp', 'ep', 'cp', 'dp'].map((desc, at): Group => ({ name: `${at + 1}`, desc, ranks: [0, 1] }));

/** Dumps of two ranks, each of which runs a program of operations by the description of their group. */
function dumpsOf(programs: readonly (readonly string[])[], onlyActive = false) {
  const calls = programs.map((program) =>
    program.map((desc, at): Call => {
      const group = groups.find((each) => each.desc === desc);
      assert.ok(group, desc);
      return { group, operation: 'all_reduce', elements: 64, dtype: 'Float', line: at };
    }),
  );
  const options = { groups, version: '2.10', ring: 10_000, onlyActive, frames: true, timing: false };
  return run(calls, {}).map((entries, rank) => ({
    name: `rank_${rank}`,
    bytes: dumpOf(entries, { ...options, rank }),
  }));
}

const steps = (step: readonly string[], ...last: readonly string[]): string[] => [...Array.from({ length: 3 }, () => step).flat(), ...last]; // biome-ignore format: one line

test('with several operations a step the rank is named that entered the other group early', async () => {
  const step = ['tp', 'tp', 'ep'];
  for (const culprit of [0, 1]) {
    for (const early of [
      ['ep', 'tp', 'tp'],
      ['tp', 'ep', 'tp'],
    ]) {
      const programs = [0, 1].map((rank) => steps(step, ...(rank === culprit ? early : step)));
      const document = await analysed(dumpsOf(programs));
      assert.deepEqual([document.verdicts[0]?.type, named(document)], ['lock_order', [culprit]], early.join());
    }
  }
});

test('and the one that came late, after operations of other groups that had ended', async () => {
  const step = ['cp', 'tp', 'ep', 'tp', 'dp'];
  const programs = [steps(step, 'cp', 'ep', 'tp', 'tp', 'dp'), steps(step, ...step)];
  const document = await analysed(dumpsOf(programs));
  assert.deepEqual([document.verdicts[0]?.type, named(document)], ['lock_order', [0]]);
});

test('where no record of before is left, all who wait for each other are named, and it is said', async () => {
  const step = ['tp', 'tp', 'ep'];
  const document = await analysed(dumpsOf([steps(step, ...step), steps(step, 'ep', 'tp', 'tp')], true));
  assert.deepEqual([document.verdicts[0]?.type, named(document)], ['lock_order', [0, 1]]);
  assert.ok((document.culprits[0]?.confidence ?? 1) <= 0.5);
  assert.match(JSON.stringify(document.culprits), /the dumps do not tell/);
});

test('in jobs of any layout an innocent rank is hardly ever named alone', async () => {
  const counts = { right: 0, among: 0, wrong: 0 };
  for (let seed = 0; seed < runs(90, 1500); seed += 1) {
    const made = makeOrderCase(seed);
    if (made === null) continue;
    const got = named(await analysed(made.files));
    const found = got.some((rank) => made.culprits.includes(rank));
    counts[!found ? 'wrong' : got.length === 1 ? 'right' : 'among'] += 1;
  }
  const all = counts.right + counts.among + counts.wrong;
  assert.ok(all > 40 && counts.right >= all * 0.85 && counts.wrong <= all * 0.02, JSON.stringify(counts));
});
