import assert from 'node:assert/strict';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recover } from '../../../src/incidents/log/recover.ts';
import { smallIncident } from '../sample.ts';
import { everything, folder, lines, names, openLog } from './folder.ts';

const DAY_MS = 86_400_000;
const ROTATED = /^incidents-\d{8}T\d{9}Z\.jsonl$/;

function rotated(directory: string): string[] {
  return names(directory).filter((name) => ROTATED.test(name));
}

test('a file is rotated before it grows over its cap, and nothing is lost or twice', async (t) => {
  const directory = folder(t);
  const { log, troubles } = openLog(directory, { maxBytes: 10_000, maxFiles: 1000 });
  for (let number = 0; number < 60; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await log.close();
  const files = names(directory);
  assert.ok(files.length > 5);
  for (const name of files) assert.ok(statSync(join(directory, name)).size <= 10_000, name);
  const ids = files.flatMap((name) => lines(join(directory, name))).map(([kind, id]) => `${kind} ${id}`);
  assert.equal(new Set(ids).size, 120);
  assert.equal(ids.length, 120);
  assert.equal((await everything(directory)).length, 60);
  assert.deepEqual(troubles, []);
});

test('rotated names sort in time, also where the clock was set back', async (t) => {
  const directory = folder(t);
  const times = [Date.UTC(2026, 10, 27), Date.UTC(2020, 0, 1), Date.UTC(2027, 5, 5)];
  let now = 0;
  const { log } = openLog(directory, { maxBytes: 1, maxAgeMs: Number.POSITIVE_INFINITY, now: () => now });
  for (const [number, time] of times.entries()) {
    await log.append(smallIncident(number * 2, 1, 'resolved'));
    now = time;
    await log.append(smallIncident(number * 2 + 1, 1, 'resolved'));
  }
  await log.close();
  const ids = rotated(directory).flatMap((name) =>
    lines(join(directory, name)).filter(([kind]) => kind === 'incident'),
  );
  assert.deepEqual(
    ids.map(([, id]) => Number.parseInt(id, 16)),
    [0, 1, 2, 3, 4],
  );
});

test('no more rotated files are kept than asked for, the oldest go', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory, { maxBytes: 5000, maxFiles: 3 });
  for (let number = 0; number < 40; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await log.close();
  assert.equal(rotated(directory).length, 3);
  const kept = (await everything(directory)).map(({ id }) => Number.parseInt(id, 16));
  assert.deepEqual(
    kept,
    Array.from({ length: kept.length }, (_, index) => 40 - kept.length + index),
  );
});

test('an incident that is still open never rotates away', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory, { maxBytes: 8000, maxFiles: 2 });
  await log.append(smallIncident(999));
  for (let number = 0; number < 60; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await log.close();
  const { openIncidents } = await recover(directory);
  assert.deepEqual(openIncidents, [smallIncident(999)]);
});

test('a restored incident is carried into new files too', async (t) => {
  const directory = folder(t);
  const first = openLog(directory).log;
  await first.append(smallIncident(999));
  await first.close();
  const { openIncidents } = await recover(directory);
  const { log } = openLog(directory, { restored: openIncidents, maxBytes: 8000, maxFiles: 1 });
  for (let number = 0; number < 40; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await log.close();
  assert.deepEqual((await recover(directory)).openIncidents, [smallIncident(999)]);
});

test('no line is older than the age that is allowed', async (t) => {
  const directory = folder(t);
  let now = Date.now();
  const { log } = openLog(directory, { maxAgeMs: 10 * DAY_MS, now: () => now });
  for (let day = 0; day < 40; day += 1) {
    await log.append(smallIncident(day, 1, 'resolved'));
    now += DAY_MS;
  }
  await log.close();
  const kept = (await everything(directory)).map(({ id }) => Number.parseInt(id, 16));
  assert.equal(kept.at(-1), 39);
  assert.ok((kept[0] ?? 0) >= 29, `day ${kept[0]}`);
  assert.ok((kept[0] ?? 40) <= 35, `day ${kept[0]}`);
});

test('torn pieces go when they are too old', async (t) => {
  const directory = folder(t);
  for (const [number, days] of [
    [1, 20],
    [2, 5],
  ] as const) {
    const path = join(directory, `incidents.jsonl.torn-${number}`);
    writeFileSync(path, '{"half');
    utimesSync(path, Date.now() / 1000, Date.now() / 1000 - days * 86_400);
  }
  const { log } = openLog(directory, { maxAgeMs: 10 * DAY_MS });
  await log.append(smallIncident(1));
  await log.close();
  assert.deepEqual(names(directory), ['incidents.jsonl', 'incidents.jsonl.torn-2']);
});

test('files that are not ours are left alone', async (t) => {
  const directory = folder(t);
  for (const name of ['incidents-old.jsonl', 'incidents.jsonl.gz', 'notes.txt'])
    writeFileSync(join(directory, name), 'x');
  const { log } = openLog(directory, { maxBytes: 1, maxFiles: 0, maxAgeMs: 1 });
  for (let number = 0; number < 3; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await log.close();
  assert.deepEqual(names(directory), ['incidents-old.jsonl', 'incidents.jsonl', 'incidents.jsonl.gz', 'notes.txt']);
});

test('a start reads the newest two files only, and they tell all that is open', async (t) => {
  const directory = folder(t);
  const { log } = openLog(directory, { maxBytes: 20_000, maxFiles: 100 });
  await log.append(smallIncident(998));
  await log.append(smallIncident(999));
  await log.append(smallIncident(999, 2));
  for (let number = 0; number < 60; number += 1) await log.append(smallIncident(number, 1, 'resolved'));
  await log.close();
  const before = rotated(directory);
  assert.ok(before.length > 3);
  for (const name of before.slice(0, -1)) writeFileSync(join(directory, name), 'garbage\n');
  const { openIncidents, notes, warnings } = await recover(directory);
  assert.deepEqual([openIncidents, notes, warnings], [[smallIncident(998), smallIncident(999, 2)], [], []]);
});
