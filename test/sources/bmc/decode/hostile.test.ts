// Property tests: whatever JSON a BMC sends, decoding gives an answer with numbers that are numbers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tree } from '../../../../src/simulator/bmc/tree.ts';
import {
  decodeLeakDetector,
  decodeLeakGroups,
  decodeLoop,
  decodePump,
  decodeReservoir,
} from '../../../../src/sources/bmc/decode/cooling.ts';
import {
  at,
  durationAt,
  linkAt,
  linksAt,
  numberAt,
  parseBody,
  textAt,
} from '../../../../src/sources/bmc/decode/json.ts';
import type { Part } from '../../../../src/sources/bmc/decode/parts.ts';
import {
  decodeEnvironment,
  decodePower,
  decodePowerSubsystem,
  decodeSupply,
} from '../../../../src/sources/bmc/decode/power.ts';
import { NO_QUIRKS, quirksFor } from '../../../../src/sources/bmc/decode/quirks.ts';
import { slotsOf } from '../../../../src/sources/bmc/decode/slot.ts';
import {
  decodeFan,
  decodeGpu,
  decodeHealth,
  decodeSensor,
  decodeThermal,
  decodeThermalMetrics,
} from '../../../../src/sources/bmc/decode/thermal.ts';
import { addUnit } from '../cooling-tree.ts';

const state = {
  hostWatts: 3000,
  limitWatts: 5000,
  supplies: [1, 2].map(() => ({ inputVoltage: 230, fed: true, failed: false, standby: false, absent: false })),
  fans: [{ rpm: 8000, failed: false }],
  inletC: 24,
};
const facts = { serial: 'S', dateTime: '2026-01-01T00:00:00Z', inputLostAt: ['2026-01-01T00:00:00Z', null] };
const cooling = new Map<string, object>();
addUnit({ extra: cooling });
const bodies = [
  ...(['old', 'new'] as const).flatMap((model) => [...tree(state, { ...facts, model }).values()]),
  ...cooling.values(),
];

function decodeAll(body: unknown): Part[] {
  const all = { supplies: true, power: true, limit: true };
  const fan = decodeFan(body, '1');
  const gpu = decodeGpu(body, body, body);
  return [
    ...['HPE', 'Lenovo', 'Fujitsu', 'Huawei'].flatMap((name) => decodePower(body, quirksFor([name]), all)),
    ...decodePower(body, NO_QUIRKS, all),
    ...decodePowerSubsystem(body),
    ...decodeEnvironment(body),
    decodeSupply(body, body, '1'),
    ...decodeThermal(body),
    ...decodeThermalMetrics(body),
    ...decodeSensor(body, '1'),
    decodeHealth(body, 'system'),
    ...(fan === null ? [] : [fan]),
    ...[
      decodeLoop(body, '', 'secondary', 'secondary', { leastFlow: null, mostCelsius: null }),
      decodePump(body, '', '1'),
      decodeReservoir(body, '', '1'),
      decodeLeakDetector(body, null, '1'),
    ].filter((part) => part !== null),
    ...decodeLeakGroups(body, null),
    ...(gpu === null ? [] : [gpu]),
  ];
}

function sound(parts: readonly Part[]): void {
  for (const part of parts) {
    for (const value of Object.values(part)) {
      if (typeof value === 'number') assert.ok(Number.isFinite(value));
      if (typeof value === 'string') assert.ok(value.length <= 500);
    }
  }
}

const anything = fc.anything({ withNullPrototype: true, maxDepth: 4 });

test('any value at all decodes without an exception', () => {
  fc.assert(fc.property(anything, (body) => sound(decodeAll(body))));
});

test('readings of a coolant loop that no pipe has are none', () => {
  const limits = { leastFlow: null, mostCelsius: null };
  const body = { SupplyPressurekPa: { Reading: 1.7e308 }, HeatRemovedkW: 1e307, FlowLitersPerMinute: { Reading: -3 } };
  assert.equal(decodeLoop(body, '', 'secondary', 'secondary', limits), null);
  assert.equal(
    decodeLoop({ ...body, SupplyPressurekPa: 108 }, '', 'secondary', 'secondary', limits)?.supplyPascal,
    108_000,
  );
});

test('a real document with any part of it replaced decodes without an exception', () => {
  fc.assert(
    fc.property(fc.constantFrom(...bodies), fc.nat(), anything, (body, place, replacement) => {
      const copy = structuredClone(body);
      const places: [object, string][] = [];
      const walk = (node: unknown) => {
        if (typeof node !== 'object' || node === null) return;
        for (const [key, value] of Object.entries(node)) {
          places.push([node, key]);
          walk(value);
        }
      };
      walk(copy);
      const [node, key] = places[place % places.length] ?? [copy, 'Id'];
      Object.assign(node, { [key]: replacement });
      sound(decodeAll(copy));
    }),
    { numRuns: 1000 },
  );
});

test('reading by path never throws and never finds what an object only inherits', () => {
  fc.assert(
    fc.property(anything, fc.array(fc.string(), { maxLength: 4 }), (value, path) => {
      at(value, ...path);
      numberAt(value, ...path);
      textAt(value, ...path);
      linkAt(value, ...path);
      durationAt(value, ...path);
    }),
  );
  assert.equal(at({}, 'constructor', 'name'), undefined);
  assert.equal(at([], 'length'), 0);
});

test('slots are as many as there are things, and all different', () => {
  const name = fc.option(fc.string({ maxLength: 12 }), { nil: null });
  fc.assert(
    fc.property(
      fc.array(fc.record({ bay: name, names: fc.array(name, { maxLength: 3 }) }), { maxLength: 12 }),
      (all) => {
        const slots = slotsOf(all);
        assert.equal(slots.length, all.length);
        assert.equal(new Set(slots).size, all.length);
        for (const slot of slots) assert.match(slot, /^[A-Za-z0-9]{1,8}$/);
      },
    ),
  );
});

for (const [link, path] of [
  ['/redfish/v1/Chassis/1/Thermal#/Fans/0', '/redfish/v1/Chassis/1/Thermal'],
  ['/redfish/v1/Chassis/1/', '/redfish/v1/Chassis/1/'],
  ['https://elsewhere/redfish/v1', null],
  ['//elsewhere/redfish/v1', null],
  ['/redfish/v1/a b', null],
  ['/redfish/v1\r\nX-Auth-Token: x', null],
  ['redfish/v1', null],
] as const) {
  test(`the link ${JSON.stringify(link)} leads to ${path}`, () => {
    assert.equal(linkAt({ '@odata.id': link }), path);
  });
}

test('links are taken once each, from both kinds of reference', () => {
  assert.deepEqual(linksAt([{ '@odata.id': '/a' }, { href: '/b' }, '/a', null, 7]), ['/a', '/b']);
});

for (const [text, expected] of [
  ['{"a":1}', { a: 1 }],
  ['{"error":{"code":"licence"}}{"a":1}', { a: 1 }],
  ['<html>', undefined],
  ['', undefined],
] as const) {
  test(`the body ${JSON.stringify(text)} is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(parseBody(text), expected);
  });
}

for (const [text, seconds] of [
  ['PT0S', 0],
  ['PT1.5S', 1.5],
  ['P1DT2H3M4S', 93_784],
  ['P', null],
  ['NA', null],
  ['PT-1S', null],
] as const) {
  test(`the duration ${text} is ${seconds} s`, () => {
    assert.equal(durationAt({ d: text }, 'd'), seconds);
  });
}
