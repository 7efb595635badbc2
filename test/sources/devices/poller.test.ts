// One poller for all devices: what follows from each answer of a read, the pauses, the health and the events.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Emit, EventInput } from '../../../src/model/record.ts';
import { type Afterwards, answerOf, DeviceError } from '../../../src/sources/devices/poll-answer.ts';
import { type Device, DevicePoller, type Look } from '../../../src/sources/devices/poller.ts';
import { UNREACHABLE_AFTER } from '../../../src/sources/devices/reachability.ts';
import { SnmpError, type SnmpFault } from '../../../src/sources/pdu/snmp-error.ts';

class Trouble extends DeviceError {
  readonly code = 'FL2101';
  readonly remedy = 'look at it';
  readonly fault: string;
  readonly afterwards: Afterwards;

  constructor(afterwards: Afterwards, fault = afterwards as string) {
    super(`FL2101 ${fault}`);
    this.afterwards = afterwards;
    this.fault = fault;
  }
}

const stopping: DevicePoller[] = [];
afterEach(async () => {
  for (const poller of stopping.splice(0)) await poller.stop();
});

interface Run {
  readonly poller: DevicePoller;
  readonly events: EventInput[];
  readonly mistakes: unknown[];
  readonly logged: string[];
  readonly looks: () => number;
  readonly ended: Promise<void>;
}

/** A device whose looks are `script`, the last one again and again. */
function run(script: readonly ((look: Look) => void)[], pace: Partial<Device['pace']> = {}): Run {
  const events: EventInput[] = [];
  const mistakes: unknown[] = [];
  const logged: string[] = [];
  let looks = 0;
  const device: Device = {
    name: 'thing/a',
    what: 'thing',
    logFields: { thing: 'a' },
    pace: { intervalMs: 1, rest: 1, pauseFrom: 1, doublesAfter: 99, longestPauseMs: 5, ...pace },
    async look(look) {
      const step = script[Math.min(looks, script.length - 1)];
      looks += 1;
      step?.(look);
    },
    reachEvent: ({ edge, timeMs }, observedMs) => ({
      kind: 'agent.source_failed',
      component: null,
      state: edge,
      timeMs,
      observedMs,
      trust: 'facility',
      source: 'thing',
    }),
    health: () => ({ status: 'works', detail: 'a thing', remedy: null }),
    close() {},
  };
  const log = (_: object, text: string) => void logged.push(text);
  const poller = new DevicePoller(device, { now: Date.now, logger: { info: log, warn: log } });
  stopping.push(poller);
  const emit: Emit = {
    samples() {},
    text() {},
    discovery() {},
    event: (event) => void events.push(event),
    failed: (error) => void mistakes.push(error),
  };
  return { poller, events, mistakes, logged, looks: () => looks, ended: poller.run(emit, 0) };
}

async function until(done: () => boolean): Promise<void> {
  for (const end = Date.now() + 5000; !done(); ) {
    assert.ok(Date.now() < end, 'waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const good = () => {};
const fails = (afterwards: Afterwards, fault?: string) => () => {
  throw new Trouble(afterwards, fault);
};

test('a device that fails is tried again, is an event after three failures, and another when it answers', async () => {
  const { poller, events, logged, looks } = run([good, fails('retry'), fails('retry'), fails('retry'), good]);
  assert.deepEqual(poller.health(), {
    source: 'thing/a',
    status: 'absent',
    detail: 'starting: not read yet',
    remedy: null,
  });
  await until(() => events.length === 2 && looks() > UNREACHABLE_AFTER + 2);
  assert.deepEqual(
    events.map(({ state }) => state),
    ['onset', 'clear'],
  );
  assert.deepEqual(logged, ['FL2101 retry', 'the thing answers again']);
  const { reads = 0, failures } = poller.counts();
  assert.deepEqual([failures, reads > 1], [3, true]);
  assert.equal(poller.health().status, 'works');
});

test('a device that never answered is not an event', async () => {
  const { events, poller, looks } = run([fails('retry')]);
  await until(() => looks() > 2 * UNREACHABLE_AFTER);
  assert.deepEqual(events, []);
  assert.deepEqual(poller.health(), {
    source: 'thing/a',
    status: 'failed',
    detail: 'FL2101 retry',
    remedy: 'look at it',
  });
});

test('what can never be read is not tried again, and its health says why', async () => {
  const { ended, looks, poller } = run([fails('fatal')]);
  await ended;
  assert.equal(looks(), 1);
  assert.deepEqual([poller.health().status, poller.health().detail], ['failed', 'FL2101 fatal']);
});

test('a session that was closed ends the polling, and is not a failure', async () => {
  const { ended, poller } = run([good, fails('ended')]);
  await ended;
  assert.equal(poller.counts().failures, 0);
  assert.equal(poller.health().status, 'works');
});

test('a mistake of ours is not the fault of the device, and the next look is made all the same', async () => {
  const mistake = new TypeError('x is undefined');
  const { events, mistakes, poller, looks } = run([
    () => {
      throw mistake;
    },
  ]);
  await until(() => looks() > UNREACHABLE_AFTER);
  assert.equal(mistakes[0], mistake);
  assert.deepEqual(events, []);
  assert.match(poller.health().detail, /^FL2610 its answers cannot be taken: x is undefined/);
});

test('a device that answered at first is not unreachable for what fails later in each look', async () => {
  const { events, looks } = run([
    (look) => {
      look.answered();
      throw new Trouble('retry');
    },
  ]);
  await until(() => looks() > 2 * UNREACHABLE_AFTER);
  assert.deepEqual(events, []);
});

test('the pause doubles up to the longest one, and is as long as the device asks for', async () => {
  const at: number[] = [];
  const busy = Object.assign(new Trouble('retry'), { retryAfterMs: 60 });
  run(
    [
      () => {
        at.push(performance.now());
        throw busy;
      },
    ],
    { doublesAfter: 1 },
  );
  await until(() => at.length === 3);
  for (const [i, time] of at.slice(1).entries()) assert.ok(time - (at[i] ?? 0) > 50, `${time - (at[i] ?? 0)} ms`);
});

test('by type: keys that cannot be used end the polling of a PDU, a closed session is its end, the rest is tried again', async () => {
  const peer = { address: '10.0.0.1:161', version: '3', user: 'u' } as const;
  const answer = async (fault: SnmpFault) => (await answerOf(Promise.reject(new SnmpError(fault, peer)))).is;
  assert.deepEqual(await Promise.all((['timeout', 'wrong_digest', 'credentials', 'closed'] as const).map(answer)), [
    'retry',
    'retry',
    'fatal',
    'ended',
  ]);
  assert.deepEqual(await answerOf(Promise.resolve()), { is: 'ok' });
  await assert.rejects(answerOf(Promise.reject(new TypeError('ours'))), TypeError);
});

test('a device that takes long to answer is asked less often: it is left alone for as long as it took', async () => {
  const starts: number[] = [];
  const ends: number[] = [];
  const slow = (): void => {
    starts.push(performance.now());
    // The look itself is synchronous here: it takes what a slow device takes.
    while (performance.now() - (starts.at(-1) ?? 0) < 30);
    ends.push(performance.now());
  };
  const { looks } = run([slow], { rest: 2 });
  await until(() => looks() >= 4);
  for (let i = 1; i < 4; i += 1) {
    const took = (ends[i - 1] ?? 0) - (starts[i - 1] ?? 0);
    assert.ok((starts[i] ?? 0) - (starts[i - 1] ?? 0) >= 2 * took - 1, 'twice as long from beginning to beginning');
  }
});
