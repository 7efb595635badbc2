// One session against agents that lie, repeat themselves, send garbage or nothing: bounded, and never an exception outside.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import fc from 'fast-check';
import { usmReport } from '../../../src/simulator/pdu-agent/usm-report.ts';
import { readPdu } from '../../../src/sources/pdu/read-pdu.ts';
import { SnmpRequests } from '../../../src/sources/pdu/request.ts';
import { SnmpSession } from '../../../src/sources/pdu/session.ts';
import { SnmpError } from '../../../src/sources/pdu/snmp-error.ts';
import { type Asked, ber, berInteger, hostileAgent, response } from './hostile-agent.ts';
import { pduConfig, USER } from './support.ts';

const closing: { close(): void }[] = [];
afterEach(() => {
  for (const thing of closing.splice(0)) thing.close();
});

async function against(answer: (asked: Asked) => readonly Buffer[], timeoutMs = 150): Promise<SnmpSession> {
  const agent = await hostileAgent(answer);
  const session = new SnmpSession(pduConfig(agent.port, { timeoutMs }), Date.now);
  closing.push(agent, session);
  return session;
}

function fault(name: string): (error: unknown) => boolean {
  return (error) => error instanceof SnmpError && error.fault === name;
}

const COLUMN = '1.3.6.1.4.1.318.1.1.26.9.4.3.1.4';
const below = (oid: Buffer) => Buffer.concat([oid, Buffer.from([1])]);

test('an agent that answers every GETNEXT and GETBULK with the same object is not walked for ever', async () => {
  let fixed: Buffer | null = null;
  const session = await against(({ id, oids: [oid = Buffer.alloc(0)] }) => {
    fixed ??= below(oid);
    return [response(id, [[fixed, berInteger(1)]])];
  });
  await assert.rejects(new SnmpRequests(session).rows(COLUMN), fault('bad_reply'));
});

test('an agent whose objects go backwards is refused', async () => {
  const session = await against(({ id, oids: [oid = Buffer.alloc(0)] }) => {
    return [
      response(id, [
        [Buffer.concat([oid, Buffer.from([5])]), berInteger(1)],
        [below(oid), berInteger(1)],
      ]),
    ];
  });
  await assert.rejects(new SnmpRequests(session).rows(COLUMN), fault('bad_reply'));
});

test('a table without end is cut', async () => {
  let row = 0;
  const first = new Map<string, Buffer>();
  const session = await against(({ id, oids: [oid = Buffer.alloc(0)] }) => {
    const base = first.get('base') ?? Buffer.from(oid);
    first.set('base', base);
    const varbinds = Array.from({ length: 25 }, () => {
      row += 1;
      return [Buffer.concat([base, Buffer.from([0x80 | (row >> 7), row & 0x7f])]), berInteger(row)] as const;
    });
    return [response(id, varbinds)];
  });
  assert.equal((await new SnmpRequests(session).rows(COLUMN)).length, 1000);
});

test('a value under another identifier than the one asked for is not an answer', async () => {
  const session = await against(({ id, oids }) => [
    response(
      id,
      oids.map((oid) => [below(oid), berInteger(7)] as const),
    ),
  ]);
  const [value] = await new SnmpRequests(session).get(['1.3.6.1.2.1.1.3.0']);
  assert.equal(value?.value, null);
});

test('garbage, other versions and foreign replies are passed over, and the right answer is taken', async () => {
  const v3 = ber(
    0x30,
    berInteger(3),
    ber(0x30, berInteger(1), berInteger(65507), ber(0x04, Buffer.from([1])), berInteger(3)),
    ber(0x04, ber(0x30, ber(0x04), berInteger(0), berInteger(0), ber(0x04), ber(0x04), ber(0x04))),
    ber(0x30, ber(0x04), ber(0x04), ber(0xa2, berInteger(1), berInteger(0), berInteger(0), ber(0x30))),
  );
  const session = await against(({ id, oids }) => [
    Buffer.from('not snmp'),
    Buffer.alloc(0),
    v3,
    response(id + 1, [[Buffer.from([0x2b]), berInteger(1)]]),
    response(
      id,
      oids.map((oid) => [oid, berInteger(42)] as const),
    ),
  ]);
  const [value] = await new SnmpRequests(session).get(['1.3.6.1.2.1.1.3.0']);
  assert.equal(value?.value, 42);
});

test('a reply with another community is an error that does not quote it', async () => {
  const session = await against(({ id, oids }) => [
    response(
      id,
      oids.map((oid) => [oid, berInteger(1)] as const),
      'hunter2',
    ),
  ]);
  await assert.rejects(session.get(['1.3.6.1.2.1.1.3.0']), (error) => {
    assert.ok(error instanceof SnmpError);
    return !error.message.includes('hunter2') && !error.message.includes('public');
  });
});

test('any change of bytes in a reply ends in a value or an SnmpError', async () => {
  const changes = fc.sample(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), {
    numRuns: 150,
    seed: 7,
  });
  let at = 0;
  const session = await against(({ id, oids }) => {
    const reply = response(
      id,
      oids.map((oid) => [oid, berInteger(1)] as const),
    );
    const [place, byte] = changes[at % changes.length] ?? [0, 0];
    at += 1;
    const changed = Buffer.from(reply);
    changed[Math.floor(place * changed.length)] = byte;
    return [changed];
  }, 20);
  for (let i = 0; i < changes.length; i += 1) {
    await session.get(['1.3.6.1.2.1.1.3.0']).then(
      (reply) => assert.ok(reply.values.length <= 1),
      (error) => assert.ok(error instanceof SnmpError),
    );
  }
});

test('with SNMPv3 authentication an unauthenticated response is not taken', async () => {
  const engine = Buffer.from('8000b98380aabbccdd', 'hex');
  const empty = ber(0x04);
  let forged = 0;
  const agent = await hostileAgent(({ id, oids, head }) => {
    if (head.v3?.user === '') return [usmReport(head, engine, 4)];
    forged += 1;
    const security = ber(0x30, ber(0x04, engine), berInteger(0), berInteger(10), empty, empty, empty);
    const list = ber(0x30, ...oids.map((oid) => ber(0x30, ber(0x06, oid), berInteger(42))));
    const pdu = ber(0xa2, berInteger(id), berInteger(0), berInteger(0), list);
    const header = ber(
      0x30,
      berInteger(head.v3?.messageId ?? 0),
      berInteger(65507),
      ber(0x04, Buffer.from([0])),
      berInteger(3),
    );
    return [ber(0x30, berInteger(3), header, ber(0x04, security), ber(0x30, ber(0x04, engine), empty, pdu))];
  });
  const user = { ...USER, level: 'authNoPriv' as const };
  const session = new SnmpSession(pduConfig(agent.port, { version: '3', user, timeoutMs: 100 }), Date.now);
  closing.push(agent, session);
  await assert.rejects(session.get(['1.3.6.1.2.1.1.3.0']), fault('timeout'));
  assert.equal(forged, 1);
});

test('a device that answers the discovery but drops the encrypted request cannot decrypt it', async () => {
  const agent = await hostileAgent(({ head }) =>
    head.v3?.user === '' ? [usmReport(head, Buffer.from('8000b98380aabbccdd', 'hex'), 4)] : [],
  );
  const session = new SnmpSession(
    pduConfig(agent.port, { version: '3', user: USER, timeoutMs: 100, retries: 1 }),
    Date.now,
  );
  closing.push(agent, session);
  await assert.rejects(session.get(['1.3.6.1.2.1.1.3.0']), fault('decryption'));
});

test('closing ends the request in flight and every later one', async () => {
  const session = await against(() => [], 60_000);
  const pending = session.get(['1.3.6.1.2.1.1.3.0']);
  setImmediate(() => session.close());
  await assert.rejects(pending, fault('closed'));
  await assert.rejects(session.get(['1.3.6.1.2.1.1.3.0']), fault('closed'));
});

test('credentials that cannot work are reported before anything is sent', async () => {
  const short = { ...USER, authKey: 'short' };
  await assert.rejects(readPdu(pduConfig(9, { version: '3', user: short }), Date.now), (error) => {
    assert.ok(error instanceof SnmpError && error.fault === 'credentials');
    return !error.message.includes('"short"') && error.message.includes('shorter than 8');
  });
  await assert.rejects(readPdu(pduConfig(9, { version: '3', user: null }), Date.now), fault('credentials'));
});

test('a name that does not resolve is a network error', async () => {
  const config = pduConfig(161, { host: 'pdu.invalid', timeoutMs: 5000 });
  await assert.rejects(
    readPdu(config, Date.now),
    (error) => error instanceof SnmpError && ['network', 'timeout'].includes(error.fault),
  );
});
