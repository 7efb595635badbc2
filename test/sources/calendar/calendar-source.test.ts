// The calendar source: plans from files that only operators can change, taken up and given up while it runs.

import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventInput } from '../../../src/model/record.ts';
import { CalendarSource } from '../../../src/sources/calendar/calendar-source.ts';
import { until } from '../../until.ts';

const stamp = (ms: number): string => `${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
const calendar = (fromMs: number, untilMs: number): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nSUMMARY:new fans\r\nLOCATION:node-3\r\nDTSTART:${stamp(fromMs)}\r\nDTEND:${stamp(untilMs)}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

test('an entry begins and ends as a maintenance; a file that others may change is not read, one that is gone keeps its plans', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-calendar-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'plan.ics');
  const put = (text: string): void => {
    writeFileSync(`${path}.new`, text, { mode: 0o644 });
    renameSync(`${path}.new`, path);
  };
  put(calendar(Date.now() - 60_000, Date.now() + 3_600_000));
  const events: EventInput[] = [];
  const options = { host: 'node-3', now: Date.now, steady: (ms: number) => ms };
  const source = new CalendarSource({ files: [{ path, applies: 'named' }], intervalMs: 20 }, options);
  t.after(() => source.stop());
  source.start({ samples() {}, text() {}, discovery() {}, event: (event) => void events.push(event) }, new AbortController().signal); // biome-ignore format: one line
  const seen = () => events.map(({ kind, state }) => `${kind} ${state}`);
  await until(() => seen().length === 1, { seen });
  assert.deepEqual([seen(), events[0]?.attributes?.note, events[0]?.trust], [['host.maintenance onset'], 'new fans', 'system']); // biome-ignore format: one line
  rmSync(path);
  await until(() => source.health()[0]?.status === 'absent');
  assert.equal(seen().length, 1);
  put(calendar(Date.now() - 120_000, Date.now() - 60_000));
  await until(() => seen().length === 2, { seen });
  assert.equal(seen()[1], 'host.maintenance clear');
  put(calendar(Date.now() - 60_000, Date.now() + 3_600_000));
  chmodSync(path, 0o666);
  await until(() => source.health()[0]?.status === 'failed', { seen: () => source.health() });
  assert.match(source.health()[0]?.detail ?? '', /not read: every user may write/);
});
