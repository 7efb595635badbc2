// Fair among senders: what one takes, holds or asks for leaves the others theirs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Budget, Busy, type Holding } from '../../../src/helpers/http/budget.ts';
import { Turns } from '../../../src/helpers/http/turns.ts';

const busy = (work: () => void): boolean => {
  try {
    work();
    return false;
  } catch (error) {
    assert.ok(error instanceof Busy, String(error));
    return true;
  }
};

test('a sender that takes all it can get leaves half of it to those who take little, and alone has the whole rate', () => {
  let nowMs = 0;
  const budget = new Budget({ mostBytes: 1000, bytesPerSecond: 1000, now: () => nowMs });
  const took = { loud: 0, quiet: 0, refused: 0 };
  for (; nowMs < 60_000; nowMs += 10) {
    for (let i = 0; i < 5; i += 1) if (!busy(() => budget.spend(10, 'loud'))) took.loud += 10;
    if (nowMs < 30_000 || nowMs % 100 !== 0) continue;
    if (busy(() => budget.spend(40, 'quiet'))) took.refused += 1;
    else took.quiet += 40;
  }
  assert.deepEqual([took.refused, took.quiet], [0, 12_000]);
  // All that the quiet one left of 60,000, and the first half.
  assert.ok(took.loud > 47_500 && took.loud < 49_000, String(took.loud));
});

test('among many that take all they can get each gets alike', () => {
  let nowMs = 0;
  const budget = new Budget({ mostBytes: 1000, bytesPerSecond: 1000, now: () => nowMs });
  const took = new Map<string, number>();
  for (; nowMs < 100_000; nowMs += 10) {
    // The first asks ten times as often.
    for (const sender of [...Array(10).fill('a'), 'b', 'c', 'd'])
      if (!busy(() => budget.spend(10, sender))) took.set(sender, (took.get(sender) ?? 0) + 10);
  }
  const [least = 0, most = 0] = [Math.min(...took.values()), Math.max(...took.values())];
  assert.ok(took.size === 4 && most < 2 * least, JSON.stringify([...took]));
});

test('who sends what is dear to decode waits for it, and no other sender', () => {
  let nowMs = 0;
  const MIB = 1024 * 1024;
  const budget = new Budget({ mostBytes: 32 * MIB, bytesPerSecond: 16 * MIB, now: () => nowMs });
  let cpuMs = 0;
  for (; nowMs < 60_000; nowMs += 10) {
    if (busy(() => budget.askForCpu('dear')) || busy(() => budget.spend(4 * MIB, 'dear'))) continue;
    cpuMs += 400;
    budget.worked(400, 'dear');
    assert.equal(
      busy(() => budget.spend(MIB / 4, 'usual')),
      false,
    );
    budget.worked(2, 'usual');
  }
  assert.ok(cpuMs / nowMs > 0.2 && cpuMs / nowMs < 0.27, `${cpuMs / nowMs} of one core`);
});

test('room is made by the sender that holds most, for one within its share at once', () => {
  const budget = new Budget({ mostBytes: 1000, bytesPerSecond: 1000, now: () => 0 });
  const cut: string[] = [];
  const hold = (sender: string, bytes: number): Holding => {
    const holding = budget.holding(() => cut.push(sender));
    holding.sender = sender;
    holding.add(bytes);
    return holding;
  };
  hold('small', 100);
  for (let i = 0; i < 3; i += 1) hold('large', 300);
  hold('third', 200);
  assert.deepEqual(cut, ['large']);
  assert.throws(() => hold('large', 300), Busy, 'it has to wait a moment for its own');
  assert.equal(budget.held, 900);
});

test('a crowd of one sender lets another one in between, and timers too', async () => {
  // Of work that takes no time, however busy the machine is.
  const turns = new Turns(() => 0);
  const done: string[] = [];
  const work = (sender: string) => turns.of(sender).then(() => done.push(sender));
  const all = [...Array(20).fill('crowd'), 'other', 'other'].map(work);
  setImmediate(() => setImmediate(() => done.push('timer')));
  await Promise.all(all);
  assert.deepEqual(done.slice(0, 2), ['crowd', 'other']);
  assert.ok(done.lastIndexOf('other') <= 5 && done.indexOf('timer') <= 5, done.join());
  assert.equal(done.length, 23);
});

test('many small pieces of one are not behind few long ones of another', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const work = async (sender: string, ms: number) => {
    await turns.of(sender);
    for (const end = performance.now() + ms; performance.now() < end; );
    done.push(sender);
  };
  await Promise.all([...Array(6).keys()].flatMap(() => [work('long', 30), work('small', 0), work('small', 0)]));
  const before = done.slice(0, done.lastIndexOf('small')).filter((sender) => sender === 'long').length;
  assert.ok(before <= 1, done.join());
  assert.equal(done.length, 18);
});
