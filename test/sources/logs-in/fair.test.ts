// Shippers share the receiver: each pays for its own bytes and CPU, and whoever is refused in the middle of a request reads why.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Budget } from '../../../src/helpers/http/budget.ts';
import { Turns } from '../../../src/helpers/http/turns.ts';
import { type DoorOptions, shipperDoor } from '../../../src/sources/logs-in/door.ts';
import { until } from '../../until.ts';

const MIB = 1024 * 1024;
const ME = `uid-${process.geteuid?.()}`;

/** No time passes for the budget: what was taken stays taken. */
async function open(t: TestContext, take: DoorOptions['take'] = () => {}, mostBytes = 32 * MIB) {
  const counts = { requests: 0, refused: 0, evicted: 0 };
  const budget = new Budget({ mostBytes, bytesPerSecond: 16 * MIB, now: () => 0 });
  const { server, close } = shipperDoor({ counts, budget, turns: new Turns(), take });
  t.after(close);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const post = async (body: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/logs`, { method: 'POST', body });
    return [answer.status, await answer.text()] as const;
  };
  return { counts, budget, port, post };
}

test('a sender whose requests took too much CPU waits for it, and no other does', async (t) => {
  const { budget, post } = await open(t);
  budget.worked(60_000, 'uid-4242');
  assert.equal((await post('[{"log":"a"}]'))[0], 200);
  budget.worked(60_000, ME);
  assert.match((await post('[{"log":"a"}]')).join(' '), /^429 .*took too much CPU/);
});

test('the CPU that its records take is the sender’s own', async (t) => {
  const dear = (): void => {
    const began = process.threadCpuUsage();
    const spent = () => Object.values(process.threadCpuUsage(began)).reduce((sum, part) => sum + part, 0);
    while (spent() < 400_000) JSON.stringify(began);
  };
  const { budget, post } = await open(t, dear);
  assert.equal((await post('[{"log":"a"}]'))[0], 200);
  assert.equal((await post('[{"log":"a"}]'))[0], 429);
  assert.doesNotThrow(() => budget.askForCpu('uid-4242'));
});

test('a request that says it is larger than the sender’s share is refused before any of it is read', async (t) => {
  const { budget, post, counts } = await open(t);
  budget.spend(31 * MIB, ME);
  assert.match((await post(`[{"log":"${'a'.repeat(2 * MIB)}"}]`)).join(' '), /^429 .*bytes a second/);
  assert.deepEqual([counts.requests, budget.held], [0, 0]);
});

test('whoever sends all of a request that is too long before it looks for the answer finds it', async (t) => {
  const { port, budget } = await open(t);
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    answer += part;
  });
  const failed: Error[] = [];
  socket.on('error', (error) => failed.push(error));
  socket.pause();
  socket.write(`POST /v1/logs HTTP/1.1\r\nhost: x\r\ncontent-length: ${6 * MIB}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(Buffer.alloc(6 * MIB, 32), () => resolve()));
  socket.resume();
  await until(() => answer.includes('smaller batches'), { what: 'the answer' });
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.deepEqual([failed, budget.held], [[], 0]);
});

test('a request that makes room for another is answered, not reset', async (t) => {
  const { port, budget, counts } = await open(t, () => {}, 3 * MIB);
  const slow = connect(port, '127.0.0.1');
  t.after(() => slow.destroy());
  let answer = '';
  slow.setEncoding('utf8').on('data', (part: string) => {
    answer += part;
  });
  slow.write(`POST /v1/logs HTTP/1.1\r\nhost: x\r\ncontent-length: ${3 * MIB}\r\n\r\n`);
  slow.write(Buffer.alloc(2.5 * MIB, 32));
  await until(() => budget.held === 2.5 * MIB, { what: 'what the slow one holds' });
  const other = budget.holding(() => {});
  other.sender = 'uid-4242';
  other.add(0.9 * MIB);
  await until(() => answer.includes('not whole'), { what: 'the answer' });
  assert.match(answer, /^HTTP\/1\.1 429 [\s\S]*retry-after: 1/);
  assert.equal(counts.evicted, 1);
  other.release();
});
