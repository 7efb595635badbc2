// faultline report --html: a week as one page that a parser finds whole, with what people need of it, and hostile text as text.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { piecesOf } from '../../../src/incidents/report/html/period/pieces.ts';
import { safeLines } from '../../../src/model/safe-text.ts';
import { ATTACK } from '../../incidents/report/html/cases.ts';
import { attribute, elementsOf, textOf } from '../../incidents/report/html/tree.ts';
import { gpu, incident, T0 } from '../../incidents/sample.ts';
import { logOf, run } from '../incident-command.ts';

const lost = (id: string, more: object = {}) =>
  incident(id, {
    title: 'GPU fell off the bus on node-3 gpu 0',
    severity: 'critical',
    pattern: 'gpu_fell_off_bus',
    root: { eventId: 'e', kind: 'gpu.lost', component: gpu(0) },
    events: [],
    chain: [],
    ...more,
  });

test('a week is one page: causes with their patterns, devices that come again, verdicts, what was held back', async (t) => {
  const directory = await logOf(
    t,
    lost('aaaa00000001'),
    lost('aaaa00000002', { openedMs: T0 - 86_400_000, state: 'resolved', resolvedMs: T0 }),
    lost('aaaa00000003', { rootKnown: false, title: ATTACK, unconfirmed: '' }),
    incident('aaaa00000004', { made: 'injected' }),
    lost('aaaa00000005', {
      openedMs: T0 - 30 * 86_400_000,
      updatedMs: T0 - 30 * 86_400_000,
      state: 'resolved',
      resolvedMs: T0 - 30 * 86_400_000,
    }),
  );
  const file = join(directory, 'week.html');
  const { stdout, stderr, status } = await run('report', '--html', file, '--log-directory', directory);
  assert.deepEqual([stdout, status], ['', 0]);
  assert.match(stderr, /^written: \/.*\/week\.html, \d+ kB\. Open it in a browser.*\n$/);
  const page = readFileSync(file, 'utf8');
  const { elements, errors } = elementsOf(page);
  assert.deepEqual(errors, []);
  assert.equal(safeLines(page), page);
  for (const element of elements) {
    assert.ok(!['script', 'img', 'iframe', 'form', 'link'].includes(element.tagName), element.tagName);
    for (const { name } of element.attrs) assert.doesNotMatch(name, /^on|^style$|^src$/);
  }
  const heads = elements.filter(({ tagName }) => tagName === 'h2').map(textOf);
  assert.deepEqual(heads, [
    'At a glance',
    'When',
    'Causes',
    'GPU-hours lost',
    'Devices that come again',
    'What was held back',
    'How often it was right',
    'All incidents',
  ]);
  const rows = elements.filter(({ tagName }) => tagName === 'tr').map((row) => row.childNodes.map(textOf).join(' | '));
  const has = (row: string): void => assert.ok(rows.includes(row), `${row}\nin\n${rows.join('\n')}`);
  assert.match(
    textOf(elements.find(({ tagName }) => tagName === 'h1') ?? assert.fail()),
    /^3 incidents in 7 days, and 1 simulated or injected, not counted$/,
  );
  has('GPU fell off the bus | GPU fell off the bus | 2 | critical | ');
  has('node-3 gpu 0 | gpu/0000:1b:00.0, GPU-0aaa | 2 | GPU fell off the bus | 2026-11-27 14:32:00');
  has('No root cause yet: only symptoms were seen | 1');
  has('Unconfirmed: a user of the host could have written all of it | 1');
  has('Injected or simulated: nothing real is behind it, counted nowhere else here | 1');
  assert.ok(elements.some((each) => attribute(each, 'role') === 'img'));
});

test('each incident says what to do, the gravest at the head, and what nothing real is behind is a table of its own', async (t) => {
  const known = lost('aaaa00000001', { action: { kind: 'reboot_node', target: gpu(0), why: '' } });
  const made = incident('aaaa00000002', { made: 'simulated', state: 'resolved', resolvedMs: T0 + 1000 });
  const directory = await logOf(t, known, made);
  const { stdout } = await run('report', '--html', '-', '--log-directory', directory);
  const { elements } = elementsOf(stdout);
  const text = elements.filter(({ tagName }) => tagName === 'dl').map(textOf);
  assert.match(
    text.join('\n'),
    /Do first.*aaaa00, GPU fell off the bus .*\. Reboot node-3; first, .*Call who runs node-3/,
  );
  const tables = elements.filter(({ tagName }) => tagName === 'table').map(textOf);
  const all = tables.find((each) => each.startsWith('Newest first')) ?? assert.fail();
  assert.match(all, /reboot node-3.*Now: .*sudo systemctl reboot.*Call: who runs node-3/);
  assert.match(tables.at(-1) ?? '', /^Simulated or injected, newest first: [\s\S]*resolved after 1 s/);
  // No column without a word in it.
  assert.doesNotMatch(all, /People said/);
});

test('an incident is counted on the day of the time zone that the page names', () => {
  const period = { sinceMs: Date.UTC(2026, 10, 22, 18), untilMs: Date.UTC(2026, 10, 29, 10), timeZone: 'Asia/Kolkata' };
  const { unit, names, of } = piecesOf(period);
  assert.deepEqual([unit, names.length, names[0], names.at(-1)], ['day', 8, '11-22', '11-29']);
  assert.equal(names[of(Date.UTC(2026, 10, 28, 18, 29))], '11-28');
  assert.equal(names[of(Date.UTC(2026, 10, 28, 18, 31))], '11-29');
  // What was open before is counted at the beginning.
  assert.equal(of(0), 0);
  // The night in which the clocks of Berlin are set back has 25 hours, and one hour twice.
  const night = {
    sinceMs: Date.UTC(2026, 9, 24, 22),
    untilMs: Date.UTC(2026, 9, 25, 22, 59),
    timeZone: 'Europe/Berlin',
  };
  const hours = piecesOf(night);
  assert.deepEqual(
    [hours.unit, hours.names.length, hours.names[0], hours.names.at(-1)],
    ['hour', 24, '00:00', '23:00'],
  );
  const long = piecesOf({ sinceMs: 0, untilMs: T0, timeZone: 'UTC' });
  assert.ok(long.names.length <= 48 && /^\d{3} days$/.test(long.unit), long.unit);
});

test('the page goes to standard output where that is asked for, and what does not fit together is refused', async (t) => {
  const directory = await logOf(t, lost('aaaa00000001'));
  assert.match((await run('report', '--html', '-', '--log-directory', directory)).stdout, /^<!doctype html>/);
  const neither = await run('report', '--log-directory', directory);
  assert.deepEqual([neither.status, /^FL1200 say which report/.test(neither.stderr)], [2, true]);
  const both = await run('report', '--html', '-', '--lost', '--log-directory', directory);
  assert.deepEqual([both.status, /^FL1200 --html is a page/.test(both.stderr)], [2, true]);
  const since = await run('report', '--html', '-', '--since', 'x', '--log-directory', directory);
  assert.deepEqual([since.status, /^FL3123/.test(since.stderr)], [2, true]);
});
