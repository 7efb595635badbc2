// A line without its lists: as the whole line is read, whatever its bytes are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutLists } from '../../../src/incidents/log/brief-line.ts';
import { incidentLine } from '../../../src/incidents/log/incident-lines.ts';
import { parseLine } from '../../../src/incidents/log/read-log.ts';
import { incidentFromDocument } from '../../../src/model/documents/incident.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { runs } from '../../runs.ts';
import { random } from '../growing-incident.ts';
import { BRAKES, explanation, incident, link, SAG, T0 } from '../sample.ts';

const [BRAKE = SAG] = BRAKES;
/** All that lists can have. */
const RICH = incident('aaaaaaaaaaaa', {
  title: 'sag "→" 61 °C, kind ,"chain":[ and \\',
  chain: [link(SAG), link({ ...BRAKE, timeMs: T0 + 0.25, timeDigits: 6 }, [SAG.id], 600)],
  confidenceParts: [{ code: null, why: 'a "kind":"no.kind" → in a text', delta: -0.05 }],
  impact: explanation().impact.map((impact) => ({
    ...impact,
    text: '→',
    traces: [{ traceId: '4bf92f', spanId: '00aa' }],
    loss: {
      gpus: 8,
      share: 0.1,
      fromMs: T0,
      toMs: null,
      rate: { amount: 2.5, currency: 'EUR' },
      elsewhere: [{ incidentId: 'bbbb', gpus: 2.5, fromMs: T0, toMs: T0 + 1000 }],
    },
  })),
  evidence: [...SAG.evidence, { source: 'kernel-log', timeMs: T0, text: '\u0001"\\', place: 'dmesg.txt:3' }],
  whose: [],
});
const lineOf = (of: Incident): Buffer => incidentLine(of).subarray(0, -1);
const bare = (of: Incident | null): Incident | null =>
  of && { ...of, confidenceParts: [], chain: [], impact: [], alternatives: [], ruledOut: [], evidence: [], events: [] };
const read = (line: string | Buffer): Incident | null => bare(incidentFromDocument(parseLine(line)));

test('a line of ours is read without its lists', () => {
  for (const one of [RICH, incident('b'), incident('c', { chain: [], evidence: [], impact: [], alternatives: [] })]) {
    const line = lineOf(one);
    const brief = withoutLists(line) ?? assert.fail(line.toString());
    assert.deepEqual(incidentFromDocument(parseLine(brief)), read(line));
    assert.ok(brief.length < 1200, brief);
  }
});

test('lists that would not be read are left to the reader', () => {
  const line = lineOf(RICH).toString();
  const changes: readonly (readonly [string, string])[] = [
    ['"kind":"gpu.power_brake"', '"kind":"gpu.no_such_kind"'],
    ['"lag_ms":600', '"lag_ms":"600"'],
    ['"lag_ms":600', '"lag_ms":1e999'],
    ['"time_latest":"2026-11-27', '"time_latest":"2026-02-30'],
    ['"currency":"EUR"', '"currency":null'],
    ['"type":"job"', '"type":"jobs"'],
    ['"caused_by":["e-sag"]', '"caused_by":[""]'],
    ['"gpus":8', '"gpus":-8'],
    ['"text":"→"', '"text":"\t"'],
  ];
  for (const [from, to] of changes) {
    assert.ok(line.includes(from), from);
    const changed = Buffer.from(line.replace(from, to));
    assert.equal(withoutLists(changed), null, to);
  }
});

test('any change of a line is read with and without its lists alike, or only by the reader', () => {
  const next = random(7);
  const good = lineOf(RICH);
  let taken = 0;
  for (let i = 0; i < runs(3000, 300_000); i += 1) {
    const line = Buffer.from(good);
    const at = Math.floor(next() * line.length);
    const other = Math.floor(next() * line.length);
    if (i % 3 === 0) line[at] = Math.floor(next() * 256);
    else if (i % 3 === 1) line[at] = line[other] ?? 0;
    else line.copy(line, at, other, Math.min(other + 12, line.length));
    const brief = withoutLists(line);
    if (brief === null) continue;
    taken += 1;
    assert.deepEqual(read(brief), read(line), line.toString());
  }
  assert.ok(taken > 300, `${taken}`);
});
