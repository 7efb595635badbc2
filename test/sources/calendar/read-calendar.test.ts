// Entries of a calendar: which are about this host, and when, with repeats, exceptions and zones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCalendar } from '../../../src/sources/calendar/read-calendar.ts';

const NOW = Date.UTC(2026, 10, 29, 12);
const PLACE = { host: 'node-3', nowMs: NOW, steady: (ms: number) => ms };

const calendar = (...entries: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//a//b', ...entries, 'END:VCALENDAR', ''].join('\r\n');
const entry = (...lines: string[]): string => ['BEGIN:VEVENT', 'DTSTAMP:20261101T000000Z', ...lines, 'END:VEVENT'].join('\r\n'); // biome-ignore format: one line
const FANS = ['UID:fans', 'SUMMARY:New fans\\, CHG-4711', 'ORGANIZER;CN=Anna Berg:mailto:anna@example.com', 'DTSTART:20261129T110000Z', 'DTEND:20261129T150000Z']; // biome-ignore format: one line

function read(text: string, applies: 'named' | 'all' = 'named', place = PLACE) {
  const { plans, ...rest } = readCalendar(text, { applies }, place);
  return { ...rest, plans, times: plans.map(({ fromMs, untilMs }) => [new Date(fromMs).toISOString().slice(0, 16), untilMs === null ? null : new Date(untilMs).toISOString().slice(0, 16)].join(' ')) }; // biome-ignore format: one line
}

test('an entry that names the host: who, why, from and until', () => {
  const { plans, times } = read(calendar(entry(...FANS, 'LOCATION:rack 7: node-1, NODE-3')));
  assert.deepEqual(times, ['2026-11-29T11:00 2026-11-29T15:00']);
  assert.deepEqual([plans[0]?.by, plans[0]?.note, plans[0]?.component], ['Anna Berg', 'New fans, CHG-4711', { type: 'host', id: 'node-3' }]); // biome-ignore format: one line
});

test('others are not about it; one without a place neither, unless all are', () => {
  const text = calendar(
    entry(...FANS, 'LOCATION:node-30'),
    entry(...FANS, 'UID:b', 'LOCATION:*'),
    entry(...FANS, 'UID:c', 'DESCRIPTION:node-3'),
  );
  assert.deepEqual([read(text).times, read(text).elsewhere, read(text, 'all').plans.length], [[], 3, 3]);
  for (const line of ['RESOURCES:node-*', 'CATEGORIES:maintenance,node-3', 'X-FAULTLINE-HOSTS:n*-3', 'LOCATION:node-3.example.com'])
    assert.equal(read(calendar(entry(...FANS, line)), 'named', { ...PLACE, host: line.includes('example') ? 'node-3.example.com' : 'node-3' }).plans.length, 1, line);
}); // biome-ignore format: one line each

test('cancelled, long over, far ahead, ending before it begins: not planned', () => {
  const of = (...lines: string[]) => read(calendar(entry('UID:x', ...lines)), 'all').times;
  assert.deepEqual(of('DTSTART:20261129T110000Z', 'DTEND:20261129T150000Z', 'STATUS:CANCELLED'), []);
  assert.deepEqual(of('DTSTART:20261120T110000Z', 'DTEND:20261120T150000Z'), []);
  assert.deepEqual(of('DTSTART:20271120T110000Z', 'DTEND:20271120T150000Z'), []);
  assert.deepEqual(of('DTSTART:20261129T150000Z', 'DTEND:20261129T110000Z'), []);
});

test('weekly over a change to summer time by the calendar’s own zone; one moved, one cancelled, one left out', () => {
  const zone = ['BEGIN:VTIMEZONE', 'TZID:Berlin', 'BEGIN:STANDARD', 'DTSTART:19701025T030000', 'TZOFFSETFROM:+0200', 'TZOFFSETTO:+0100', 'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU', 'END:STANDARD', 'BEGIN:DAYLIGHT', 'DTSTART:19700329T020000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0200', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'END:DAYLIGHT', 'END:VTIMEZONE']; // biome-ignore format: one line
  const weekly = entry('UID:w', 'SUMMARY:weekly', 'DTSTART;TZID=Berlin:20260905T020000', 'DTEND;TZID=Berlin:20260905T030000', 'RRULE:FREQ=WEEKLY', 'EXDATE;TZID=Berlin:20261017T020000'); // biome-ignore format: one line
  const moved = entry('UID:w', 'RECURRENCE-ID;TZID=Berlin:20261024T020000', 'DTSTART;TZID=Berlin:20261024T090000', 'DTEND;TZID=Berlin:20261024T100000'); // biome-ignore format: one line
  const off = entry('UID:w', 'RECURRENCE-ID;TZID=Berlin:20261031T020000', 'DTSTART;TZID=Berlin:20261031T020000', 'DTEND;TZID=Berlin:20261031T030000', 'STATUS:CANCELLED'); // biome-ignore format: one line
  const { times } = read(calendar(...zone, weekly, moved, off), 'all', { ...PLACE, nowMs: Date.UTC(2026, 9, 15) });
  assert.deepEqual(times, ['2026-10-24T07:00 2026-10-24T08:00']);
  const later = read(calendar(...zone, weekly), 'all', { ...PLACE, nowMs: Date.UTC(2026, 9, 22) }).times;
  assert.deepEqual(later, ['2026-10-24T00:00 2026-10-24T01:00', '2026-10-31T01:00 2026-10-31T02:00']);
});

test('a zone that is named and not described is that of IANA; one that is not known is said', () => {
  const at = (zone: string) => read(calendar(entry('UID:z', 'SUMMARY:z', `DTSTART;TZID=${zone}:20261129T130000`, `DTEND;TZID=${zone}:20261129T140000`)), 'all'); // biome-ignore format: one line
  assert.deepEqual(at('America/New_York').times, ['2026-11-29T18:00 2026-11-29T19:00']);
  assert.deepEqual([at('Mars/Olympus').times, at('Mars/Olympus').doubts], [[], ['z: its time zone Mars/Olympus is not known here']]); // biome-ignore format: one line
});

test('hostile: what is not a calendar, a repeat without end, deep text: an error or nothing, soon', () => {
  for (const text of ['', 'x', 'BEGIN:VCALENDAR', 'BEGIN:VCARD\r\nEND:VCARD\r\n', 'BEGIN:VCALENDAR\r\n'.repeat(2000)])
    assert.throws(() => read(text, 'all'), Error, text.slice(0, 20));
  const { times, doubts } = read(calendar(entry('UID:s', 'DTSTART:19700101T000000Z', 'DTEND:19700101T000001Z', 'RRULE:FREQ=SECONDLY')), 'all'); // biome-ignore format: one line
  assert.deepEqual([times, doubts.length], [[], 1]);
  assert.deepEqual(read(calendar(entry(...FANS, `LOCATION:${'a*'.repeat(50)}`))).times, []);
});
