// A whole line: taken as it is only where the reader would write the very same bytes again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { incidentLine } from '../../../src/incidents/log/incident-lines.ts';
import { parseLine } from '../../../src/incidents/log/read-log.ts';
import { headlineOf } from '../../../src/incidents/log/whole-line.ts';
import { incidentFromDocument, incidentToDocument } from '../../../src/model/documents/incident.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { shownJson } from '../../../src/model/shown-json.ts';
import { runs } from '../../runs.ts';
import { random } from '../growing-incident.ts';
import { BRAKES, explanation, incident, link, SAG, smallIncident, T0 } from '../sample.ts';

const [BRAKE = SAG] = BRAKES;
const LOSS = { gpus: 8, share: 0.1, fromMs: T0, toMs: null, rate: { amount: 2.5, currency: 'EUR' } };
const hit = explanation().impact.map((impact) => ({ ...impact, loss: LOSS, text: '→ "\\' }));
const RICH = incident('aaaaaaaaaaaa', {
  state: 'resolved',
  resolvedMs: T0 + 7200.5,
  title: 'sag "→" 61 °C, kind ,"chain":[ and \\ of "kind":"gpu.lost"',
  pattern: 'feed_voltage_sag',
  chain: [link(SAG), link({ ...BRAKE, timeMs: T0 + 0.25, timeDigits: 6 }, [SAG.id], 600)],
  confidenceParts: [{ code: null, why: 'a "kind":"no.kind" → in a text', delta: -0.05 }],
  impact: hit,
  feedPath: ['pdu_phase/pdu-b-rack-14/1', 'psu/node-3/1'],
  evidence: [...SAG.evidence, { source: 'kernel-log', timeMs: T0 + 0.125, text: '\n"\\', place: 'dmesg.txt:3' }],
  unconfirmed: 'a line of the kernel',
  made: 'simulated',
});
const OPEN = incident('bbbbbbbbbbbb', { chain: [], evidence: [], alternatives: [], ruledOut: [], mergedInto: 'cccc' });
const bytesOf = (of: Incident): string => incidentLine(of).toString('latin1').slice(0, -1);

/** What the reader makes of a line, a letter a byte; null where it can be none. */
function writtenAgain(bytes: string): { readonly incident: Incident; readonly bytes: string } | null {
  const read = incidentFromDocument(parseLine(Buffer.from(bytes, 'latin1')));
  return read && { incident: read, bytes: Buffer.from(shownJson(incidentToDocument(read))).toString('latin1') };
}

/** Whether the line was taken; what it was taken for is what the reader reads. */
function isTakenRightly(bytes: string): boolean {
  const headline = headlineOf(bytes);
  if (headline === null) return false;
  const again = writtenAgain(bytes) ?? assert.fail(`not readable: ${bytes}`);
  assert.equal(again.bytes, bytes);
  const { id, revision, state, openedMs, updatedMs, severity, pattern, mergedInto, made, root } = again.incident;
  const its = { id, revision, state, openedMs, updatedMs, severity, pattern, mergedInto, root: { kind: root.kind } };
  assert.deepEqual(headline, made === undefined ? its : { ...its, made });
  return true;
}

test('lines of ours are taken as they are', () => {
  for (const one of [RICH, OPEN, smallIncident(7), smallIncident(8, 4, 'resolved')])
    assert.ok(isTakenRightly(bytesOf(one)), bytesOf(one));
});

test('what would be written differently, or counts on, is left to the reader', () => {
  const line = bytesOf(RICH);
  const changes: readonly (readonly [string, string])[] = [
    ['"lag_ms":600', '"lag_ms":600.0'],
    ['"lag_ms":600', '"lag_ms":-0'],
    ['"lag_ms":600', '"lag_ms":0.0000001'],
    ['"lag_ms":600', '"lag_ms":1e21'],
    ['"lag_ms":600', '"lag_ms":0.30000000000000005'],
    ['"gpu_hours":0.0016', '"gpu_hours":0.0017'],
    ['"to":null', '"to":"2026-11-27T14:31:00.000Z"'],
    ['"time_latest":"2026-11-27T14:32:00.000Z"', '"time_latest":"2026-11-27T14:32:00.000000Z"'],
    ['"time_latest":"2026-11-27T14:32:00.000Z"', '"time_latest":"2026-11-27T14:32:00Z"'],
    ['"time":"2026-11-27T14:32:00.000250Z"', '"time":"2026-11-27T14:32:00.0002501Z"'],
    ['"code":null', '"code":"no_such_code"'],
    ['"kind":"gpu.power_brake"', '"kind":"gpu.no_such_kind"'],
    ['"kind":"gpu.power_brake"', '"kind":"check_power_feed"'],
    ['"why":"no trend"', '"why":"no\\u0020trend"'],
    ['"why":"no trend"', '"why":"no\\/trend"'],
    ['"why":"no trend"', '"why":"no\x7ftrend"'],
    ['"why":"no trend"', '"why":"no\xe2\x80\xaetrend"'],
    ['"why":"no trend"', '"why":"no\xfftrend"'],
    ['"why":"no trend"', '"why":"see https://anna:secret@host/"'],
    ['"loss":{', '"traces":[],"loss":{'],
    ['"feed_path":[', `"feed_path":[${'"a/b",'.repeat(31)}`],
    ['"confirmed":false', '"confirmed":true'],
    ['"simulated":true', '"simulated":true,"injected":true'],
    ['"simulated":true', '"simulated":false'],
    ['"reopened":0,', ''],
    ['"trace_id":', '"stages":[],"trace_id":'],
  ];
  for (const [from, to] of changes) {
    assert.ok(line.includes(from), from);
    assert.equal(headlineOf(line.replace(from, to)), null, to);
  }
  assert.equal(headlineOf(bytesOf({ ...RICH, state: 'open', resolvedMs: null })), null, 'its GPU-hours count on');
});

test('any change of a line is taken only where the reader writes it again', () => {
  const next = random(11);
  const below = (most: number): number => Math.floor(next() * most);
  const lines = [RICH, OPEN, smallIncident(8, 4, 'resolved')].map(bytesOf);
  const pieces = ['0', '.', '-', '00', '"', '\\', '\\n', '\xe2\x86\x92', '\x80', ',', 'null', '"loss":null,', '9999999999', 'Z', '{}', '[]', 'e-7', '\\u0041', ' ']; // biome-ignore format: as a list
  let taken = 0;
  for (let i = 0; i < runs(6000, 600_000); i += 1) {
    const line = lines[i % lines.length] ?? '';
    const at = below(line.length);
    const other = below(line.length);
    const put = [
      pieces[below(pieces.length)] ?? '',
      line.slice(other, other + below(12)),
      String.fromCharCode(below(256)),
      String(below(10)),
    ][i % 4];
    if (isTakenRightly(line.slice(0, at) + put + line.slice(at + below(3)))) taken += 1;
  }
  assert.ok(taken > 300, `${taken}`);
});

test('numbers and times of any length are taken only where they are written again', () => {
  const next = random(13);
  const digits = (most: number): string => String(Math.floor(next() * 10 ** (1 + Math.floor(next() * most))));
  const line = bytesOf(RICH);
  const taken = { number: 0, time: 0 };
  for (let i = 0; i < runs(3000, 300_000); i += 1) {
    const number = `${next() < 0.3 ? '-' : ''}${next() < 0.3 ? '0' : digits(16)}.${'0'.repeat(next() * 8)}${digits(16)}`;
    if (isTakenRightly(line.replace('"lag_ms":600', `"lag_ms":${number}`))) taken.number += 1;
    const fraction = digits(9)
      .padStart(1 + next() * 8, '0')
      .slice(0, 9);
    const time = `${1968 + Math.floor(next() * 100)}-11-27T14:32:00.${fraction}Z`;
    if (isTakenRightly(line.replace('2026-11-27T14:32:00.000250Z', time))) taken.time += 1;
    if (isTakenRightly(line.replace(/(?<="time_latest":")[^"]*/, time))) taken.time += 1;
  }
  assert.ok(taken.number > 300 && taken.time > 300, JSON.stringify(taken));
});
