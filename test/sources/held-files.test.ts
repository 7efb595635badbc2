// Files of procfs and sysfs that truly hang, held by the kernel: they are left behind and named, the others are read, and the
// JavaScript thread goes about its work meanwhile.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RankProcesses } from '../../src/identity/rank/processes.ts';
import { type HostRound, native } from '../../src/native.ts';
import { SmallFiles } from '../../src/sources/files/small-files.ts';
import { processScanner } from '../../src/sources/scan-processes.ts';
import { hold } from '../held-files.ts';
import { until } from '../until.ts';

/** Files by their path below a folder of the test. */
function tree(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'fl-held-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The result, and how many turns the JavaScript thread had until it came. */
async function besides<T>(work: Promise<T>): Promise<{ result: T; turns: number }> {
  let [turns, done] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!done) setTimeout(count, 1);
  };
  count();
  const result = await work.finally(() => {
    done = true;
  });
  return { result, turns };
}

const rank = (number: number) => `RANK=${number}\0WORLD_SIZE=4\0`;

test('a process whose files hang is left behind and named, the other ranks are found, and it is found when it answers', async (t) => {
  const proc = tree(t, { '10/environ': rank(0), '11/environ': rank(1), '12/environ': rank(2) });
  for (const pid of ['10', '11', '12']) {
    mkdirSync(join(proc, pid, 'ns'));
    symlinkSync('mnt:[1]', join(proc, pid, 'ns', 'mnt'));
  }
  const held = await hold(t, [join(proc, '11/environ')]);
  const processes = new RankProcesses(proc, processScanner(proc));
  const ranks = () => processes.ranks.map((each) => each.rank);
  const { turns } = await besides(processes.scan());
  if (held === null) return assert.deepEqual(ranks(), [0, 1, 2]);
  assert.deepEqual(ranks(), [0, 2]);
  assert.deepEqual(processes.hanging, [join(proc, '11')]);
  assert.ok(turns > 5, `the thread had ${turns} turns while a file hung for a second`);
  await held.release();
  await until(async () => (await processes.scan().then(ranks)).includes(1), { seen: ranks });
  assert.deepEqual(processes.hanging, []);
});

test('of a host the figures are read whose files answer', async (t) => {
  const proc = tree(t, {
    stat: 'cpu  1 2 3 4 5 6 7 8 0 0\nbtime 1700000000\n',
    loadavg: '0.5 0.4 0.3 1/200 99\n',
    diskstats: '',
  });
  const held = await hold(t, [join(proc, 'stat')]);
  const figures = new (native().HostFigures)({ proc, sys: proc });
  const { result: round, turns } = await besides(new Promise<HostRound>((resolve) => figures.read(resolve)));
  assert.ok(round.numbers.includes(0.5), 'the load was read');
  if (held === null) return assert.ok(round.numbers.includes(1_700_000_000));
  assert.deepEqual(round.hanging, [join(proc, 'stat')]);
  assert.ok(turns > 5, `the thread had ${turns} turns while a file hung for a second`);
  assert.ok(!round.numbers.includes(1_700_000_000));
});

test('a file of sysfs that hangs is given up and named, its neighbours are read, and it is taken up when it answers', async (t) => {
  const sys = tree(t, { 'mlx5_0/state': '4: ACTIVE\n', 'mlx5_1/state': '4: ACTIVE\n' });
  const [dead, well] = [join(sys, 'mlx5_0/state'), join(sys, 'mlx5_1/state')];
  const held = await hold(t, [dead]);
  const files = new SmallFiles();
  t.after(() => files.close());
  const both = await Promise.all([files.read(dead), files.read(well)]);
  if (held === null) return assert.deepEqual(both, ['4: ACTIVE', '4: ACTIVE']);
  assert.deepEqual(both, [null, '4: ACTIVE']);
  assert.deepEqual(files.stuck, [dead]);
  await held.release();
  await until(async () => (await files.read(dead)) === '4: ACTIVE', { seen: () => files.stuck });
});
