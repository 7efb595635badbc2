// Host names: looked up once, never more than two at a time, and a name server that is dead takes no good address away.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NameBook } from '../../src/helpers/name-book.ts';

const HOUR_MS = 3_600_000;
const here = [{ address: '10.0.0.1', family: 4 }];

/** A clock that moves only when it is set. */
class Clock {
  ms = 0;
  readonly now = (): number => this.ms;
}

test('a name is looked up once, however many ask', async () => {
  let lookups = 0;
  const book = new NameBook(async () => {
    lookups += 1;
    await sleep(5);
    return here;
  }, new Clock().now);
  const all = await Promise.all(Array.from({ length: 100 }, () => book.addresses('pdu.example')));
  assert.deepEqual(all, Array(100).fill(here));
  await book.addresses('pdu.example');
  assert.equal(lookups, 1);
});

test('an address is not a name', async () => {
  const book = new NameBook(() => assert.fail('nothing to look up'));
  assert.deepEqual(await book.addresses('10.1.2.3'), [{ address: '10.1.2.3', family: 4 }]);
  assert.deepEqual(await book.addresses('fe80::1%eth0'), [{ address: 'fe80::1%eth0', family: 6 }]);
});

test('the last good address stays when the name server dies, and is asked for in the background', async () => {
  const clock = new Clock();
  let dead = false;
  const book = new NameBook(() => (dead ? new Promise(() => {}) : Promise.resolve(here)), clock.now);
  await book.addresses('pdu.example');
  dead = true;
  for (let hour = 0; hour < 5; hour += 1) {
    clock.ms += HOUR_MS;
    assert.deepEqual(await book.addresses('pdu.example'), here);
  }
});

test('a device that does not answer has its name looked up again, but not at every poll', async () => {
  const clock = new Clock();
  let lookups = 0;
  const book = new NameBook(async () => {
    lookups += 1;
    return [{ address: `10.0.0.${lookups}`, family: 4 }];
  }, clock.now);
  for (let second = 0; second < 20; second += 1) {
    await book.addresses('pdu.example');
    book.failed('pdu.example');
    clock.ms += 1000;
  }
  assert.equal(lookups, 1);
  clock.ms += 10_000;
  await book.addresses('pdu.example');
  await sleep(1);
  assert.deepEqual(await book.addresses('pdu.example'), [{ address: '10.0.0.2', family: 4 }]);
});

test('a dead name server is asked for two names at a time, and no caller waits for it longer than the deadline', async () => {
  let running = 0;
  const book = new NameBook(() => {
    running += 1;
    return new Promise(() => {});
  });
  const started = performance.now();
  const asked = Array.from({ length: 20 }, (_, i) => book.addresses(`pdu-${i}.example`, 50).catch(String));
  for (const answer of await Promise.all(asked)) assert.match(String(answer), /pdu-\d+\.example does not resolve/);
  assert.ok(performance.now() - started < 1000);
  assert.equal(running, 2);
});

test('a name that does not resolve is reported at once between two lookups, which grow rarer', async () => {
  const clock = new Clock();
  let lookups = 0;
  const book = new NameBook(async () => {
    lookups += 1;
    throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  }, clock.now);
  for (let second = 0; second < 600; second += 1) {
    await assert.rejects(book.addresses('gone.example'), { code: 'ENOTFOUND' });
    clock.ms += 1000;
  }
  assert.ok(lookups <= 14, `${lookups} lookups in ten minutes`);
});

test('a socket gets the address in the shape it asks for', async () => {
  const book = new NameBook(async () => [{ address: '::1', family: 6 }, ...here]);
  const ask = (options: object) =>
    new Promise((resolve) => book.lookup('bmc.example', options, (error, ...answer) => resolve(error?.code ?? answer)));
  assert.deepEqual(await ask({}), ['::1', 6]);
  assert.deepEqual(await ask({ family: 4 }), ['10.0.0.1', 4]);
  assert.deepEqual(await ask({ all: true }), [[{ address: '::1', family: 6 }, ...here]]);
});
