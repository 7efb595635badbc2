// faultline release-devices against a real socket, and without a daemon.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../src/api/api-server.ts';
import { TestBackend } from '../api/helpers.ts';
import { configFile, faultline, folder } from './run-cli.ts';

test('asks the daemon for the time given and says what came of it', async () => {
  const backend = new TestBackend();
  const runtime = join(folder(), 'run');
  const api = await startApi(backend, runtime);
  const config = configFile(`directories: {runtime: ${runtime}}`);
  const released = await faultline(['release-devices', '--for', '90s', '--config', config]);
  assert.deepEqual([released.status, released.stderr], [0, '']);
  assert.match(
    released.stdout,
    /^released for 90s, logged as asked by \S+; the daemon takes the GPUs up again by itself\n$/,
  );
  backend.releaseDevices = (forMs) => ({ released: false, forMs });
  const nothing = await faultline(['release-devices', '--config', config]);
  assert.deepEqual([nothing.status, nothing.stdout], [0, 'nothing to release: the daemon reads no GPU\n']);
  await api.close();
  assert.deepEqual([backend.released, backend.parents], [[90_000], [null]]);
});

test('run from a trace it hands the daemon the context, and nothing that is none', async (context) => {
  const backend = new TestBackend();
  const runtime = join(folder(), 'run');
  const api = await startApi(backend, runtime);
  context.after(() => api.close());
  const config = configFile(`directories: {runtime: ${runtime}}`);
  const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  for (const text of [`00-${traceId}-${spanId}-01`, 'no context']) {
    await faultline(['release-devices', '--config', config], { env: { TRACEPARENT: text } });
  }
  assert.deepEqual(backend.parents, [{ traceId, spanId, sampled: true }, null]);
});

test('without a daemon says where it looked', async () => {
  const runtime = folder();
  const config = configFile(`directories: {runtime: ${runtime}}`);
  const { status, stdout, stderr } = await faultline(['release-devices', '--config', config]);
  assert.deepEqual([status, stdout], [1, '']);
  assert.ok(stderr.startsWith(`FL1203 no daemon listens on ${runtime}/faultline.sock`), stderr);
});
