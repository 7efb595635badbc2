// Catalogues of reports: kinds, severities and actions of the closed lists, patterns that compile and are not empty.

import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('rows of nvidia-smi, DCGM and the event log have words of the closed lists', () => {
  for (const { version } of [smi, sel]) assert.match(version, /^\d{4}\.\d{2}\.\d+$/);
  for (const row of [...smi.events, ...smi.metrics, ...sel.rows] as readonly Row[]) holds(row);
  for (const row of smi.events) assert.ok(isKind(row.kind), row.path);
  for (const row of sel.rows) assert.ok(isKind(row.kind), row.event);
});

test('no pattern fits everything', () => {
  const patterns = [
    ...smi.readings.map(({ path }) => path),
    ...smi.states,
    ...smi.events.flatMap(({ path, value }) => [path, value]),
    ...sel.rows.flatMap(({ sensor, event }) => [sensor, event]),
  ];
  for (const pattern of patterns) assert.ok(!new RegExp(pattern).test(''), pattern);
});
