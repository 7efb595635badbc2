// faultline inventory: lists what the daemon remembers, and passes on that a part was taken out on purpose.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../src/api/api-server.ts';
import type { Caller } from '../../src/api/caller.ts';
import { acceptPart, inventoryDocument } from '../../src/daemon/inventory.ts';
import { Identity } from '../../src/identity/identity.ts';
import type { Part } from '../../src/identity/parts/part.ts';
import { TestBackend } from '../api/helpers.ts';
import { configFile, faultline, folder } from './run-cli.ts';

const gpu = (slot: string): Part => ({ type: 'gpu', slot, serial: `GPU-${slot}`, model: null });

test('the parts are listed, one that is missing is accepted, and nothing else', async (t) => {
  const root = folder();
  const identity = new Identity('node-3', { now: () => Date.UTC(2026, 10, 27, 14, 32) });
  const logger = { info: () => {} };
  class Backend extends TestBackend {
    override inventory(): object {
      return inventoryDocument(identity.parts);
    }
    override acceptPart(body: unknown, caller: Caller | null = null): object {
      return acceptPart({ identity, logger }, body, caller);
    }
  }
  const api = await startApi(new Backend(), join(root, 'run'));
  t.after(() => api.close());
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const run = (...words: string[]) => faultline(['inventory', ...words, '--config', config]);
  assert.match((await run('list')).stderr, /^no parts are known/);
  for (const present of [[gpu('0000:1b:00.0'), gpu('0000:9b:00.0')], [gpu('0000:1b:00.0')]])
    identity.parts.settle('gpu', identity.parts.compare('gpu', present));
  const { stdout } = await run('list');
  assert.deepEqual(stdout.split('\n'), [
    'gpu/0000:1b:00.0  GPU-0000:1b:00.0',
    'gpu/0000:9b:00.0  GPU-0000:9b:00.0  MISSING since 2026-11-27T14:32:00.000Z',
    '',
  ]);
  const { schema, parts } = JSON.parse((await run('list', '--json')).stdout);
  assert.deepEqual([schema, parts.length, parts[1].missing_since], ['faultline/inventory/1', 2, '2026-11-27T14:32:00.000Z']); // biome-ignore format: one line
  for (const wrong of ['gpu/0000:1b:00.0', 'gpu', 'flux/1', 'disk/0000:9b:00.0', '']) {
    const { status, stderr } = await run('accept', wrong);
    assert.equal(status, 1, wrong);
    assert.match(stderr, /FL3408 .* is not missing\. Missing: gpu\/0000:9b:00\.0/);
  }
  const accepted = await run('accept', 'gpu/0000:9b:00.0');
  assert.deepEqual([accepted.status, accepted.stderr], [0, '']);
  assert.match(accepted.stdout, /^gpu\/0000:9b:00\.0 is expected no more/);
  assert.doesNotMatch((await run('list')).stdout, /9b/);
  assert.match((await run('accept', 'gpu/0000:9b:00.0')).stderr, /Missing: none is/);
});

test('without a daemon there is nothing to list', async () => {
  const root = folder();
  const config = configFile(`directories: {runtime: ${root}/run, log: ${root}/log, state: ${root}/state}`);
  const { status, stderr } = await faultline(['inventory', 'list', '--config', config]);
  assert.equal(status, 1);
  assert.match(stderr, /FL1203 no daemon listens on/);
});
