// NVLink 5 errors decoded by NVIDIA's table: both layouts of the driver, the reason of a link that went down, and what is not guessed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import table from '#catalog/nvlink5.json' with { type: 'json' };
import { nvlink5Attributes } from '../../../src/detection/text/kernel/nvlink5.ts';
import { decodeLines } from './lines.ts';

const attributesOf = (message: string) => decodeLines([`NVRM: Xid (PCI:0008:01:00): ${message}`])[0]?.attributes ?? {};

test('the table has every row of the published one, and no unit or status twice', () => {
  const counts: Record<number, number> = {};
  for (const { xid, rules, v1, v2 } of table.units) {
    counts[xid] = (counts[xid] ?? 0) + rules.length;
    assert.ok(v1 <= 0x3ff && v2 <= 0x7f);
    const keys = rules.map((rule) => JSON.stringify([Object(rule).reason, Object(rule).status]));
    assert.equal(new Set(keys).size, rules.length);
  }
  assert.deepEqual(counts, { 144: 6, 145: 33, 146: 20, 147: 2, 148: 1, 149: 31, 150: 1 });
  const names = table.units.map((unit) => `${unit.xid} ${unit.names.at(-1)}`);
  assert.equal(new Set(names).size, table.units.length);
});

test('the same error is decoded alike from drivers before R575 and since', () => {
  const older = attributesOf('145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 03 (0x040868e2 0x00000008 0x00000000)');
  const newer = attributesOf('145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 (0x04084507 0x00000004 0x00000000');
  assert.equal(older.layout, 'v1');
  assert.equal(newer.layout, 'v2');
  for (const one of [older, newer]) {
    assert.equal(one.resolution, 'XID_154_EVAL');
    assert.equal(one.action, 'restart_app');
  }
});

test('a link that went down from its other end says so, with the reason', () => {
  const reset = attributesOf('149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 09 (0x025525c6 0x00000000 0x00000000)');
  assert.equal(reset.link_down_reason, 37);
  assert.equal(reset.link_down, 'the other end was reset');
  assert.equal(reset.other_end, true);
  assert.equal(reset.investigate, 'INVESTIGATE_PEER_DEVICE');
  assert.equal(reset.action, 'drain_reset_gpu');
  const signal = attributesOf('149, NETIR_LINK_DOWN Fatal XC0 i0 Link 09 (0x00202411 0x00000000 0x00000000)');
  assert.equal(signal.layout, 'v2');
  assert.equal(signal.link_down_reason, 2);
  assert.equal(signal.investigate, 'INVESTIGATE_LINK_SI');
  assert.equal(signal.other_end, undefined);
  assert.equal(signal.action, undefined, 'a look at the link, as the kind asks');
});

test('every unit is found by its word in both layouts, with its name and without', () => {
  for (const { xid, names, v1, v2, rules } of table.units) {
    const { reason = 0, status = 0 } = Object(rules[0]);
    const words = [
      { layout: 'v1', info: (reason << 20) | (5 << 13) | v1 },
      { layout: 'v2', info: (reason << 20) | (5 << 10) | v2 },
    ];
    for (const { layout, info } of words) {
      const found = nvlink5Attributes({ xid, unit: names.at(-1) ?? null, link: 5, info, status });
      assert.equal(found.resolution, rules[0]?.now, `${xid} ${names} ${layout}`);
      if (v1 !== v2) assert.equal(found.layout, layout);
      const unnamed = nvlink5Attributes({ xid, unit: null, link: 5, info, status });
      assert.equal(unnamed.resolution, rules[0]?.now, `${xid} ${names} ${layout} without a name`);
    }
  }
});

test('a receiver that met its limit asks for a reset, by a bit of its own in each layout', () => {
  const line = { xid: 145, unit: 'RLW_RXPIPE', link: 0, status: 4 };
  assert.equal(nvlink5Attributes({ ...line, info: 0x0c2 }).resolution, 'IGNORE');
  assert.equal(nvlink5Attributes({ ...line, info: 0x4c2 }).resolution, 'RESET_GPU');
  assert.equal(nvlink5Attributes({ ...line, info: 0x06 }).resolution, 'IGNORE');
  assert.equal(nvlink5Attributes({ ...line, info: 0x86 }).resolution, 'RESET_GPU');
});

test('several errors at once are as grave as the gravest of them', () => {
  const both = nvlink5Attributes({ xid: 145, unit: 'RLW_TAGSTATE', link: 0, info: 0x08, status: 0x3 });
  assert.equal(both.resolution, 'RESET_GPU');
  assert.equal(both.action, 'reset_gpu');
});

test('what the table does not have, or the line cuts off, is not guessed', () => {
  assert.equal(attributesOf('145, RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 (0x04084507 0x0000').layout, undefined);
  assert.equal(attributesOf('149, NETIR_LINK_EVT Fatal XC0 i0 Link 09 (0x03f525c6 0x00000000)').layout, undefined);
  assert.deepEqual(nvlink5Attributes({ xid: 145, unit: 'RLW_SRC_TRACK', link: 3, info: 0x0e2, status: 0x40 }), {});
  assert.deepEqual(nvlink5Attributes({ xid: 145, unit: 'RLW_NEW', link: 3, info: 0x0e2, status: 1 }), {});
  assert.deepEqual(nvlink5Attributes({ xid: 149, unit: 'NETIR_MFDE_EVENT', link: 3, info: 0x14, status: 2 }), {});
});
