// The answers on real dumps with known truth, where the shared data is at hand.

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { installationRoot } from '../../src/native.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';

interface Answer {
  readonly type: string;
  readonly culprits: readonly number[];
}

interface Truth extends Answer {
  readonly also_accept?: readonly Answer[];
  readonly waiting: readonly number[] | null;
  readonly sequence: number | null;
  readonly world_size: number;
  readonly call_site?: { readonly function: string; readonly file: string; readonly line: number } | null;
  readonly stragglers?: readonly {
    readonly rank: number;
    readonly lateness_ms: number;
    readonly lateness_tolerance_ms: number;
    readonly share: number;
    readonly share_tolerance: number;
  }[];
  readonly salvageable_entries?: Readonly<Record<string, number>>;
}

const data = join(installationRoot(), '..', 'shared', 'data', 'flight_recorder');

describe('real dumps', { skip: existsSync(data) ? false : 'the shared data is not here' }, () => {
  for (const path of globSync('*/*/truth.json', { cwd: data }).sort()) {
    const folder = dirname(join(data, path));
    test(relative(data, folder), async () => {
      const truth: Truth = JSON.parse(readFileSync(join(data, path), 'utf8'));
      const document = await analyseFlightRecorder([folder]);
      const named = document.culprits.map(({ rank }) => rank);
      const types = document.verdicts.map(({ type }): string => type);
      const right = [truth, ...(truth.also_accept ?? [])].some(
        (answer) => types.includes(answer.type) && named.join() === answer.culprits.join(),
      );
      assert.ok(right, `${types} ${named}`);
      assert.equal(document.job.world_size, truth.world_size);
      const [first] = document.verdicts.filter(({ sequence }) => sequence === truth.sequence);
      if (truth.type === 'not_joined') {
        // Of a file that was cut, its status may still say that its rank waits too.
        const cut = new Set(document.job.dumps.filter(({ truncated }) => truncated).map(({ rank }) => rank));
        assert.deepEqual(
          first?.waiting.filter((rank) => !cut.has(rank)),
          truth.waiting?.filter((rank) => !cut.has(rank)),
        );
      }
      if (truth.call_site) {
        const { function: name, file, line } = truth.call_site;
        const frames = document.verdicts.flatMap((verdict) => verdict.frames.flatMap(({ stack }) => stack));
        assert.ok(frames.some((frame) => frame.function === name && frame.file === file && frame.line === line));
      }
      const expected = truth.stragglers ?? [];
      assert.deepEqual(
        document.stragglers.map(({ rank }) => rank),
        expected.map(({ rank }) => rank),
      );
      for (const [index, late] of expected.entries()) {
        const found = document.stragglers[index];
        assert.ok(Math.abs((found?.lateness_ms ?? 0) - late.lateness_ms) <= late.lateness_tolerance_ms);
        assert.ok(Math.abs((found?.share ?? 0) - late.share) <= late.share_tolerance);
      }
      for (const [rank, entries] of Object.entries(truth.salvageable_entries ?? {})) {
        const dump = document.job.dumps.find((each) => each.rank === Number(rank));
        assert.deepEqual([dump?.truncated, dump?.entries], [true, entries]);
      }
    });
  }
});
