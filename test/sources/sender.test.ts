// Who is at the other end of a connection: real users, over a socket and over loopback, as the kernel has it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keysOf, ownersIn, type Sender, senderOf, speaksFor } from '../../src/sources/sender.ts';
import { until } from '../until.ts';

const OVERFLOW_UID = 65_534;
const CONNECTS = `import socket,sys,time
s = socket.socket(socket.AF_UNIX if sys.argv[1] == 'unix' else socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)
s.connect(sys.argv[2] if sys.argv[1] == 'unix' else (sys.argv[1], int(sys.argv[2])))
time.sleep(30)`;

const own = process.geteuid?.() ?? 0;

for (const [what, host] of [['a socket', null], ['loopback', '127.0.0.1'], ['loopback of IPv6', '::1']] as const)
  for (const uid of own === 0 ? [0, OVERFLOW_UID] : [own])
    test(`over ${what}: the user of uid ${uid}`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'fl-sender-'));
      chmodSync(folder, 0o755);
      t.after(() => rmSync(folder, { recursive: true }));
      const accepted = Promise.withResolvers<Socket>();
      const server = createServer(accepted.resolve);
      const path = join(folder, 's');
      await new Promise<void>((resolve) => (host === null ? server.listen(path, resolve) : server.listen(0, host, resolve)));
      if (host === null) chmodSync(path, 0o666);
      const where = host === null ? path : String((server.address() as AddressInfo).port); // a TCP server has an address object
      const client = spawn('python3', ['-c', CONNECTS, host ?? 'unix', where], { stdio: 'ignore', ...(own === 0 ? { uid } : {}) });
      t.after(() => {
        client.kill();
        server.close();
      });
      const socket = await accepted.promise;
      t.after(() => socket.destroy());
      const sender = await senderOf(socket);
      assert.deepEqual(sender, { name: `uid-${uid}`, uid });
      assert.equal(await senderOf(socket), sender, 'asked for once');
    }); // biome-ignore format: one line each

test('a hundred connections at once are each known', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has an address object
  const clients = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'));
  t.after(() => {
    for (const socket of [...clients, ...sockets]) socket.destroy();
    server.close();
  });
  await until(() => sockets.length === 100);
  const senders = await Promise.all(sockets.map(senderOf));
  assert.deepEqual([...new Set(senders.map(({ uid }) => uid))], [own]);
});

test('both ends of a connection decide, and only one that is established counts', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:24FB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1
   1: 0100007F:C5A2 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1002        0 112 1
   2: 0200007F:C5A2 0100007F:24FB 01 00000000:00000000 00:00000000 00000000     0        0 113 1
   3: 0100007F:C5A2 0100007F:24FB 01 00000000:00000000 00:00000000 00000000  1001        0 114 1
   4: 0100007F:C5A3 0100007F:24FB 06 00000000:00000000 00:00000000 00000000     0        0 115 1
   5: 0000000000000000FFFF00000100007F:C5A4 0000000000000000FFFF00000100007F:24FB 01 00000000:00000000 00:00000000 00000000  1003        0 116 1
`;
  const owners = ownersIn([table]);
  const end = (address: string, port: number) => ({ address, port });
  const ownerOf = (address: string, port: number, otherPort = 0x24fb) =>
    keysOf(end(address, port), end('127.0.0.1', otherPort)).flatMap((key) => owners.get(key) ?? []);
  assert.deepEqual(ownerOf('127.0.0.1', 0xc5a2), [1001]);
  assert.deepEqual(ownerOf('127.0.0.2', 0xc5a2), [0]);
  assert.deepEqual(ownerOf('127.0.0.3', 0xc5a2), []);
  assert.deepEqual(ownerOf('127.0.0.1', 0xc5a3), []);
  assert.deepEqual(ownerOf('127.0.0.1', 0xc5a4), [1003]);
  assert.deepEqual(ownerOf('127.0.0.1', 0x24fb, 0xc5a2), []);
});

test('who connects from the port of the listener itself is not taken for the user that listens', { skip: own !== 0 && 'root alone can be another user' }, async (t) => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => void accepted.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has an address object
  const script = `import socket,time
all = [socket.socket() for _ in range(16)]
for i, s in enumerate(all):
  s.bind((f'127.0.0.{i + 2}', ${port}))
  s.connect(('127.0.0.1', ${port}))
time.sleep(30)`;
  const client = spawn('python3', ['-c', script], { stdio: 'ignore', uid: OVERFLOW_UID });
  t.after(() => {
    client.kill();
    for (const socket of accepted) socket.destroy();
    server.close();
  });
  await until(() => accepted.length === 16);
  const senders = await Promise.all(accepted.map(senderOf));
  assert.deepEqual([...new Set(senders.map(({ uid }) => uid))], [OVERFLOW_UID]);
}); // biome-ignore format: one line

test('for a job speak its user by name or number, root, and no other user', () => {
  const passwd = new Map([[1001, 'anna']]);
  const by = (uid: number | null): Sender => ({ name: 'x', uid });
  assert.deepEqual([speaksFor(by(1001), 'anna', passwd), speaksFor(by(1001), '1001', passwd), speaksFor(by(0), null, passwd)], [true, true, true]);
  assert.deepEqual([speaksFor(by(1002), 'anna', passwd), speaksFor(by(1001), null, passwd), speaksFor(by(null), 'anna', passwd)], [false, false, false]);
}); // biome-ignore format: one line each
