// faultline inject on the command line: what is wrong is reported before the daemon is asked, and what can be injected is listed.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../src/api/api-server.ts';
import { TestBackend } from '../api/helpers.ts';
import { configFile, faultline, folder } from './run-cli.ts';

const wrong: readonly [string[], RegExp][] = [
  [[], /missing required argument 'what'/],
  [['xid'], /^FL1200 xid needs its number, 1 to 999\. Write: faultline inject xid 79 --gpu 0000:9b:00\.0\n$/],
  [['xid', 'seventy'], /^FL1200 xid needs its number/],
  [['xid', '79', '--component', 'gpu/0'], /^FL1200 --component means nothing with xid/],
  [['kernel-line'], /^FL1200 kernel-line needs the text of the line, in quotes\n$/],
  [['gpu.lost', 'now'], /^FL1200 gpu\.lost takes nothing behind it; say where with --component type\/id\n$/],
  [['end', '--for', '1m'], /^FL1200 --for means nothing with end/],
  [['gpu.lost', '--for', '2h'], /Write a time from 1s to 1h/],
];

test('what is written wrongly ends with status 2 and how to write it', async () => {
  const config = configFile('');
  const outcomes = await Promise.all(wrong.map(([words]) => faultline(['inject', ...words, '--config', config])));
  outcomes.forEach(({ status, stdout, stderr }, i) => {
    assert.equal(status, 2, stderr);
    assert.equal(stdout, '');
    assert.match(stderr, wrong[i]?.[1] ?? /$^/);
  });
});

test('lists XIDs and kinds, for people and for scripts, without a daemon', async () => {
  const [text, json] = await Promise.all([faultline(['inject', 'list']), faultline(['inject', 'list', '--json'])]);
  assert.match(text.stdout, /^ {4}79 {2}gpu\.lost /m);
  assert.match(text.stdout, /^ {2}power\.voltage_sag +warning +voltage sag$/m);
  const { schema, xids, kinds } = JSON.parse(json.stdout);
  assert.equal(schema, 'faultline/injectable/1');
  assert.ok(xids.some(({ xid, kind }: { xid: number; kind: string }) => xid === 79 && kind === 'gpu.lost'));
  assert.ok(kinds.length > 100);
});

test('the own user of a daemon may, sees what came of it, and a kind that is none is refused', async () => {
  const runtime = join(folder(), 'run');
  const api = await startApi(new TestBackend(), runtime);
  const config = configFile(`directories: {runtime: ${runtime}}`);
  const [taken, none] = [
    await faultline(['inject', 'gpu.lost', '--component', 'gpu/9b:00.0', '--json', '--config', config]),
    await faultline(['inject', 'gpu.lots', '--config', config]),
  ];
  await api.close();
  const { schema, events, incidents, ends_at: endsAt, notes } = JSON.parse(taken.stdout);
  assert.deepEqual([schema, events.length, incidents.length, notes.length], ['faultline/inject/1', 1, 1, 1]);
  assert.deepEqual([events[0].component.id, events[0].attributes], ['0000:9b:00.0', { injected: true }]);
  assert.equal(incidents[0].injected, true);
  assert.match(endsAt, /^\d{4}-/);
  assert.equal(none.status, 1);
  assert.match(none.stderr, /^FL3410 kind must be a kind of docs\/reference\/kinds\.md/);
});

test('its example of a kernel line is one line of the help, also in a narrow terminal, so that it can be copied', async () => {
  const { stdout } = await faultline(['inject', '--help'], { env: { COLUMNS: '40' } });
  assert.match(stdout, /^ {2}faultline inject kernel-line "[^"\n]{100,}"$/m);
});
