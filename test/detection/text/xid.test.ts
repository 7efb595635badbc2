// The XID catalogue: every row uses words of the closed lists, and what training hosts meet is there.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import catalog from '#catalog/xid.json' with { type: 'json' };
import { XID_CATALOG_VERSION, XID_CODES, xidEvent, xidInfo } from '../../../src/detection/text/xid.ts';
import { ACTIONS } from '../../../src/model/action.ts';
import { isKind } from '../../../src/model/kind.ts';
import { SEVERITIES } from '../../../src/model/severity.ts';

const base = { timeMs: 1000, observedMs: 1001, trust: 'driver', source: 'gpu' } as const;

test('every row has exactly the fields of the schema, with words from the closed lists', () => {
  assert.match(XID_CATALOG_VERSION, /^\d{4}\.\d{2}\.\d+$/);
  for (const [code, row] of Object.entries(catalog.xids)) {
    const { mnemonic, kind, severity, action, consequence, note, ...others } = { severity: undefined, ...row };
    assert.match(code, /^[1-9]\d{0,2}$/);
    const fields = Object.keys(others).filter((name) => name !== 'brings');
    assert.deepEqual(fields, ['class', 'status', 'gpus', 'nvidia', 'sources'], code);
    assert.match(mnemonic, /^[A-Z][A-Z0-9_]+$/, code);
    assert.ok(isKind(kind), `${code} ${kind}`);
    assert.ok(severity === undefined || SEVERITIES.some((word) => word === severity), code);
    assert.ok(
      ACTIONS.some((word) => word === action),
      `${code} ${action}`,
    );
    assert.equal(typeof consequence, 'boolean', code);
    assert.match(others.class, /^[a-z_]+$/, code);
    assert.ok(note.length > 10 && note.length <= 160, code);
  }
});

test('every code from 1 to the last one of the driver header is there, and each row names its source', () => {
  assert.deepEqual(
    XID_CODES,
    Array.from({ length: 176 }, (_, index) => index + 1),
  );
  const used = new Set<string>();
  for (const [code, { status, gpus, nvidia, sources }] of Object.entries(catalog.xids)) {
    assert.match(status, /^(documented|retired|reserved|name_only)$/, code);
    assert.ok(sources.length > 0 && sources.every((name) => name in catalog.sources), code);
    for (const gpu of gpus) assert.match(gpu, /^(A100|H100|B100|GB200)$/, code);
    assert.ok(
      nvidia.length === 0 || sources.includes('catalog'),
      `${code}: words of a catalogue that does not have it`,
    );
    for (const name of sources) used.add(name);
  }
  assert.deepEqual([...used].sort(), Object.keys(catalog.sources).sort());
});

test('a code of which only the name is public says so, and asks for the vendor or an inspection', () => {
  for (const code of XID_CODES) {
    const { status, note, action, gpus } = xidInfo(code) ?? assert.fail(String(code));
    if (status === 'documented') continue;
    assert.deepEqual(gpus, [], `${code} is used on a GPU of today`);
    if (status === 'retired') assert.match(note, /since Ampere; before: /, String(code));
    else {
      assert.match(note, /only the name is public|not documented|stuck/, String(code));
      assert.match(action, /^(contact_vendor|inspect_hardware)$/, String(code));
    }
  }
});

test('a code names those that it brings, and each consequence of its own GPU is brought by one', () => {
  const brought = new Set<number>();
  for (const code of XID_CODES) {
    for (const other of xidInfo(code)?.brings ?? []) {
      assert.ok(xidInfo(other) !== null && other !== code, `${code} brings ${other}`);
      brought.add(other);
    }
  }
  // 137 comes from a program on another GPU.
  for (const code of XID_CODES)
    if (xidInfo(code)?.consequence && code !== 137) assert.ok(brought.has(code), String(code));
});

test('the codes that decide what is done on a training host have their kinds', () => {
  const kinds = {
    13: 'gpu.app_fault', 31: 'gpu.app_fault', 43: 'gpu.app_fault', 45: 'gpu.preemptive_cleanup',
    48: 'gpu.memory.dbe', 63: 'gpu.memory.row_remap_pending', 64: 'gpu.memory.row_remap_failed',
    74: 'nvlink.nonfatal', 79: 'gpu.lost', 94: 'gpu.memory.contained', 95: 'gpu.memory.uncontained',
    119: 'gpu.gsp_timeout', 120: 'gpu.gsp_timeout', 154: 'gpu.recovery_action',
  }; // biome-ignore format: a table
  for (const [code, kind] of Object.entries(kinds)) assert.equal(xidInfo(Number(code))?.kind, kind, code);
});

test('what only follows from something else is marked as a consequence', () => {
  const consequences = XID_CODES.filter((code) => xidInfo(code)?.consequence === true);
  assert.deepEqual(consequences, [43, 45, 137, 154, 171, 172]);
});

test('a code that the catalogue does not know is a fault of severity error that says so', () => {
  const event = xidEvent(999, null, base);
  assert.equal(event.kind, 'gpu.fault');
  assert.equal(event.severity, 'error');
  assert.equal(event.attributes?.xid, 999);
  assert.match(String(event.attributes?.note), /999 is not in the catalogue/);
});

test('an action is in the event only where the catalogue advises another than the kind', () => {
  assert.equal(xidEvent(79, null, base).attributes?.action, undefined);
  assert.equal(xidEvent(46, null, base).attributes?.action, 'reset_gpu');
});
