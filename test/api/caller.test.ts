// The caller of the local socket: as the kernel vouches for them, by a real connection of this and of another user.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '../../src/api/api-server.ts';
import { callerText, namedCaller } from '../../src/api/caller.ts';
import { native } from '../../src/native.ts';
import { connected, get, TestBackend, temporaryFolder } from './helpers.ts';

const root = process.geteuid?.() === 0;
const uid = process.geteuid?.() ?? 0;

/** Says what it is not: the daemon must not believe a word of it. */
const ASK = `require('node:http').request({ socketPath: process.argv[1], method: 'POST', path: '/v1/release-devices',
  headers: { 'x-user': 'root', from: 'root', authorization: 'uid 0' } }, (answer) => answer.pipe(process.stdout)).end()`;

test('the answer and the backend name the caller by the kernel, whatever the request says', async (context) => {
  const backend = new TestBackend();
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const api = await startApi(backend, join(folder, 'run'));
  context.after(() => api.close());
  chmodSync(join(folder, 'run'), 0o755);
  chmodSync(api.path, 0o666);
  const asked = root ? 65_534 : uid;
  const child = spawn(process.execPath, ['-e', ASK, api.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(root ? { uid: asked } : {}),
  });
  let text = '';
  child.stdout.on('data', (part: Buffer) => {
    text += part.toString();
  });
  await once(child, 'close');
  const { asked_by: by } = JSON.parse(text);
  assert.deepEqual([by.uid, by.pid], [asked, child.pid]);
  assert.deepEqual([backend.callers[0]?.uid, backend.callers[0]?.pid], [asked, child.pid]);
  if (root) assert.equal(by.user, 'nobody');
});

test('a keep-alive connection is asked again at each request', async (context) => {
  const backend = new TestBackend();
  const api = await startApi(backend, join(temporaryFolder(), 'run'));
  context.after(() => api.close());
  await get(api.path, '/v1/release-devices', 'POST');
  await get(api.path, '/v1/release-devices', 'POST');
  assert.deepEqual(
    backend.callers.map((caller) => caller?.uid),
    [uid, uid],
  );
});

test('only a connected unix socket has a peer: files, pipes, listeners, TCP and closed descriptors have none', async (context) => {
  const path = join(temporaryFolder(), 's');
  const tcp = createServer().listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  context.after(() => tcp.close());
  const descriptor = (of: object): number => Reflect.get(Reflect.get(of, '_handle'), 'fd');
  for (const fd of [openSync('/dev/null', 'r'), descriptor(tcp), 1_000_000])
    assert.equal(native().peerCredentials(fd), null);
  const unix = createServer().listen(path);
  await once(unix, 'listening');
  context.after(() => unix.close());
  const socket = await connected(path);
  const { groups, ...ids } = native().peerCredentials(descriptor(socket)) ?? { groups: [] };
  assert.deepEqual(ids, { pid: process.pid, uid, gid: process.getegid?.() });
  // Node adds the effective group to the list.
  const own = process.getgroups?.() ?? [];
  assert.ok(groups.every((group) => own.includes(group)) && own.length - groups.length <= 1, `${groups}`);
  socket.destroy();
  for (const wrong of [-1, 0.5, Number.NaN, 2 ** 40]) assert.throws(() => native().peerCredentials(wrong), TypeError);
});

test('the name is the one of the list of users, and nothing of a list that is not one', () => {
  const passwd = join(temporaryFolder(), 'passwd');
  writeFileSync(passwd, 'alice:x:1004:1004::/home/alice:/bin/sh\nevil\u001b[2J:x:1005:1::/:/bin/sh\nshort\n');
  const of = (uidOf: number, pid = 7): string =>
    callerText(namedCaller({ pid, uid: uidOf, gid: 1, groups: [] }, passwd));
  assert.equal(of(1004), 'alice (uid 1004, pid 7)');
  assert.equal(of(1004, 0), 'alice (uid 1004)');
  assert.equal(of(1005), 'uid 1005, pid 7');
  assert.equal(of(4_294_967_294, 0), 'uid 4294967294');
  assert.equal(callerText(null), 'an unknown caller');
  assert.equal(callerText(namedCaller({ pid: 7, uid: 1, gid: 1, groups: [] }, join(passwd, 'none'))), 'uid 1, pid 7');
});
