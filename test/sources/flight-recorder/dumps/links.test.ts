// A dump folder is its job's user's: what he puts there that he could not read himself is neither listed nor read.

import assert from 'node:assert/strict';
import { chmodSync, chownSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativePath } from '../../../../src/native.ts';
import { analyseFlightRecorder } from '../../../../src/sources/flight-recorder/dumps/analyse.ts';
import { DumpFolder } from '../../../../src/sources/flight-recorder/dumps/dump-folder.ts';
import { readDumps } from '../../../../src/sources/flight-recorder/dumps/reader-child.ts';

const root = mkdtempSync(join(tmpdir(), 'fl-dump-links-'));
after(() => rmSync(root, { recursive: true }));
const TENANT = 65_534;
const DUMP = '{"version":"2.10","secret":"of root"}';

/** As the tenant's; who is not root cannot give it away, and lets everybody write it instead. */
function theirs(path: string): void {
  if (process.geteuid?.() === 0) chownSync(path, TENANT, TENANT);
  else chmodSync(path, 0o777);
}

const secret = join(root, 'secret');
mkdirSync(secret, { mode: 0o700 });
writeFileSync(join(secret, 'rank_0'), DUMP, { mode: 0o600 });
const jobs = join(root, 'jobs');
mkdirSync(jobs);
theirs(jobs);
symlinkSync(join(secret, 'rank_0'), join(jobs, 'rank_0'));
linkSync(join(secret, 'rank_0'), join(jobs, 'rank_1'));
writeFileSync(join(jobs, 'rank_2'), DUMP);
if (process.geteuid?.() === 0) theirs(join(jobs, 'rank_2'));
symlinkSync(secret, join(jobs, 'run'));

test('links and hard links among dumps are left out and said, the others come', async () => {
  const dumps = new DumpFolder(jobs, 'rank_*');
  let paths: readonly string[] = [];
  for (let s = 0; s < 60 && paths.length === 0; s += 2) paths = (await dumps.look(s * 1000 + 1, null, 0))?.paths ?? [];
  assert.deepEqual(paths, [join(jobs, 'rank_2')]);
  assert.match(dumps.refused?.message ?? '', /rank_[01] (is a symbolic link|belongs to uid)/);
});

test('a folder on the way that is a link is not listed', async () => {
  const dumps = new DumpFolder(join(jobs, 'run'), 'rank_*');
  assert.equal(await dumps.look(1, null, 0), null);
  assert.equal(dumps.error, 'refused');
  assert.match(dumps.refused?.message ?? '', /jobs\/run is a symbolic link, in a path that .* may write/);
});

test('the reader and `fr` check what they open once more', async () => {
  const refused = ['rank_0', 'rank_1', 'run/rank_0'].map((name) => join(jobs, name));
  const program = nativePath('faultline-fr');
  const { document } = await readDumps(refused, new AbortController().signal, { program });
  assert.deepEqual([document.job.dumps_count, document.job.refused_count], [3, 3]);
  const { job } = await analyseFlightRecorder(refused);
  const why = job.dumps.map(({ rejected }) => rejected?.why ?? 'read');
  assert.ok(why.includes('is a symbolic link'), why.join('; '));
  assert.ok(
    why.some((each) => /^belongs to uid .*, who may have put it there, may not read it$/.test(each)),
    why.join('; '),
  );
  assert.ok(
    why.some((each) => /run is a symbolic link, in a path that .* may write$/.test(each)),
    why.join('; '),
  );
  assert.ok(!JSON.stringify(job).includes('of root'));
});
