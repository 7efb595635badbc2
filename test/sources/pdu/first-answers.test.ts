// A card that was silent and then reads zero everywhere: unknown until it holds; one branch that tripped is reported at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServedAgent } from '../../../src/simulator/corpus/served/snmp-agent.ts';
import { AP8641, bankOfOutlet } from '../../../src/simulator/pdu-agent/rpdu2-model.ts';
import { answerOf } from '../../../src/sources/devices/poll-answer.ts';
import { Pdu } from '../../../src/sources/pdu/pdu.ts';
import { pduConfig, Recorder } from './support.ts';

const T0 = 1_790_000_000_000;
const MODEL = { ...AP8641, name: 'pdu-b', phases: 3, banks: 6, outlets: 12 };
const LOADED = { volts: [230, 230, 230], amperes: (): number => 1.5, answers: true };

interface Shown {
  readonly volts: readonly number[];
  readonly amperes: (outlet: number) => number;
  readonly answers: boolean;
}

/** Looks every two seconds. */
function watched() {
  let nowMs = T0;
  let shown: Shown = LOADED;
  let startedMs = T0 - 3_600_000;
  const now = (): number => nowMs;
  const state = () => ({
    volts: shown.volts,
    outlets: Array.from({ length: MODEL.outlets }, (_, i) => ({ on: true, amperes: shown.amperes(i + 1) })),
    uptime: Math.floor((nowMs - startedMs) / 10),
    answers: shown.answers,
  });
  const device = new Pdu(pduConfig(161), { now }, new ServedAgent(MODEL, state, now));
  const seen = new Recorder();
  const look = { emit: seen, nextDue: 0, startedMs: nowMs, signal: new AbortController().signal, answered: () => {} };
  return {
    seen,
    restart: () => (startedMs = nowMs),
    seconds: () => (nowMs - T0) / 1000,
    async for(seconds: number, what: Partial<Shown>): Promise<void> {
      shown = { ...LOADED, ...what };
      for (const endMs = nowMs + seconds * 1000; nowMs < endMs; nowMs += 2000) await answerOf(device.look(look));
    },
    trips: () => seen.events.filter(({ kind }) => kind === 'power.breaker_trip'),
  };
}

const ZERO = { amperes: () => 0 };
const DEAD = { amperes: () => 0, volts: [0, 0, 0] };

for (const [what, zero] of [
  ['no current', ZERO],
  ['no current and no voltage', DEAD],
  ['no voltage', { volts: [0, 0, 0] }],
] as const) {
  test(`a card that was silent and then shows ${what} for a few reads broke nothing`, async () => {
    const pdu = watched();
    await pdu.for(40, {});
    await pdu.for(44, { answers: false });
    await pdu.for(10, zero);
    await pdu.for(60, {});
    assert.deepEqual(pdu.seen.events, []);
    assert.ok(!pdu.seen.values('pdu_phase/pdu-b/1#voltage').includes(0));
    assert.ok(!pdu.seen.values('pdu_branch/pdu-b/1#current').includes(0));
  });
}

test('a card whose clock began again shows zero for a few reads: its samples say nothing either', async () => {
  const pdu = watched();
  await pdu.for(40, {});
  await pdu.for(44, { answers: false });
  pdu.restart();
  await pdu.for(10, DEAD);
  await pdu.for(60, {});
  assert.deepEqual(pdu.seen.events, []);
  assert.ok(!pdu.seen.values('pdu_phase/pdu-b/1#voltage').includes(0));
});

test('a card that shows what it knew for two reads, and then zero for a few, broke nothing', async () => {
  const pdu = watched();
  await pdu.for(40, {});
  await pdu.for(20, { answers: false });
  await pdu.for(4, {});
  await pdu.for(6, ZERO);
  await pdu.for(60, {});
  assert.deepEqual(pdu.seen.events, []);
});

test('what stays at zero is believed after a few reads, and dated by the first of them', async () => {
  const pdu = watched();
  await pdu.for(40, {});
  await pdu.for(20, { answers: false });
  const backMs = T0 + pdu.seconds() * 1000;
  await pdu.for(14, ZERO);
  assert.deepEqual(pdu.trips(), []);
  await pdu.for(10, ZERO);
  assert.equal(pdu.trips().length, 6);
  for (const { interval } of pdu.trips()) assert.deepEqual(interval, { earliestMs: T0 + 38_000, latestMs: backMs });
});

test('one branch that tripped while the card was silent is reported with its first answer', async () => {
  const pdu = watched();
  await pdu.for(40, {});
  await pdu.for(20, { answers: false });
  await pdu.for(2, { amperes: (outlet) => (bankOfOutlet(MODEL, outlet) === 2 ? 0 : 1.5) });
  assert.deepEqual(
    pdu.trips().map(({ state, component }) => [state, component?.id]),
    [['onset', 'pdu-b/2']],
  );
});

test('all branches of a PDU that was never silent are reported at once', async () => {
  const pdu = watched();
  await pdu.for(40, {});
  await pdu.for(2, ZERO);
  assert.equal(pdu.trips().length, 6);
});
