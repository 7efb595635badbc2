// How often a message is tried: an outage costs it nothing, a receiver that fails on it alone does.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Delivery } from '../../../../src/sinks/delivery/delivery.ts';
import { Backoff } from '../../../../src/sinks/delivery/send/backoff.ts';
import { type Outcome, retry, UNSURE_TRIES } from '../../../../src/sinks/delivery/send/outcome.ts';
import { DiskLane } from '../../../../src/sinks/delivery/spool/disk-lane.ts';
import type { Wording } from '../../../../src/sinks/delivery/trouble.ts';
import { until } from '../../../until.ts';

const folder = mkdtempSync(join(tmpdir(), 'fl-sender-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const code = 'FL0000';
const wording: Wording = {
  what: 'tests',
  message: 'message',
  receiver: 'the test',
  endpoint: 'here',
  capsSetting: 'none',
  codes: {
    unreachable: code,
    certificate: code,
    closed: code,
    refused: code,
    partial: code,
    disk: code,
    dropped: code,
    works: code,
    damaged: code,
  },
  advice: { unreachable: '', deadline: '', busy: '', failing: '', certificate: '', closed: '' },
  fields: {},
};

/** What became of one message that met these outcomes, the last one again and again. */
async function fateOf(
  name: string,
  outcomes: readonly Outcome[],
): Promise<{ tries: number; taken: number; refused: number }> {
  let tries = 0;
  const delivery = new Delivery({
    directory: join(folder, name),
    caps: { maxBytes: 1 << 20, maxAgeMs: 86_400_000 },
    mode: 'eager',
    lane: new DiskLane(),
    logger: { info: () => {}, warn: () => {} },
    now: Date.now,
    backoff: () => new Backoff(() => 0, 0, 0),
    transport: {
      send: async () => outcomes[Math.min(tries++, outcomes.length - 1)] ?? { is: 'ok' },
      close: () => {},
    },
    wording,
  });
  delivery.start();
  delivery.push(Buffer.from('x'), 1);
  await until(() => delivery.counts().sentRequests + delivery.counts().refusedRequests === 1);
  await delivery.stop(0);
  return { tries, taken: delivery.counts().sentRequests, refused: delivery.counts().refusedRequests };
}

const down = retry('unreachable', 'down');
const failing = retry('failing', 'HTTP 500', { tries: UNSURE_TRIES });

test('an outage and one failure of the receiver when it is back: the message arrives', async () => {
  const outage = Array.from({ length: 40 }, () => down);
  assert.deepEqual(await fateOf('outage', [...outage, failing, { is: 'ok' }]), { tries: 42, taken: 1, refused: 0 });
});

test('a receiver that fails on this message alone is asked so often and no more, with outages in between', async () => {
  const some = Array.from({ length: UNSURE_TRIES - 1 }, () => [failing, down]).flat();
  assert.deepEqual(await fateOf('failing', [...some, failing]), { tries: 2 * UNSURE_TRIES - 1, taken: 0, refused: 1 });
});

for (const copies of [true, false]) {
  const what = copies ? 'lets go of a large message once it is taken' : 'keeps it';
  test(`a transport that ${copies ? 'copies' : 'may still read its message'} ${what}, and all is counted`, async () => {
    const large = Buffer.allocUnsafeSlow(100_000).fill(7);
    const small = Buffer.from('with others in its buffer');
    const sent: number[] = [];
    const delivery = new Delivery({
      directory: join(folder, `copies-${copies}`),
      caps: { maxBytes: 1 << 20, maxAgeMs: 86_400_000 },
      mode: 'lazy',
      lane: new DiskLane(60_000),
      logger: { info: () => {}, warn: () => {} },
      now: Date.now,
      transport: {
        copies,
        send: async ({ bytes }) => {
          sent.push(bytes.length);
          return { is: 'ok' };
        },
        close: () => {},
      },
      wording,
    });
    delivery.start();
    delivery.push(large, 1);
    delivery.push(small, 1);
    await until(() => delivery.counts().sentRequests === 2);
    await delivery.stop(0);
    const { sentBytes, memoryBytes } = delivery.counts();
    assert.deepEqual([sent, sentBytes, memoryBytes], [[100_000, small.length], 100_000 + small.length, 0]);
    assert.deepEqual([large.length, small.toString()], [copies ? 0 : 100_000, 'with others in its buffer']);
  });
}
