// ack and verdict on a log that is named: what is said is written there, and never into the log or the daemon of this host.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../src/api/api-server.ts';
import { TestBackend } from '../api/helpers.ts';
import { incident } from '../incidents/sample.ts';
import { logOf } from './incident-command.ts';
import { configFile, faultline, folder } from './run-cli.ts';

test('an incident of a named log is acknowledged and judged there, while the daemon of another log runs', async (t) => {
  const log = await logOf(t, incident('7f3c41d2a0b1'));
  const root = folder();
  const backend = new TestBackend();
  const api = await startApi(backend, join(root, 'run'));
  t.after(() => api.close());
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const there = ['--config', config, '--log-directory', log];
  const acked = await faultline(['ack', '7f3c', '--by', 'anna', ...there]);
  assert.deepEqual([acked.status, acked.stderr], [0, `written into the log in ${log}\n`]);
  assert.match(acked.stdout, /^acknowledged by anna: 7f3c41/);
  assert.equal((await faultline(['verdict', '7f3c', 'right', '--by', 'bob', ...there])).status, 0);
  const { stdout } = await faultline(['incidents', '--json', '--log-directory', log]);
  const { acknowledged, verdict } = JSON.parse(stdout);
  assert.deepEqual([acknowledged.by, verdict.verdict, verdict.by], ['anna', 'right', 'bob']);
  assert.deepEqual([backend.notes, existsSync(join(root, 'log'))], [[], false]);
});

test("the configured log by its name is still the daemon's to write", async (t) => {
  const log = await logOf(t, incident('7f3c41d2a0b1'));
  const root = folder();
  const backend = new TestBackend();
  const api = await startApi(backend, join(root, 'run'));
  t.after(() => api.close());
  const config = configFile(`directories: {runtime: ${root}/run, log: ${log}, state: ${root}/state}`);
  const { status, stderr } = await faultline(['ack', '7f3c', '--config', config, '--log-directory', `${log}/`]);
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(
    backend.notes.map(({ kind }) => kind),
    ['ack'],
  );
});
