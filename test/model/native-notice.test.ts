// The table of notices: every name with its fields, and what native code must not send refused without a throw.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noticesOf, parseNotice, type RawNotice } from '../../src/model/native-notice.ts';
import { deviceDetails } from './raw-notice.ts';

const RAW: RawNotice = { type: 'state', timeMs: 5, component: 'gpu/0000:1b:00.0', name: '', text: '', value: 0 };

test('a device has its identity in typed fields; what it does not give is null or empty', () => {
  const details = deviceDetails({ index: 3, uuid: 'GPU-1', model: 'H100', driver: '580.1', minor: 5, numaNode: 1 });
  assert.deepEqual(parseNotice({ ...RAW, type: 'device', details }), {
    name: 'device', timeMs: 5, component: 'gpu/0000:1b:00.0',
    index: 3, uuid: 'GPU-1', model: 'H100', serial: '', driver: '580.1',
    minor: 5, module: null, numaNode: 1, architecture: null,
  }); // biome-ignore format: one notice
});

test('lists, tables and times come typed', () => {
  const parse = (fields: Partial<RawNotice>) => parseNotice({ ...RAW, ...fields });
  assert.deepEqual(parse({ type: 'processes', details: { pids: [7, 31] }, value: 2 }), { name: 'processes', timeMs: 5, component: RAW.component, pids: [7, 31], instances: new Map(), count: 2 }); // biome-ignore format: a list
  assert.deepEqual(parse({ type: 'processes', details: { pids: [] } }), { name: 'processes', timeMs: 5, component: RAW.component, pids: [], instances: new Map(), count: 0 }); // biome-ignore format: a list
  const split = parse({ type: 'processes', details: { pids: [7, 7, 31], instances: [5, 2, 128] }, value: 3 });
  assert.deepEqual(split, { name: 'processes', timeMs: 5, component: RAW.component, pids: [7, 31], instances: new Map([[7, [5, 2]]]), count: 3 }); // biome-ignore format: a list
  assert.deepEqual(parse({ type: 'capabilities', details: { power: 'works' } }), { name: 'capabilities', timeMs: 5, component: RAW.component, groups: new Map([['power', 'works']]) }); // biome-ignore format: a list
  assert.deepEqual(parse({ type: 'clock_jump', name: 'step', value: -20, details: { previousMs: 1.5 } }), { name: 'clock_jump', timeMs: 5, what: 'step', byMs: -20, previousMs: 1.5 }); // biome-ignore format: a list
  assert.deepEqual(parse({ type: 'state', name: 'released', traceparent: 'x' }), { name: 'state', timeMs: 5, state: 'released', reason: '', value: 0, traceparent: 'x' }); // biome-ignore format: a list
  assert.deepEqual(parse({ type: 'xid', component: '', value: 79 }), { name: 'xid', timeMs: 5, component: null, xid: 79, text: '' }); // biome-ignore format: a list
});

const REFUSED: readonly [Partial<RawNotice>, RegExp][] = [
  [{ type: 'never_heard_of' }, /no notice has this name/],
  [{ type: 'toString' }, /no notice has this name/],
  [{ type: '__proto__' }, /no notice has this name/],
  [{ type: 'device' }, /its index is not a number/],
  [{ type: 'device', details: { index: [3] } }, /its index is not a number/],
  [{ type: 'device', details: deviceDetails({ uuid: 7 }) }, /its uuid is not a text/],
  [{ type: 'device', details: deviceDetails({ minor: 'x' }) }, /its minor is not a number/],
  [{ type: 'device', component: '', details: deviceDetails({}) }, /its component is missing/],
  [{ type: 'gpu_reset', name: 'by_hand' }, /its name is not one of after_loss/],
  [{ type: 'processes', details: { pids: null } }, /not a list of process ids/],
  [{ type: 'processes', details: { pids: '[1,' } }, /not a list of process ids/],
  [{ type: 'xid', value: Number.NaN }, /its value is not a number/],
  [{ type: 'clock_jump', name: 'step', details: { previousMs: 'soon' } }, /its previousMs is not a number/],
];
for (const [fields, reason] of REFUSED) {
  test(`refused with its reason: ${JSON.stringify(fields)}`, () => {
    const notice = parseNotice({ ...RAW, ...fields });
    assert.equal(notice.name, 'malformed');
    if (notice.name !== 'malformed') return;
    assert.equal(notice.of, fields.type);
    assert.match(notice.reason, reason);
  });
}

test('bounds hold against a child that writes nonsense', () => {
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`g${i}`, 'x'.repeat(300)]));
  const [capable] = noticesOf([parseNotice({ ...RAW, type: 'capabilities', details: many })], 'capabilities');
  assert.equal(capable?.groups.size, 64);
  assert.equal(capable?.groups.get('g0')?.length, 160);
  const pids = Array.from({ length: 1_000 }, (_, i) => i);
  const [users] = noticesOf([parseNotice({ ...RAW, type: 'processes', details: { pids } })], 'processes');
  assert.equal(users?.pids.length, 256);
});

test('nothing that native code could hand over makes the table throw', () => {
  const types = fc.oneof(
    fc.constantFrom('device', 'capabilities', 'gpu_instance', 'processes', 'clock_jump', 'state', 'gpu_reset'),
    fc.string(),
  );
  const detail = fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.array(fc.nat()));
  const keys = fc.oneof(fc.constantFrom('index', 'uuid', 'pids', 'minor', 'previousMs'), fc.string());
  const details = fc.dictionary(keys, detail);
  const raw = fc.record({ type: types, timeMs: fc.double(), component: fc.string(), name: fc.string(), text: fc.string(), value: fc.double(), details }); // biome-ignore format: one thing
  fc.assert(
    fc.property(raw, (each) => {
      const notice = parseNotice(each);
      assert.ok(notice.name === each.type || notice.name === 'malformed');
    }),
    { numRuns: 300 },
  );
});
