// Incidents of all runs, as the API finds them: in memory where that is enough, else in the log, in a thread of its own.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Recent } from '../../src/api/recent.ts';
import { History } from '../../src/daemon/history.ts';
import { IncidentLog } from '../../src/incidents/log/incident-log.ts';
import { makeNote } from '../../src/model/documents/note.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { Note } from '../../src/model/note.ts';
import { smallIncident, T0 } from '../incidents/sample.ts';

const NOW = T0 + 3_600_000;
const ACK: Note = makeNote({ kind: 'ack', host: 'node-3', atMs: T0, by: 'anna', note: null, incidentId: idOf(3) });

function idOf(number: number): string {
  return number.toString(16).padStart(12, '0');
}

/** Resolved a second after it opened. */
function over(number: number): readonly [Incident, Incident] {
  const open = smallIncident(number);
  const endMs = open.openedMs + 1000;
  const resolved = { ...open, state: 'resolved', revision: 2, updatedMs: endMs, resolvedMs: endMs } as const;
  return [{ ...open, updatedMs: open.openedMs }, resolved];
}

describe('incidents of all runs', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fl-history-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  function logOf(maxBytes = 1 << 30, maxFiles = 100): IncidentLog {
    const caps = { maxBytes, maxFiles, maxAgeMs: 1e15 };
    return new IncidentLog({ directory, ...caps, onTrouble: assert.fail, deadlineMs: 60_000 });
  }

  /** What an earlier run left: so many incidents that are over. */
  async function earlier(count: number, maxBytes?: number, maxFiles?: number): Promise<void> {
    const log = logOf(maxBytes, maxFiles);
    for (let number = 0; number < count; number += 1) for (const one of over(number)) await log.append(one);
    await log.appendNote(ACK);
    await log.close();
  }

  const find = (history: History, parameters: string, want: 'page' | 'groups' | 'statistics' = 'page') =>
    history.find({ parameters, nowMs: NOW, want });

  const numbers = (incidents: readonly Incident[]) => incidents.map(({ id }) => Number.parseInt(id, 16));

  test('finds those of earlier runs, over rotation, in parts that are whole while the list grows', async () => {
    await earlier(40, 64 * 1024);
    assert.ok(readdirSync(directory).length > 1, 'the log has rotated');
    const recent = new Recent(NOW);
    const history = new History({ recent, directory });
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const part: Awaited<ReturnType<typeof find>> = await find(history, `limit=15${cursor && `&cursor=${cursor}`}`);
      seen.push(...numbers(part.incidents));
      cursor = part.nextCursor;
      if (seen.length > 15) continue;
      const log = logOf();
      recent.incident(await log.append(smallIncident(50)));
      await log.close();
    }
    assert.deepEqual(seen, [...Array(40).keys()].reverse());
  });

  test('ids that the log does not have cost a tenth of the time at most; one that it has is found all the same', async () => {
    await earlier(5);
    const history = new History({ recent: new Recent(NOW), directory });
    await find(history, 'limit=5');
    assert.equal(await history.one('feedfeedfeed'), null);
    await assert.rejects(history.one('beefbeefbeef'), /ids that the incident log does not have/);
    assert.equal((await history.one(idOf(3)))?.incident.id, idOf(3), 'it was listed');
  });

  test('the digits of an id that people are shown are enough, also of an earlier run; of several it says which', async () => {
    await earlier(2);
    const log = logOf();
    await log.append({ ...smallIncident(8), id: 'abcdef012345' });
    await log.close();
    const recent = new Recent(NOW);
    recent.incident({ ...smallIncident(9), id: 'beef01020304' });
    const history = new History({ recent, directory });
    for (const [given, id] of [
      ['beef01', 'beef01020304'],
      ['BEEF', 'beef01020304'],
      ['abcdef', 'abcdef012345'],
    ] as const)
      assert.equal((await history.one(given))?.incident.id, id);
    for (const given of ['0000', '00000000000'])
      await assert.rejects(history.one(given), { code: 'FL4124', message: /: 000000000000, 000000000001\. Give more/ });
    for (const given of ['bee', 'beef 1', '../beef']) assert.equal(await history.one(given), null);
  });

  test('a part that would be too much for one answer ends earlier, and continues where it ended', async () => {
    const log = logOf();
    const text = 'x'.repeat(3_200);
    for (let number = 0; number < 12; number += 1) {
      const [open] = over(number);
      const evidence = Array.from({ length: 400 }, (_, i) => ({
        source: 'job-log',
        timeMs: T0 + i,
        text: `${i} ${text}`,
      }));
      await log.append({ ...open, evidence });
    }
    await log.close();
    const history = new History({ recent: new Recent(NOW), directory });
    const seen: number[] = [];
    const parts: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const part: Awaited<ReturnType<typeof find>> = await find(history, `limit=100${cursor && `&cursor=${cursor}`}`);
      parts.push(part.incidents.length);
      seen.push(...numbers(part.incidents));
      cursor = part.nextCursor;
    }
    assert.deepEqual(seen, [...Array(12).keys()].reverse());
    assert.ok(parts.length > 1 && parts.every((count) => count > 0), parts.join());
  });

  test('has the newest revision whole, with its evidence and what was said', async () => {
    await earlier(5);
    const history = new History({ recent: new Recent(NOW), directory });
    const { incidents, said, total } = await find(history, 'kind=gpu.lost&component=gpu/0000:1e:00.0');
    assert.deepEqual([numbers(incidents), total], [[3], 1]);
    const known = await history.one(idOf(3));
    for (const one of [incidents[0], known?.incident])
      assert.deepEqual([one?.revision, one?.state, one?.evidence], [2, 'resolved', over(3)[1].evidence]);
    assert.equal(said[idOf(3)]?.acknowledged?.by, 'anna');
    assert.equal(known?.said.acknowledged?.by, 'anna');
    assert.deepEqual(known?.incident.events, over(3)[1].events);
    assert.equal(await history.one(idOf(77)), null);
  });

  test('counts and groups them', async () => {
    await earlier(4);
    const history = new History({ recent: new Recent(NOW), directory });
    const { statistics, total } = await find(history, `until=${new Date(T0 + 2000).toISOString()}`, 'statistics');
    assert.equal(total, 3);
    assert.deepEqual({ ...statistics }, { ...statistics, total: 3, open: 0, by_kind: { 'gpu.lost': 3 }, median_duration_s: 1 });
    const { incidents, merged } = await find(history, '', 'groups');
    assert.deepEqual(incidents.map(({ events }) => events.length), [1, 1, 1, 1]);
    assert.deepEqual(Object.keys(merged).length, 4);
  }); // biome-ignore format: one line

  test('has what the disk did not take, and asks no disk for what memory has', async () => {
    await earlier(2);
    const recent = new Recent(T0 + 5000);
    const [, later] = over(1);
    recent.incident({ ...later, revision: 3, log: 'unavailable' });
    recent.incident({ ...smallIncident(9), log: 'unavailable' });
    const history = new History({ recent, directory });
    assert.deepEqual(numbers((await find(history, '')).incidents), [9, 1, 0]);
    assert.equal((await find(history, '')).incidents[1]?.revision, 3);
    const nowhere = new History({ recent, directory: '/proc/version/none', longestMs: 1 });
    for (const [parameters, expected] of [['state=open', [9]], [`since=${new Date(T0 + 5001).toISOString()}`, [9]], ['log=unavailable', [9, 1]]] as const)
      assert.deepEqual(numbers((await find(nowhere, parameters)).incidents), expected, parameters);
  }); // biome-ignore format: one line

  test('says from when on nothing is missing where old files are gone', async () => {
    await earlier(60, 64 * 1024, 2);
    const history = new History({ recent: new Recent(NOW), directory });
    const { incidents, total, completeSinceMs } = await find(history, 'limit=500&order=oldest');
    assert.ok(total > 5 && total < 60, `${total}`);
    const complete = [...Array(60).keys()].filter((number) => over(number)[1].updatedMs >= completeSinceMs);
    assert.deepEqual(numbers(incidents).slice(-complete.length), complete);
    assert.ok(complete.length > 5);
  });

  test('a log that takes too long, or cannot be read, is a refusal with what to ask for instead', async () => {
    await earlier(3);
    const recent = new Recent(NOW);
    for (const history of [
      new History({ recent, directory, longestMs: 1 }),
      new History({ recent, directory: '/proc/version/none' }),
    ])
      await assert.rejects(find(history, ''), { httpStatus: 503, code: 'FL4123', message: /since=24h/ });
  });

  test('questions wait for each other, and no more than a few', async () => {
    await earlier(3);
    const history = new History({ recent: new Recent(NOW), directory });
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => find(history, '')));
    assert.deepEqual(
      asked.map(({ status }) => status === 'fulfilled'),
      Array.from({ length: 12 }, (_, i) => i < 8),
    );
    const before = getPriority();
    assert.equal((await find(history, '')).total, 3);
    assert.equal(getPriority(), before, 'its low priority is that of its thread alone');
  });
});
