// Every kind that needs someone: what is asked for reads as a sentence, names where, and has nothing left to be filled in.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceText, doText, stepRows } from '../../../src/incidents/report/steps.ts';
import type { Component } from '../../../src/model/component.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { hasRole, KINDS, type Kind, kindEntry, kindInfo } from '../../../src/model/kind.ts';
import { event, gpu, incident } from '../sample.ts';

const HOST: Component = { type: 'host', id: 'node-3' };
const OF_FAMILY: Readonly<Record<string, Component>> = {
  gpu: gpu(2),
  nvlink: { type: 'nvlink', id: '0000:1d:00.0/3', host: 'node-3', parent: 'gpu/0000:1d:00.0' },
  nvswitch: { type: 'nvswitch', id: '0000:05:00.0', host: 'node-3' },
  cpu: { type: 'cpu', id: 'node-3/0', host: 'node-3' },
  memory: { type: 'dimm', id: 'node-3/A1', host: 'node-3' },
  nic: { type: 'nic', id: '0000:5f:00.0', host: 'node-3', aliases: ['mlx5_3'] },
  pcie: { type: 'pcie', id: '0000:5f:00.0', host: 'node-3' },
  psu: { type: 'psu', id: 'node-3/1', host: 'node-3' },
  power: { type: 'pdu_phase', id: 'pdu-b/1' },
  job: { type: 'rank', id: '991/3', host: 'node-3' },
  net: { type: 'rank', id: '991/3', host: 'node-3' },
  process: { type: 'process', id: '4711', host: 'node-3' },
  pod: { type: 'job', id: 'team/llama-0', host: 'node-3' },
  service: { type: 'service', id: 'llama-api' },
};

const PAGING = KINDS.filter((kind) => kindInfo(kind).severity !== 'info' && !hasRole(kind, 'explains'));

/** As correlation makes it of this kind alone. */
function of(kind: Kind): Incident {
  const base = incident('7f3c41d2a0b1');
  const component = OF_FAMILY[kind.split('.', 1)[0] ?? ''] ?? HOST;
  const only = event('r', kind, component);
  const { action, title } = kindInfo(kind);
  const rootKnown = !hasRole(kind, 'symptom') && !hasRole(kind, 'never_root');
  const next = kindEntry(kind).likely_roots?.[0]?.next ?? 'look at the other hosts';
  const why = rootKnown ? `usual for: ${title}` : `No root cause yet. To find out: ${next}`;
  return {
    ...base,
    events: [only],
    chain: [],
    whose: [],
    alternatives: [],
    rootKnown,
    root: { ...base.root, kind, component, eventId: only.id },
    action: { kind: action, target: component, why },
  };
}

const texts = (kind: Kind): string[] => {
  const one = of(kind);
  return [...(one.rootKnown ? [adviceText(one)] : []), ...stepRows(one, 'UTC').map(({ text }) => text)];
};

test('nothing is left to be filled in, and a reason does not stand for advice', () => {
  assert.ok(PAGING.length > 100, String(PAGING.length));
  for (const kind of PAGING)
    for (const text of texts(kind)) {
      assert.doesNotMatch(text, /[%@]|\b(?:DRAIN|SAVE|TIME|LINES|FILE|SILENT|WINDOW|RESET|DIAGNOSIS)\b/, kind);
      assert.doesNotMatch(text, /^usual for|undefined|null|\bnode node-3\b/, kind);
    }
});

test('each that pages has a first step and someone to call, also where its root is not known', () => {
  for (const kind of KINDS) {
    const one = of(kind);
    const pages = PAGING.includes(kind) && (!one.rootKnown || one.action.kind !== 'none');
    const labels = stepRows(one, 'UTC').map(({ label }) => label);
    if (pages) assert.deepEqual(labels, ['Now', 'Call'], kind);
  }
});

test('no bracket is in another, and no sentence of the list has two colons', () => {
  for (const kind of PAGING) {
    const text = doText(of(kind), 'UTC');
    assert.doesNotMatch(text, /\([^()]*\(/, kind);
    const words = text.replaceAll(/\([^()]*\)/g, '').replaceAll(/\b[0-9a-f:]+:\d\d(?:\.\d)?\b/g, '');
    for (const sentence of words.split(/[.;] /))
      assert.ok((sentence.match(/:(?= )/g) ?? []).length < 2, `${kind}: "${sentence}"`);
  }
});

test('each that something is to be done about has a first step and someone to call', () => {
  for (const kind of PAGING) {
    const { rootKnown, action } = of(kind);
    if (!rootKnown || action.kind === 'none') continue;
    assert.deepEqual(
      stepRows(of(kind), 'UTC').map(({ label }) => label),
      ['Now', 'Call'],
      kind,
    );
  }
});

test('a disk is not held to be the vendor’s diagnosis of a host, nor a checkpoint a network card', () => {
  for (const kind of [
    'storage.io_error',
    'storage.readonly',
    'storage.stall',
    'host.hung_task',
    'job.checkpoint_slow',
  ] as const)
    assert.doesNotMatch(texts(kind).join(' '), /diagnosis of its vendor|network cards/, kind);
});
