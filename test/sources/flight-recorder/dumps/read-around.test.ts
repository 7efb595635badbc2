// A dump that ends the reader: it is found, left out and reported, and the others are read; a reader that is killed is started again.

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativePath } from '../../../../src/native.ts';
import { readAround } from '../../../../src/sources/flight-recorder/dumps/read-around.ts';
import { FlightRecorderSource } from '../../../../src/sources/flight-recorder/flight-recorder-source.ts';
import { knowing } from '../../../identity/knowing.ts';
import { makeCase } from '../../../native-fr/generator/cases.ts';
import { until } from '../../../until.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-around-'));
after(() => rmSync(root, { recursive: true }));
const never = new AbortController().signal;

function job(): { folder: string; paths: string[]; culprits: readonly number[] } {
  const { files, culprits } = makeCase('cascade', 1);
  const folder = mkdtempSync(join(root, 'job-'));
  const paths = files.map(({ name, bytes }) => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  });
  return { folder, paths, culprits };
}

/** The real reader behind a script that ends as `when` says: by its list of paths, or by how often it was started. */
function reader(when: string): { program: string; starts: () => number } {
  const folder = mkdtempSync(join(root, 's-'));
  const program = join(folder, 'reader');
  const script = [`list='${folder}/list'; tr '\\0' '\\n' >"$list"; echo >>'${folder}/starts'`, `${when}`, `tr '\\n' '\\0' <"$list" | '${nativePath('faultline-fr')}' "$$"`]; // biome-ignore format: one line
  writeFileSync(program, `#!/bin/sh\n${script.join('\n')}\n`);
  chmodSync(program, 0o755);
  return {
    program,
    starts: () => (existsSync(`${folder}/starts`) ? readFileSync(`${folder}/starts`, 'utf8').length : 0),
  };
}

test('files that end the reader are found among the others, which are read', async () => {
  const { paths, culprits } = job();
  const ranks = [2, 5, 11].filter((rank) => !culprits.includes(rank)).slice(0, 2);
  const bad = paths.filter((path) => ranks.some((rank) => path.endsWith(`_${rank}`)));
  const { program } = reader(`grep -qE 'rank_(${ranks.join('|')})$' "$list" && kill -SEGV $$`);
  const { document, fatal } = await readAround(paths, never, { program, backOffMs: 1 });
  assert.deepEqual([...fatal].sort(), [...bad].sort());
  assert.equal(document.job.dumps_count, paths.length - bad.length);
  assert.deepEqual(document.culprits.map(({ rank }) => rank), culprits); // biome-ignore format: one line
});

test('a reader that is killed from outside is started again and reads all', async () => {
  const { paths, culprits } = job();
  const { program, starts } = reader(`[ "$(wc -l <"$(dirname "$0")/starts")" -gt 1 ] || kill -KILL $$`);
  const { document, fatal } = await readAround(paths, never, { program, backOffMs: 1 });
  assert.deepEqual([fatal, starts()], [[], 2]);
  assert.deepEqual(document.culprits.map(({ rank }) => rank), culprits); // biome-ignore format: one line
});

test('a reader that always dies is given up after a bounded number of starts', async () => {
  const { program, starts } = reader('kill -SEGV $$');
  await assert.rejects(readAround(job().paths, never, { program, backOffMs: 0 }), /ended by SIGSEGV/);
  assert.ok(starts() <= 64, `${starts()}`);
});

test('through the source: the other ranks are analysed, and health names the file', async () => {
  const { folder, culprits } = job();
  const spared = culprits.includes(2) ? 3 : 2;
  const { program } = reader(`grep -q 'rank_${spared}$' "$list" && kill -SEGV $$`);
  const kinds: (string | undefined)[] = [];
  const config = { enabled: 'on', intervalMs: 5, processes: false, folders: [{ path: folder, pattern: '*', job: 'llama' }], trigger: false } as const; // biome-ignore format: one line
  const source = new FlightRecorderSource(config, {
    host: 'node-3',
    now: Date.now,
    program,
    identity: knowing([{ job: 'llama', ranks: culprits }]),
    standard: [],
    graceMs: 0,
    backOffMs: 1,
  });
  source.start(
    {
      samples() {},
      text() {},
      discovery() {},
      event: ({ kind, component }) => kinds.push(kind === 'job.collective_desync' ? component?.id : undefined),
    },
    never,
  );
  await until(() => kinds.some((id) => id !== undefined), { seen: () => [kinds, source.health()] });
  await source.stop();
  assert.deepEqual(kinds.filter((id) => id !== undefined), culprits.map((rank) => `llama/${rank}`)); // biome-ignore format: one line
  assert.match(source.health()[0]?.detail ?? '', new RegExp(`rank_${spared}\\b.*others were read`));
});
