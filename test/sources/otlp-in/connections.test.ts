// Connections of one address: who has to make room for whom.

import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { Connections } from '../../../src/sources/otlp-in/listen/connections.ts';

test('the oldest of the sender that has most makes room, not the oldest of all', async () => {
  const connections = new Connections(8);
  const add = (name: string) => {
    const socket = new Socket();
    return { socket, out: connections.add(socket, Promise.resolve({ name })) };
  };
  const good = add('good');
  const crowd = [];
  for (let i = 0; i < 40; i += 1) {
    const one = add('crowd');
    crowd.push(one);
    await Promise.resolve();
    assert.equal(one.out, i < 7 ? null : crowd[i - 7]?.socket);
  }
  assert.ok(crowd.every(({ out }) => out !== good.socket));
  connections.close();
});
