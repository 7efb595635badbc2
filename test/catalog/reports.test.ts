// Catalogues of reports: kinds, severities and actions of the closed lists, patterns that compile and are not empty.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import dcgm from '#catalog/dcgm-messages.json' with { type: 'json' };
import ethtool from '#catalog/ethtool.json' with { type: 'json' };
import smi from '#catalog/nvidia-smi.json' with { type: 'json' };
import sel from '#catalog/sel.json' with { type: 'json' };
import { ACTIONS } from '../../src/model/action.ts';
import { isKind } from '../../src/model/kind.ts';
import { SEVERITIES } from '../../src/model/severity.ts';

interface Row {
  readonly kind?: string;
  readonly severity?: string;
  readonly action?: string;
}

function holds(row: Row): void {
  const name = JSON.stringify(row);
  assert.ok(row.kind === undefined || isKind(row.kind), name);
  assert.ok(row.severity === undefined || SEVERITIES.some((word) => word === row.severity), name);
  assert.ok(row.action === undefined || ACTIONS.some((word) => word === row.action), name);
}

const NAMED: readonly Row[] = [
  ...smi.events,
  ...sel.rows,
  ...sel.limits,
  ...dcgm.messages,
  ...ethtool.counters,
  ...ethtool.module,
];
const ALL: readonly Row[] = [...NAMED, ...smi.metrics];

test('rows of reports have words of the closed lists', () => {
  for (const { version } of [smi, sel, dcgm, ethtool]) assert.match(version, /^\d{4}\.\d{2}\.\d+$/);
  for (const row of ALL) holds(row);
  for (const row of NAMED) assert.ok(row.kind !== undefined, JSON.stringify(row));
});

test('no pattern fits everything', () => {
  const patterns = [
    ...smi.readings.map(({ path }) => path),
    ...smi.states,
    ...smi.events.flatMap(({ path, value }) => [path, value]),
    ...sel.rows.flatMap(({ sensor, event }) => [sensor, event]),
    ...sel.limits.map(({ sensor }) => sensor),
    dcgm.xid,
  ];
  for (const pattern of patterns) assert.ok(!new RegExp(pattern).test(''), pattern);
});

test('no message of DCGM is taken by a row above it', () => {
  const rows = dcgm.messages.map(({ has }) => has.map((words) => words.replaceAll(' ', '')));
  rows.forEach((has, i) => {
    const text = has.join('…');
    const first = rows.findIndex((each) => each.every((words) => text.includes(words)));
    assert.equal(first, i, text);
  });
});
