// Sizes: what one incident takes in the log, line by line: whoever reads it at night with `tail -F` and `jq` has to get through it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RevisionLines } from '../../../src/incidents/log/revision-lines.ts';
import { draftFrom, wholeOf } from '../../../src/model/documents/incident-draft.ts';
import type { ChainLink, Incident } from '../../../src/model/incident.ts';
import { play } from '../../../src/simulator/corpus/play.ts';
import { loadScenario } from '../../../src/simulator/scenario/load.ts';
import { growing } from '../growing-incident.ts';
import { event, gpu, incident, link } from '../sample.ts';

const KB = 1024;

function sizes(revisions: readonly Incident[]): { total: number; longest: number } {
  const lines = new RevisionLines();
  const all = revisions.map((revision) => lines.line(revision).length);
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
      assert.ok(longest <= 5 * KB, `${name}: a line of ${longest} bytes`);
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

test('causes that neighbouring links share are written once, and read as they were', () => {
  const roots = Array.from({ length: 8 }, (_, i) => event(`root-${i}`, 'gpu.power_cap', gpu(i)));
  const effects = Array.from({ length: 8 }, (_, i) => event(`effect-${i}`, 'gpu.power_limit_changed', gpu(i)));
  const ids = roots.map(({ id }) => id);
  const before = incident('abcabcabcabc', { revision: 1, events: roots, chain: roots.map((one) => link(one)) });
  const chain: readonly ChainLink[] = [...before.chain, ...effects.map((one) => link(one, ids, 12.5))];
  const after = incident('abcabcabcabc', { revision: 2, events: [...roots, ...effects], chain });
  const lines = new RevisionLines();
  const written = [before, after].map((one) => JSON.parse(lines.line(one).toString()));
  const few = written[1].chain.map(({ caused_by: causes }: { caused_by: string[] }) => causes.length);
  assert.deepEqual(few, effects.map(() => 1)); // biome-ignore format: one line
  const events = new Map(after.events.map((one) => [one.id, one]));
  for (const known of [draftFrom(written[0], null), null]) {
    const draft = draftFrom(written[1], known) ?? assert.fail();
    const read = wholeOf(draft, (id) => events.get(id)).chain.filter(({ eventId }) => eventId.startsWith('effect'));
    assert.deepEqual(read.map(({ causedBy }) => causedBy), effects.map(() => ids)); // biome-ignore format: one line
  }
  for (const odd of [[['x', 2, ids]], [[0, 9e9, ids]], [[-5, 2, [7, null]]], 'what', [null]]) {
    const document = { ...written[1], delta: { ...written[1].delta, caused_by: odd } };
    assert.equal(draftFrom(document, null)?.incident.chain.length, 8);
  }
});
