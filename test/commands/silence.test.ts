// faultline silence: added, listed, ended, through the daemon and without one; what cannot be is refused.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../src/api/api-server.ts';
import { noteToDocument } from '../../src/model/documents/note.ts';
import { TestBackend } from '../api/helpers.ts';
import { incident } from '../incidents/sample.ts';
import { run as command, logOf } from './incident-command.ts';
import { configFile, folder } from './run-cli.ts';

test('without a daemon it is in the log, for the next one; ended by its first digits', async (t) => {
  const log = await logOf(t, incident('7f3c41d2a0b1'));
  const root = folder();
  const config = configFile(`
directories: {runtime: ${root}/run, log: ${log}, state: ${root}/state}
silences:
  - {match: [user=mallory], by: anna, why: test user}
`);
  const run = (...words: string[]) => command('silence', ...words, '--config', config);
  const added = await run(
    'add',
    'kind=~"gpu[.].*"',
    'job=llama',
    '--for',
    '2h',
    '--why',
    'fans on order',
    '--by',
    'anna',
  );
  assert.equal(added.status, 0);
  assert.match(added.stderr, /^no daemon runs: written into the log/);
  const { in_force: list } = JSON.parse((await run('list', '--json')).stdout);
  assert.deepEqual(
    list.map(({ matchers, by, note }: { matchers: string[]; by: string; note: string }) => [matchers, by, note]),
    [
      [['user="mallory"'], 'anna', 'test user'],
      [['kind=~"gpu[.].*"', 'job="llama"'], 'anna', 'fans on order'],
    ],
  );
  const id: string = list[1].id;
  assert.equal((await run('remove', id.slice(0, 6))).stdout, `silence ${id} is over\n`);
  const { stdout } = await run('list');
  assert.match(stdout, /^[0-9a-f]{12} {2}user="mallory" {2}from .* until it is removed \(UTC\), by anna: test user\n$/);
  assert.equal((await run('end', id)).status, 1);
});

test('through the daemon; a condition or time that cannot be is refused before', async (t) => {
  const root = folder();
  const backend = new TestBackend();
  const api = await startApi(backend, join(root, 'run'));
  t.after(() => api.close());
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const run = (...words: string[]) => command('silence', 'add', ...words, '--config', config);
  const good = await run('severity=warning', '--for', '30m', '--why', 'noise', '--from', '2023-11-15T00:00:00Z');
  assert.deepEqual([good.status, good.stderr], [0, '']);
  const [note] = backend.notes;
  assert.ok(note?.kind === 'silence');
  assert.equal((note.untilMs ?? 0) - (note.fromMs ?? 0), 1_800_000);
  assert.equal(
    good.stdout
      .replaceAll(note.id, 'ID')
      .replace(note.id.slice(0, 6), 'ID')
      .replace(/--config \S+/, '--config FILE'),
    `silence ID of severity=warning by ${note.by} for 30m, from 2023-11-15T00:00:00Z on; to end it: faultline silence end --config FILE ID\n`,
  );
  for (const words of [
    ['kind', '--for', '1h', '--why', 'x'],
    ['kind=~"(a+)+"', '--for', '1h', '--why', 'x'],
    ['kind=gpu.lost', '--for', '1h', '--why', 'x', '--from', 'tomorrow'],
    ['kind=gpu.lost', '--for', '1h', '--why', 'x', '--from', '2023-01-01T00:00:00Z'],
  ])
    assert.equal((await run(...words)).status, 2, words.join(' '));
  for (const words of [
    ['kind=x', '--for', '90d', '--why', 'x'],
    ['kind=x', '--for', '1h'],
  ])
    await assert.rejects(run(...words), words.join(' '));
  assert.equal(backend.notes.length, 1);
});

test('a label or kind that no incident has is refused with the nearest one; labels of this host count', async (t) => {
  const log = await logOf(t, incident('7f3c41d2a0b1'));
  const root = folder();
  const config = configFile(`
directories: {runtime: ${root}/run, log: ${log}, state: ${root}/state}
notify: {labels: [rack=r14], channels: [{name: hook, type: webhook, url: "http://127.0.0.1:9/x"}]}
`);
  const run = (condition: string) =>
    command('silence', 'add', condition, '--for', '1h', '--why', 'x', '--config', config);
  for (const [condition, words] of [
    ['kidn!=gpu.lost', 'has a label that no incident has. Did you mean: kind'],
    ['kind=gpu.lsot', 'names no kind. Did you mean: gpu.lost'],
  ] as const) {
    const { status, stderr } = await run(condition);
    assert.deepEqual([status, stderr], [2, `FL3402 the condition "${condition}" ${words}\n`]);
  }
  assert.match((await run('colour=3')).stderr, /Known: severity, kind, .*, made, rack\n$/);
  for (const condition of ['rack=r14', 'kind=~"made[.]up"']) assert.equal((await run(condition)).status, 0, condition);
});

test('a list is what the daemon has, also where its disk took none of it', async (t) => {
  const root = folder();
  const backend = new TestBackend();
  const api = await startApi(backend, join(root, 'run'));
  t.after(() => api.close());
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const run = (...words: string[]) => command('silence', ...words, '--config', config);
  await run('add', 'kind=gpu.lost', '--for', '1h', '--why', 'swap');
  const [note] = backend.notes;
  assert.ok(note !== undefined);
  backend.status = () => ({ silences: [noteToDocument(note)] });
  assert.match((await run('list')).stdout, new RegExp(`^${note.id} {2}kind="gpu.lost" {2}from .*: swap\n$`));
  assert.equal((await run('end', note.id.slice(0, 6))).stdout, `silence ${note.id} is over\n`);
});

test('where no daemon ever ran there is no log to write into, and sudo would not help', async () => {
  const root = folder();
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const { status, stderr } = await command('silence', 'add', 'job=a', '--for', '1h', '--why', 'x', '--config', config);
  assert.equal(status, 1);
  assert.match(stderr, /^FL3406 .*ENOENT.*Name with --config the configuration of a daemon that ran here\n$/);
});

test('a reason or name that cannot be is named by its option', async () => {
  const config = configFile(`directories: {runtime: ${folder()}, log: ${folder()}, state: ${folder()}}`);
  for (const [words, option] of [
    [['--why', 'two\nlines'], '--why'],
    [['--why', 'x', '--by', 'a\u202eb'], '--by'],
    [['--why', 'x', '--from', 'tomorrow'], '--from'],
  ] as const) {
    const { status, stderr } = await command('silence', 'add', 'job=a', '--for', '1h', ...words, '--config', config);
    assert.equal(status, 2);
    assert.ok(stderr.startsWith(`FL3402 ${option} must be `), stderr);
  }
});
