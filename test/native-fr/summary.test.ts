// The summary that hosts give each other: from summaries the same verdict as from the dumps, in a few KiB a rank.

import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { FlightRecorderDocument } from '../../src/model/documents/flight-recorder.ts';
import { installationRoot, nativePath } from '../../src/native.ts';
import { analyseFlightRecorder } from '../../src/sources/flight-recorder/dumps/analyse.ts';
import { readDumps } from '../../src/sources/flight-recorder/dumps/reader-child.ts';
import { writeCase } from './accuracy.ts';
import { KINDS, makeCase } from './generator/cases.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-fr-summary-'));
after(() => rmSync(root, { recursive: true }));
const program = nativePath('faultline-fr');
const MAX_BYTES = 16 * 1024;

/** Each `perHost` files are of one host that tells the others of them. */
async function summaries(paths: readonly string[], perHost: number): Promise<{ folder: string; largest: number }> {
  const folder = mkdtempSync(join(root, 'summary-'));
  let largest = 0;
  for (let at = 0; at < paths.length; at += perHost) {
    const here = paths.slice(at, at + perHost);
    const { summary } = await readDumps(here, new AbortController().signal, { program });
    if (summary === null) continue;
    largest = Math.max(largest, summary.length / here.length);
    writeFileSync(join(folder, `host-${at}.json`), summary);
  }
  return { folder, largest };
}

const gist = ({ verdicts, culprits, job }: FlightRecorderDocument) => [
  job.world_size,
  job.missing_ranks,
  culprits,
  verdicts.map(({ type, group, sequence, operation, culprits: named, waiting, confidence, why, since }) => [type, group, sequence, operation, named, waiting, confidence, why, since]), // biome-ignore format: one line
];

describe('the verdict from summaries is that from the dumps', () => {
  for (const kind of KINDS) {
    test(kind, async () => {
      for (let seed = 0; seed < 5; seed += 1) {
        const made = makeCase(kind, seed);
        const dumps = mkdtempSync(join(root, 'dumps-'));
        writeCase(made, dumps);
        const { folder, largest } = await summaries(
          made.files.map(({ name }) => join(dumps, name)),
          4,
        );
        assert.deepEqual(
          gist(await analyseFlightRecorder([folder])),
          gist(await analyseFlightRecorder([dumps])),
          `seed ${seed}`,
        );
        assert.ok(largest <= 4096, `${largest} bytes a rank`);
      }
    });
  }
});

const data = join(installationRoot(), '..', 'shared', 'data', 'flight_recorder');
describe('and of real dumps', { skip: existsSync(data) ? false : 'the shared data is not here' }, () => {
  for (const path of globSync('*/*/truth.json', { cwd: data }).sort()) {
    test(dirname(path), async () => {
      const dumps = dirname(join(data, path));
      const files = globSync('*', { cwd: dumps }).filter((name) => name !== 'truth.json');
      const { folder, largest } = await summaries(
        files.sort().map((name) => join(dumps, name)),
        4,
      );
      const named = ({ culprits, verdicts }: FlightRecorderDocument) => [
        culprits.map(({ rank }) => rank),
        verdicts[0]?.type,
      ];
      assert.deepEqual(named(await analyseFlightRecorder([folder])), named(await analyseFlightRecorder([dumps])));
      assert.ok(largest <= MAX_BYTES, `${largest} bytes a rank`);
    });
  }
});

test('a summary that was cut, changed or filled with nonsense ends nothing', async () => {
  const made = makeCase('cascade', 1);
  const dumps = mkdtempSync(join(root, 'dumps-'));
  writeCase(made, dumps);
  const { folder } = await summaries(
    made.files.map(({ name }) => join(dumps, name)),
    16,
  );
  const text = readFileSync(join(folder, 'host-0.json'), 'utf8');
  const broken = mkdtempSync(join(root, 'broken-'));
  const odd = [
    text.slice(0, text.length / 2),
    text.replaceAll(/\d+/g, '99999999999999999999'),
    text.replaceAll(/\d+/g, '-7'),
    text.replaceAll('[', '[[').replaceAll(']', ']]'),
    text.replaceAll(/"0-15"/g, '"0-999999/0"'),
    '{"schema":"faultline/fr-summary/1","summary":[[[]],[[]],[1],[[1,2,3]]]}',
    '{"schema":"faultline/fr-summary/1"}',
  ];
  for (const [index, each] of odd.entries()) {
    const path = join(broken, `host-${index}.json`);
    writeFileSync(path, each);
    const document = await analyseFlightRecorder([path]);
    assert.ok(document.verdicts.length > 0);
  }
});
