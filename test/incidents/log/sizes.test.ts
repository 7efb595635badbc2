// Sizes: what one incident takes in the log, line by line: whoever reads it at night with `tail -F` and `jq` has to get through it.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { IncidentLog } from '../../../src/incidents/log/incident-log.ts';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
import { parseLine } from '../../../src/incidents/log/read-log.ts';
import { RevisionLines } from '../../../src/incidents/log/revision-lines.ts';
import { incidentFromDocument } from '../../../src/model/documents/incident.ts';
import { draftFrom, wholeOf } from '../../../src/model/documents/incident-draft.ts';
import type { ChainLink, Incident } from '../../../src/model/incident.ts';
import { play } from '../../../src/simulator/corpus/play.ts';
import { loadScenario } from '../../../src/simulator/scenario/load.ts';
import { growing } from '../growing-incident.ts';
import { event, gpu, incident, link, T0 } from '../sample.ts';

const KB = 1024;

/** Each physical line, without its end. */
function linesOf(bytes: Buffer): Buffer[] {
  return bytes.toString().split('\n').slice(0, -1).map((line) => Buffer.from(line)); // biome-ignore format: one line
}

function sizes(revisions: readonly Incident[]): { total: number; longest: number } {
  const lines = new RevisionLines();
  const all = revisions.flatMap((revision) => linesOf(lines.line(revision)).map((line) => line.length + 1));
  return { total: all.reduce((sum, size) => sum + size, 0), longest: Math.max(...all) };
}

test("the demo's incident takes 40 KB of the log at most, in lines that fit a screen", async () => {
  for (const name of ['power-sag', 'gpu-lost', 'thermal']) {
    const byId = new Map<string, Incident[]>();
    await play(loadScenario(name, 0), {
      onIncident: (one) => byId.set(one.id, [...(byId.get(one.id) ?? []), one]),
    });
    assert.ok(byId.size > 0, name);
    for (const revisions of byId.values()) {
      const { total, longest } = sizes(revisions);
      assert.ok(total <= 40 * KB, `${name}: ${total} bytes`);
      assert.ok(longest <= 4 * KB, `${name}: a line of ${longest} bytes`);
    }
  }
});

test('a storm of 100 revisions takes lines of 4 KB at most, and of a third of that in the mean', () => {
  for (const seed of [3, 29, 71]) {
    const { total, longest } = sizes(growing('abcabcabcabc', 100, seed));
    assert.ok(longest <= 4 * KB, `a line of ${longest} bytes`);
    assert.ok(total <= 160 * KB, `${total} bytes`);
  }
});

/** A chain of 64 links and an incident of 60 members, each with evidence that is its own and text that people write. */
function large(links: number, revision: number): Incident {
  const events = Array.from({ length: links }, (_, i) => {
    const text = `NVRM: Xid (PCI:0000:1b:00): ${i}, pid=4711, name=python, Ch 00000008, errorString CTX SWITCH TIMEOUT, Info 0x4c019`;
    return event(`large-${i}`, 'gpu.power_limit_changed', gpu(i), {
      evidence: [{ source: 'kernel-log', timeMs: T0 + i, text }],
    });
  });
  const ids = events.map(({ id }) => id);
  const chain = events.map((one, i) => link(one, i === 0 ? [] : ids.slice(Math.max(0, i - 1 - (i % 7)), i), 12.5 * i));
  const why = 'as often right as that in the calibration scenarios, "where no event of work followed" – ';
  return incident('abcabcabcabd', {
    revision,
    events,
    chain,
    evidence: events.flatMap((one) => one.evidence),
    alternatives: Array.from({ length: 8 }, (_, i) => ({ root: { kind: 'gpu.fault' as const, component: gpu(i) }, confidence: 0.1, why: `${why}${i}` })), // biome-ignore format: one line
    ruledOut: Array.from({ length: 12 }, (_, i) => ({ what: `what ${i}`, why: `${why}${i}` })),
  });
}

test('64 links, 60 members: lines of 4 KB at most, 40 KB together, and read back whole', async (t) => {
  for (const links of [9, 60, 64]) {
    const revisions = [large(3, 1), large(links, 2), { ...large(links, 3), title: 'another title' }];
    const { total, longest } = sizes(revisions);
    assert.ok(longest <= 4 * KB, `${links} links: a line of ${longest} bytes`);
    t.diagnostic(`${links} links: ${total} bytes in three revisions, the longest line ${longest}`);
    assert.ok(total <= 40 * KB, `${links} links: ${total} bytes`);
    const directory = mkdtempSync(join(tmpdir(), 'fl-sizes-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const log = new IncidentLog({ directory, maxBytes: 1e7, maxFiles: 2, maxAgeMs: 1e9, onTrouble: (code) => assert.fail(code) }); // biome-ignore format: one line
    for (const revision of revisions) await log.append(revision);
    await log.close();
    const text = readFileSync(join(directory, 'incidents.jsonl'), 'utf8');
    const documents = text.trimEnd().split('\n').map((line) => JSON.parse(line)); // biome-ignore format: one line
    assert.ok(
      documents.some(({ schema }) => schema === 'faultline/incident_part/1'),
      'nothing was too long',
    );
    for (const document of documents.filter(({ schema }) => schema === 'faultline/incident/1'))
      assert.ok(incidentFromDocument(document) !== null, 'a line alone is an incident');
    const { incidents, warnings } = await loadIncidents(directory, { limit: 10, withEvents: () => true });
    assert.deepEqual(warnings.list(), []);
    assert.deepEqual(incidents, [{ ...revisions[2], log: 'written' }]);
  }
});

const HUGE: readonly (readonly [string, string])[] = [
  ['letters', 'x'.repeat(KB * KB)],
  ['quotation marks', '"\\'.repeat(3000)],
  ['letters of three bytes', '電'.repeat(4000)],
  ['letters of four bytes', '🔥'.repeat(4000)],
  ['what JSON escapes', '\u0001\u202e'.repeat(4000)],
];

for (const [what, text] of HUGE) {
  test(`one huge piece of evidence, ${what}: its beginning, in lines of 4 KB at most, in each revision`, async (t) => {
    for (const place of ['a.log:1', `${'deep/'.repeat(1000)}a.log:1`]) {
      const seen = { source: 'job-log', timeMs: T0, text, place };
      const of = (revision: number, count: number): Incident => {
        const ids = Array.from({ length: count }, (_, i) => i);
        const events = ids.map((i) => event(`e-${i}`, 'gpu.power_cap', gpu(i), { evidence: [{ ...seen, text: `${i}${text}` }] })); // biome-ignore format: one line
        const chain = events.map((one) => link(one));
        return incident('abcabcabcabf', { revision, events, chain, evidence: [seen, ...events.flatMap((one) => one.evidence)] }); // biome-ignore format: one line
      };
      const directory = mkdtempSync(join(tmpdir(), 'fl-sizes-'));
      t.after(() => rmSync(directory, { recursive: true }));
      const log = new IncidentLog({ directory, maxBytes: 1e7, maxFiles: 2, maxAgeMs: 1e9, onTrouble: (code) => assert.fail(code) }); // biome-ignore format: one line
      for (const revision of [of(1, 1), of(2, 3)]) assert.equal((await log.append(revision)).log, 'written');
      await log.close();
      const lines = linesOf(readFileSync(join(directory, 'incidents.jsonl')));
      assert.ok(Math.max(...lines.map(({ length }) => length)) < 4 * KB, String(lines.map(({ length }) => length)));
      const { incidents, warnings } = await loadIncidents(directory, { limit: 10, withEvents: () => true });
      assert.deepEqual(warnings.list(), []);
      const read = incidents.flatMap(({ evidence }) => evidence.map((one) => ('text' in one ? one.text : '')));
      assert.equal(read.length, 4);
      for (const [i, short] of read.entries()) {
        assert.match(short, /\.\.\.$/);
        assert.ok(`${i === 0 ? '' : i - 1}${text}`.startsWith(short.slice(0, -3)), 'no beginning of it');
        assert.ok(Buffer.byteLength(JSON.stringify(short)) > 1.5 * KB, `${short.length} are left`);
        assert.ok(short.isWellFormed(), 'half of a character');
      }
    }
  });
}

test('evidence of the 2 KiB that a source gives is written whole', () => {
  const seen = { source: 'kernel-log', timeMs: T0, text: `{"msg":"${'Xid '.repeat(500)}"}`, place: 'a.log:1' };
  const lines = new RevisionLines().line(incident('abcabcabcabf', { evidence: [seen] })).toString();
  assert.ok(lines.includes(JSON.stringify(seen.text)));
});

test('parts whose revision a crash took are left out, and what follows is read', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'fl-sizes-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const lines = linesOf(new RevisionLines().line(large(64, 1)));
  const small = incident('abcabcabcabe', { revision: 1, log: 'written' });
  const after = linesOf(new RevisionLines().line(small));
  writeFileSync(join(directory, 'incidents.jsonl'), `${[...lines.slice(0, -1), ...after].join('\n')}\n`);
  const { incidents, warnings } = await loadIncidents(directory, { limit: 10, withEvents: () => true });
  assert.deepEqual(incidents.map(({ id, chain }) => [id, chain.length]), [[small.id, small.chain.length]]); // biome-ignore format: one line
  assert.deepEqual(warnings.list(), []);
});

test('causes that neighbouring links share are written once, and read as they were', () => {
  const roots = Array.from({ length: 8 }, (_, i) => event(`root-${i}`, 'gpu.power_cap', gpu(i)));
  const effects = Array.from({ length: 8 }, (_, i) => event(`effect-${i}`, 'gpu.power_limit_changed', gpu(i)));
  const ids = roots.map(({ id }) => id);
  const before = incident('abcabcabcabc', { revision: 1, events: roots, chain: roots.map((one) => link(one)) });
  const chain: readonly ChainLink[] = [...before.chain, ...effects.map((one) => link(one, ids, 12.5))];
  const after = incident('abcabcabcabc', { revision: 2, events: [...roots, ...effects], chain });
  const lines = new RevisionLines();
  const written = [before, after].map((one) => parseLine(lines.line(one).subarray(0, -1)) ?? assert.fail());
  const second = written[1] as { chain: { caused_by: string[] }[]; delta: object };
  const few = second.chain.map(({ caused_by: causes }) => causes.length);
  assert.deepEqual(few, effects.map(() => 1)); // biome-ignore format: one line
  const events = new Map(after.events.map((one) => [one.id, one]));
  for (const known of [draftFrom(written[0], null), null]) {
    const draft = draftFrom(written[1], known) ?? assert.fail();
    const read = wholeOf(draft, (id) => events.get(id)).chain.filter(({ eventId }) => eventId.startsWith('effect'));
    assert.deepEqual(read.map(({ causedBy }) => causedBy), effects.map(() => ids)); // biome-ignore format: one line
  }
  for (const odd of [[['x', 2, ids]], [[0, 9e9, ids]], [[-5, 2, [7, null]]], 'what', [null]]) {
    const document = { ...second, delta: { ...second.delta, caused_by: odd } };
    assert.equal(draftFrom(document, null)?.incident.chain.length, 8);
  }
});
