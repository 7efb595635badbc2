// Revisions that say what changed: every reader of the log makes them whole again, wherever the lines before them are.

import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loggedAfter } from '../../../src/incidents/log/after.ts';
import { followLog } from '../../../src/incidents/log/follow.ts';
import { loadIncidents } from '../../../src/incidents/log/load.ts';
import { parseLine } from '../../../src/incidents/log/read-log.ts';
import { recover } from '../../../src/incidents/log/recover.ts';
import { Revisions } from '../../../src/incidents/log/revisions.ts';
import { renderIncidentLine } from '../../../src/incidents/report/line.ts';
import { incidentFromDocument, incidentToDocument } from '../../../src/model/documents/incident.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { runs } from '../../runs.ts';
import { growing, random } from '../growing-incident.ts';
import { everything, folder, openLog, until } from './folder.ts';

const CURRENT = 'incidents.jsonl';
/** As a reader has it: times as the documents write them. */
const read = (incident: Incident): Incident => incidentFromDocument(incidentToDocument(incident)) ?? assert.fail();
const bare = (incident: Incident): Incident => ({ ...incident, events: [] });
const documents = (path: string): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const revisionsIn = (path: string) => documents(path).filter(({ schema }) => schema === 'faultline/incident/1');
const same = (found: Incident | undefined, wanted: Incident): void =>
  assert.deepEqual(found && bare(found), bare(read(wanted)));

/** Three incidents with their revisions mixed, each written once the one before is on disk, or all at once. */
async function written(
  t: TestContext,
  seed: number,
  options: Parameters<typeof openLog>[1] & { at?: string; burst?: boolean } = {},
): Promise<{ directory: string; order: Incident[]; last: Incident[] }> {
  const directory = options.at ?? folder(t);
  const next = random(seed + 1000);
  const queues = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb', 'cccccccccccc'].map((id, i) => growing(id, 16, seed * 3 + i));
  const last = queues.map((queue) => queue.at(-1) ?? assert.fail());
  const { log } = openLog(directory, options);
  const order: Incident[] = [];
  while (queues.some((queue) => queue.length > 0)) {
    const incident = queues[Math.floor(next() * queues.length)]?.shift();
    if (incident === undefined) continue;
    order.push(incident);
    const done = log.append(incident);
    if (options.burst !== true) await done;
  }
  await log.close(30_000);
  return { directory, order, last };
}

const byId = (incidents: readonly Incident[]) => new Map(incidents.map((incident) => [incident.id, incident]));

test('whatever changes, the newest revision is read as it was written, with its events', async (t) => {
  for (let seed = 0; seed < runs(6, 300); seed += 1) {
    const { directory, last } = await written(t, seed, { burst: seed % 2 === 0 });
    const found = byId(await everything(directory));
    for (const incident of last) {
      same(found.get(incident.id), incident);
      assert.deepEqual(found.get(incident.id)?.events, incident.events);
    }
    const deltas = revisionsIn(join(directory, CURRENT)).filter(({ since_revision }) => since_revision !== undefined);
    assert.ok(deltas.length >= 40, `${deltas.length} of 48 revisions say what changed`);
  }
});

test('in brief each incident is listed as it is when read whole, also where its newest line is damaged', async (t) => {
  const load = async (directory: string, brief: boolean) => {
    const options = { limit: 100, withEvents: () => false, evidence: false, brief };
    const { incidents, warnings } = await loadIncidents(directory, options);
    return { lines: incidents.map((incident) => renderIncidentLine(incident)), warnings: warnings.list() };
  };
  for (let seed = 0; seed < runs(4, 100); seed += 1) {
    const { directory } = await written(t, seed);
    const whole = await load(directory, false);
    assert.equal(whole.lines.length, 3);
    assert.deepEqual(await load(directory, true), whole);
    const path = join(directory, CURRENT);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    const last = lines.findLastIndex((line) => line.includes('"since_revision"'));
    // Its two ends are as they were: only whoever parses it finds out.
    const damaged = lines.map((line, index) => (index === last ? line.replace('"severity":"', '"severity":') : line));
    writeFileSync(path, `${damaged.join('\n')}\n`);
    const after = await load(directory, false);
    assert.equal(after.warnings.length, 1);
    assert.deepEqual(await load(directory, true), after);
  }
});

test('files that are rotated away take no revision with them that is still open', async (t) => {
  for (let seed = 0; seed < runs(4, 100); seed += 1) {
    let clock = Date.now();
    const { directory, last } = await written(t, seed, {
      maxFiles: 1,
      maxAgeMs: 2 * 60_000,
      now: () => (clock += 11_000),
    });
    assert.equal(readdirSync(directory).filter((name) => name.startsWith('incidents-')).length, 1);
    const found = byId(await everything(directory));
    const { openIncidents } = await recover(directory);
    const restored = byId(openIncidents);
    for (const incident of last.filter(({ state }) => state === 'open')) {
      same(found.get(incident.id), incident);
      same(restored.get(incident.id), incident);
      assert.deepEqual(restored.get(incident.id)?.events, incident.events);
    }
  }
});

test('a log that ends anywhere is read up to its last whole revision, also by the next daemon, which continues', async (t) => {
  const { directory, order } = await written(t, 5);
  const path = join(directory, CURRENT);
  const whole = readFileSync(path);
  const next = random(9);
  for (let round = 0; round < runs(12, 500); round += 1) {
    const size = Math.floor(next() * whole.length);
    writeFileSync(path, whole.subarray(0, size));
    const { openIncidents, incidents } = await recover(directory);
    const count = revisionsIn(path).length;
    const expected = byId(order.slice(0, count));
    assert.equal(incidents.length, expected.size);
    for (const incident of incidents) same(incident, expected.get(incident.id) ?? assert.fail());
    const { log } = openLog(directory, { restored: openIncidents });
    const more = openIncidents.map((one) => ({ ...one, revision: one.revision + 1, title: 'after the crash' }));
    for (const one of more) await log.append(one);
    await log.close();
    const found = byId(await everything(directory));
    for (const one of more) same(found.get(one.id), one);
  }
});

test('each revision that was not sent comes whole, from whatever place in the log', async (t) => {
  for (const options of [{}, { maxBytes: 150_000, maxFiles: 9 }]) {
    const { directory, order } = await written(t, 7, options);
    const from = order.length - 9;
    const mark = order[from - 1] ?? assert.fail();
    const near = (
      await loadIncidents(directory, {
        limit: 9,
        withEvents: () => true,
        upTo: (id) => (id === mark.id ? mark.revision : 0),
      })
    ).placeOf(mark);
    for (const place of [null, near]) {
      const behind = (await loggedAfter(directory, mark, place)).flatMap((entry) =>
        'incident' in entry ? [entry.incident] : [],
      );
      assert.equal(behind.length, 9);
      for (const [i, incident] of behind.entries()) same(incident, order[from + i] ?? assert.fail());
    }
  }
});

test('whoever follows the log gets each revision whole, through rotation', async (t) => {
  const directory = folder(t);
  const stop = new AbortController();
  const revisions = new Revisions([]);
  const seen: Incident[] = [];
  const following = followLog(
    directory,
    (line) => {
      const incident = revisions.take(parseLine(line));
      if (incident !== null) seen.push(incident);
    },
    stop.signal,
    20,
  );
  const { order } = await written(t, 11, { at: directory, maxBytes: 90_000 });
  await until(() => seen.length === order.length, { seen: () => seen.length }).finally(() => stop.abort());
  await following;
  for (const [i, incident] of seen.entries()) same(incident, order[i] ?? assert.fail());
});

test('a log of an earlier release is read as before, and continues with what changed', async (t) => {
  const directory = folder(t);
  const old = growing('dddddddddddd', 6, 3);
  const whole = old.map((incident) => `${JSON.stringify(incidentToDocument(incident))}\n`);
  writeFileSync(join(directory, CURRENT), whole.join(''));
  same((await everything(directory))[0], old[5] ?? assert.fail());
  const { order } = await written(t, 13, { at: directory });
  appendFileSync(
    join(directory, CURRENT),
    `${JSON.stringify(incidentToDocument({ ...read(order[0] ?? assert.fail()), revision: 900 }))}\n`,
  );
  const found = byId(await everything(directory));
  same(found.get('dddddddddddd'), old[5] ?? assert.fail());
  assert.equal(found.get(order[0]?.id ?? '')?.revision, 900);
});

test('where the file with what went before is gone, the line itself still says state, title, root and what to do', async (t) => {
  const { directory, last } = await written(t, 17, { maxBytes: 60_000, maxFiles: 99 });
  const path = join(directory, CURRENT);
  for (const name of readdirSync(directory)) if (name !== CURRENT) unlinkSync(join(directory, name));
  // And no whole revision at the beginning of the file either.
  const deltas = revisionsIn(path).filter(({ since_revision }) => since_revision !== undefined);
  writeFileSync(path, deltas.map((document) => `${JSON.stringify(document)}\n`).join(''));
  const wanted = byId(last);
  const found = await everything(directory);
  assert.ok(found.length > 0);
  for (const incident of found) {
    const { state, title, root, severity, confidence, action, revision } = wanted.get(incident.id) ?? assert.fail();
    assert.deepEqual(
      [
        incident.state,
        incident.title,
        incident.root,
        incident.severity,
        incident.confidence,
        incident.action,
        incident.revision,
      ],
      [state, title, root, severity, confidence, action, revision],
    );
  }
});

test('after lines that had to be given up the next revision is whole', async (t) => {
  const directory = folder(t);
  const all = growing('eeeeeeeeeeee', 30, 21, { state: 'open', resolvedMs: null });
  let full = true;
  const { openForAppending } = await import('../../../src/incidents/log/files.ts');
  const open = async (path: string) => {
    if (full) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return await openForAppending(path);
  };
  const { log } = openLog(directory, { open, backlogBytes: 40_000 });
  for (const incident of all.slice(0, 29)) await log.append(incident);
  full = false;
  await until(() => log.trouble() === null);
  await log.append(all[29] ?? assert.fail());
  await log.close();
  assert.ok(log.counts().dropped > 0);
  same((await everything(directory))[0], all[29] ?? assert.fail());
});

test('a file that was cut to nothing begins again with what is whole', async (t) => {
  const directory = folder(t);
  const all = growing('ffffffffffff', 8, 23, { state: 'open', resolvedMs: null });
  const { log } = openLog(directory);
  for (const incident of all.slice(0, 6)) await log.append(incident);
  truncateSync(join(directory, CURRENT), 0);
  for (const incident of all.slice(6)) await log.append(incident);
  await log.close();
  same((await everything(directory))[0], all[7] ?? assert.fail());
});

test('every line has every field of the contract, and what changed is small', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory);
  const all = growing('abcabcabcabc', 100, 29);
  for (const incident of all) await log.append(incident);
  await log.close();
  const path = join(directory, CURRENT);
  const [first, ...rest] = revisionsIn(path);
  const fields = Object.keys(incidentToDocument(all[0] ?? assert.fail()));
  for (const document of [first ?? assert.fail(), ...rest]) {
    for (const field of fields) assert.ok(field in document, `${field} of revision ${document.revision}`);
    for (const field of ['chain', 'evidence', 'confidence_parts', 'impact', 'alternatives'])
      assert.ok(Array.isArray(document[field]));
  }
  const sizes = rest.map((document) => JSON.stringify(document).length);
  const wholes = all.map((incident) => JSON.stringify(incidentToDocument(incident)).length);
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
  assert.ok(Math.max(...sizes) < 4096, `${Math.max(...sizes)} bytes`);
  assert.ok(sum(sizes) * 10 < sum(wholes), `${sum(sizes)} of ${sum(wholes)} bytes`);
});
