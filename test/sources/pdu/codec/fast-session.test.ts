// The quick codec against the protocol library's own: the same bytes out, the same answers in, whatever comes.

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import snmp from 'net-snmp';
import { FastSession } from '../../../../src/sources/pdu/codec/fast-session.ts';
import { askedVarbind, oidText } from '../../../../src/sources/pdu/codec/oid-bytes.ts';
import { pduBytes, type RequestPdu } from '../../../../src/sources/pdu/codec/write-request.ts';
import { runs } from '../../../runs.ts';
import { ber } from '../hostile-agent.ts';

type Outcome = { readonly error: string | null; readonly varbinds: unknown } | 'silence' | 'threw';

/** A socket that hands what is sent to the test, and gives it what the test answers. */
class Wire extends EventEmitter {
  sent = Buffer.alloc(0);
  send(bytes: Buffer, _offset: number, _length: number, _port: number, _to: string, done: (e: null) => void): void {
    this.sent = Buffer.from(bytes);
    done(null);
  }
  ref(): void {}
  unref(): void {}
  close(): void {}
}

type Ask = (session: snmp.Session, done: (error: unknown, varbinds?: unknown) => void) => void;

/** What a session makes of `answer(id)`. */
function outcome(fast: boolean, ask: Ask, answer: (id: Buffer) => Buffer): { sent: Buffer; outcome: Outcome } {
  const wire = new Wire();
  const options = { version: snmp.Version2c, retries: 0, timeout: 50, backwardsGetNexts: false };
  const session = snmp.createSession('192.0.2.1', 'public', {
    ...options,
    dgramModule: { createSocket: () => wire },
  } as never); // its types lack dgramModule
  session.on('error', () => undefined);
  const quick = fast ? new FastSession(session, '2c', 'public') : null;
  let result: Outcome = 'silence';
  ask(session, (error, varbinds) => {
    result = { error: error === null ? null : String(error), varbinds: varbinds ?? null };
  });
  const id = idOf(wire.sent);
  // Ids are random: of four bytes, so that both answers are the same but for it.
  if (id.length !== 6) return outcome(fast, ask, answer);
  const datagram = answer(id);
  try {
    if (quick?.take(datagram) !== true) wire.emit('message', datagram, {});
  } catch {
    result = 'threw';
  }
  const inside = session as unknown as { reqs: Record<string, { timer?: NodeJS.Timeout }> };
  for (const { timer } of Object.values(inside.reqs)) clearTimeout(timer);
  return { sent: wire.sent, outcome: result };
}

/** The request id with its tag and length: after the head, the version, the community "public" and the PDU's head. */
function idOf(sent: Buffer): Buffer {
  const start = sent.indexOf(Buffer.from('public')) + 6;
  const at = start + ((sent[start + 1] ?? 0) < 0x80 ? 2 : 2 + ((sent[start + 1] ?? 0) & 0x7f));
  return sent.subarray(at, at + 2 + (sent[at + 1] ?? 0));
}

const numbers = fc.array(fc.nat({ max: 0xffff_ffff }), { minLength: 1, maxLength: 14 });
const oids = numbers.map((rest) => `1.3.${rest.join('.')}`);

function oidBytes(oid: string): Buffer {
  const whole = askedVarbind(oid);
  assert.ok(whole !== null, oid);
  return whole.subarray(2, whole.length - 2);
}

const bytes = (most: number) => fc.uint8Array({ maxLength: most }).map((list) => Buffer.from(list));
const values = fc.oneof(
  fc.tuple(fc.constantFrom(0x02, 0x41, 0x42, 0x43), bytes(9)).map(([tag, content]) => ber(tag, content)),
  fc.tuple(fc.constantFrom(0x04, 0x44, 0x46), bytes(40)).map(([tag, content]) => ber(tag, content)),
  fc.tuple(fc.constantFrom(0x05, 0x80, 0x81, 0x82), bytes(1)).map(([tag, content]) => ber(tag, content)),
  fc.tuple(fc.constantFrom(0x40, 0x03, 0x01, 0x47, 0x78), bytes(5)).map(([tag, content]) => ber(tag, content)),
  oids.map(oidBytes),
  bytes(12).map((content) => ber(0x06, content)),
);

interface Shape {
  readonly oids: readonly string[];
  readonly values: readonly Buffer[];
  readonly status: number;
  readonly community: string;
  readonly tag: number;
  readonly change: { readonly at: number; readonly to: number; readonly cut: number } | null;
}

const shapes: fc.Arbitrary<Shape> = fc.record({
  oids: fc.array(oids, { minLength: 1, maxLength: 6 }),
  values: fc.array(values, { minLength: 1, maxLength: 8 }),
  status: fc.constantFrom(0, 0, 0, 1, 2, 5, 99),
  community: fc.constantFrom('public', 'public', 'public', 'other'),
  tag: fc.constantFrom(0xa2, 0xa2, 0xa2, 0xa8, 0xa0),
  change: fc.option(fc.record({ at: fc.nat(400), to: fc.nat(255), cut: fc.nat(6) })),
});

function datagram(shape: Shape, id: Buffer): Buffer {
  const list = shape.values.map((value, i) =>
    ber(0x30, Buffer.concat([oidBytes(shape.oids[i % shape.oids.length] ?? '1.3'), value])),
  );
  const int = (value: number) => ber(0x02, Buffer.from([value]));
  const pdu = ber(shape.tag, Buffer.concat([id, int(shape.status), int(shape.status), ber(0x30, Buffer.concat(list))]));
  const whole = ber(0x30, Buffer.concat([int(1), ber(0x04, Buffer.from(shape.community)), pdu]));
  if (shape.change === null) return whole;
  const changed = Buffer.from(whole);
  const [at, idAt] = [shape.change.at % changed.length, whole.indexOf(id)];
  // The id itself is another one for each of the two.
  if (at < idAt + 2 || at >= idAt + id.length) changed[at] = shape.change.to;
  return changed.subarray(0, changed.length - (shape.change.cut > 3 ? shape.change.cut : 0));
}

test('whatever is answered, the quick reader and the library make the same of it', () => {
  let taken = 0;
  fc.assert(
    fc.property(shapes, fc.boolean(), (shape, bulk) => {
      const ask: Ask = (session, done) => {
        if (bulk) session.getBulk([shape.oids[0] ?? ''], 0, 10, done as never);
        else session.get([...shape.oids], done as never);
      };
      const answer = (id: Buffer) => datagram(shape, id);
      const quick = outcome(true, ask, answer);
      const slow = outcome(false, ask, answer);
      if (typeof quick.outcome === 'object' && quick.outcome.error === null) taken += 1;
      assert.deepEqual(quick.outcome, slow.outcome);
    }),
    { numRuns: runs(2000, 200_000) },
  );
  assert.ok(taken > 20, 'some of them were right');
});

test('a request is the bytes that the library would send', () => {
  fc.assert(
    fc.property(
      fc.array(oids, { minLength: 1, maxLength: 30 }),
      fc.constantFrom('get', 'getNext', 'getBulk'),
      (asked, how) => {
        let pdu: RequestPdu | null = null;
        const { sent } = outcome(
          false,
          (session, done) => {
            const inside = session as unknown as { send(out: { message: { pdu: RequestPdu } }): unknown };
            const send = inside.send.bind(session);
            inside.send = (out) => {
              pdu = out.message.pdu;
              return send(out);
            };
            if (how === 'getBulk') session.getBulk(asked, 0, 25, done as never);
            else session[how as 'get'](asked, done as never);
          },
          () => Buffer.alloc(0),
        );
        assert.ok(pdu !== null);
        const ours = pduBytes(pdu);
        assert.ok(ours !== null);
        assert.ok(sent.subarray(sent.length - ours.length).equals(ours));
      },
    ),
    { numRuns: runs(300, 20_000) },
  );
});

test('identifiers keep their text over their bytes; what is none of the usual kind is left to the library', () => {
  fc.assert(
    fc.property(oids, (oid) => {
      const varbind = askedVarbind(oid);
      assert.ok(varbind !== null);
      assert.equal(oidText(varbind, 4, varbind.length - 2), oid);
    }),
    { numRuns: runs(1000, 100_000) },
  );
  for (const odd of ['', '1', '1.', '.1.3', '1.3.x', '1.3.4294967296', '2.999.3', `1.3${'.4294967295'.repeat(30)}`]) {
    assert.equal(askedVarbind(odd), null, odd);
  }
});
