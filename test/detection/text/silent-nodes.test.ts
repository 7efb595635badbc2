// Nodes that slurmctld calls silent, in the log of a job and in a syslog: each by its name, over once it answers, as a scan has it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { componentText } from '../../../src/model/component.ts';
import type { EventInput, TextRecord } from '../../../src/model/record.ts';
import { jobRecord, kernelRecord, START_MS } from './lines.ts';

const SILENT = 'error: Nodes gx-[01-03,07] not responding';
const DOWN = 'error: Nodes gx-[01-02] not responding, setting DOWN';
const BACK = 'Node gx-01 now responding';
const NODES = ['gx-01', 'gx-02', 'gx-03', 'gx-07'];

const said = (events: readonly EventInput[]): string[] =>
  events.map(({ kind, component, state = 'point', severity = '' }) =>
    `${kind} ${component === null ? '' : componentText(component)} ${state} ${severity}`.trim(),
  );

const ofDaemon = (record: TextRecord): TextRecord => ({
  ...record,
  trust: 'system',
  attributes: { priority: 4, facility: 3 },
});

const PATHS: readonly (readonly [string, (text: string, at: number) => TextRecord])[] = [
  ['job log', (text, at) => jobRecord(`[2026-11-29T02:10:02.112] ${text}`, at, START_MS + at * 40_000)],
  ['syslog', (text, at) => ofDaemon(kernelRecord(`slurmctld[812]: ${text}`, at, START_MS + at * 40_000))],
];

for (const [name, record] of PATHS) {
  test(`${name}: one of each node, a warning until it is set down, and its end`, () => {
    const detection = new TextDetection('gx-99');
    const decoded = (text: string, at: number) => said(detection.decode(record(text, at)).events);
    assert.deepEqual(
      decoded(SILENT, 1),
      NODES.map((node) => `host.down host/${node} point warning`),
    );
    assert.deepEqual(decoded(DOWN, 2), ['host.down host/gx-01 point critical', 'host.down host/gx-02 point critical']);
    assert.deepEqual(decoded(BACK, 3), ['host.down host/gx-01 clear']);
  });
}

test('a program that speaks of nodes in its own words loses none', () => {
  const detection = new TextDetection('gx-99');
  for (const text of ['worker Nodes gx-01 not responding to my question', 'Node gx-01 now responding faster'])
    assert.deepEqual(said(detection.decode(jobRecord(text, 1)).events), []);
});
