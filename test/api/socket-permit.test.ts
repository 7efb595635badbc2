// Who may write on the local socket, where the configuration names a group.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../src/api/api-server.ts';
import { mayWrite } from '../../src/api/socket-permit.ts';
import { get, TestBackend, temporaryFolder } from './helpers.ts';

test('only root, the own user and members of the group, by their first or any other', () => {
  const groups = join(temporaryFolder(), 'group');
  writeFileSync(groups, 'root:x:0:\nfaultline-admin:x:990:anna\nshort\nother:x:x:\n');
  const of = (uid: number, gid: number, own: readonly number[] = [], group = 'faultline-admin') =>
    mayWrite({ pid: 1, uid, gid, groups: own, user: null }, group, 500, groups);
  assert.ok(of(0, 0) && of(500, 1) && of(7, 990) && of(7, 7, [5, 990]));
  assert.ok(!of(7, 7) && !of(7, 7, [5]) && !of(7, 990, [], 'none') && !of(7, 990, [], 'other'));
  assert.ok(!mayWrite({ pid: 1, uid: 7, gid: 990, user: null }, 'faultline-admin', 500, join(groups, 'none')));
});

test('a reload changes who may write, and reading stays', async (context) => {
  let group: string | null = null;
  const backend = new TestBackend();
  const api = await startApi(backend, join(temporaryFolder(), 'run'), { writeGroup: () => group });
  context.after(() => api.close());
  assert.equal((await get(api.path, '/v1/release-devices', 'POST')).status, 200);
  group = 'no-such-group-here';
  // This process is the daemon itself here.
  assert.equal((await get(api.path, '/v1/release-devices', 'POST')).status, 200);
  assert.equal((await get(api.path, '/v1/status')).status, 200);
});
