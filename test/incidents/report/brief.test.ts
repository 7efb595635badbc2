// A head is read in half a minute: what comes later is a row of its own behind whom to call, whole and in its order, and nothing loses its condition.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutAt, fewWords, MOST_WORDS, stemOnce, wordsIn } from '../../../src/incidents/report/brief.ts';
import { tieCommands } from '../../../src/incidents/report/shell-commands.ts';
import { summaryOf } from '../../../src/incidents/report/summary.ts';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import type { Component } from '../../../src/model/component.ts';
import { NOTHING_SAID } from '../../../src/model/note.ts';
import { event, incident } from '../sample.ts';

test('a text ends where a sentence begins, or a part that says when it is due', () => {
  const text = 'see whether it is up. Where it is dead: keep work off it; save its log; then cut its power';
  assert.deepEqual(cutAt(text, 100), [text, null]);
  assert.deepEqual(cutAt(text, 12), [
    'see whether it is up',
    'where it is dead: keep work off it; save its log; then cut its power',
  ]);
  assert.deepEqual(cutAt('keep work off it; once nothing runs, reset it; where that fails, reboot', 9), [
    'keep work off it; once nothing runs, reset it',
    'where that fails, reboot',
  ]);
  assert.deepEqual(cutAt('keep work off it; then open a case', 5), ['keep work off it', 'open a case']);
});

test('nothing is taken from its condition, out of a bracket, or cut where nothing later begins', () => {
  const condition = 'where it is dead: keep work off it; then cut its power';
  assert.deepEqual(cutAt(condition, 5), [condition, null]);
  const gone = 'look. Where one is gone: see why; once nothing runs, reboot it';
  assert.deepEqual(cutAt(gone, 8), ['look', 'where one is gone: see why; once nothing runs, reboot it']);
  const bracket = 'look at its log (dmesg; once it is up, journalctl) for faults';
  assert.deepEqual(cutAt(bracket, 3), [bracket, null]);
  assert.deepEqual(cutAt('reseat it, swap it', 1), ['reseat it, swap it', null]);
});

test('where there is hardly room a step ends at any of its parts, the first of them at least, and long lines say that they continue', () => {
  const text = 'ask the UPS what is left; end or save what runs there at once; once the mains are back, start it';
  assert.deepEqual(cutAt(text, 6), ['ask the UPS what is left; end or save what runs there at once', 'once the mains are back, start it']); // biome-ignore format: one line
  assert.deepEqual(cutAt(text, 6, true), ['ask the UPS what is left', 'end or save what runs there at once; once the mains are back, start it']); // biome-ignore format: one line
  assert.deepEqual(cutAt(text, 1, true)[0], 'ask the UPS what is left');
  assert.equal(fewWords('a port, of many, went down', 3), 'a port…');
  assert.equal(fewWords('a port, of many', 4), 'a port, of many');
});

const INPUT = { timeZone: 'UTC', said: NOTHING_SAID, silent: null, samples: null, logPath: '/log', root: '/' };
const STEM = 'ipmitool -I lanplus -H BMC -U USER -f PASSFILE';

test('options that two commands share are written once, and each command stays whole', () => {
  assert.equal(stemOnce(`${STEM} chassis power status`), `${STEM} chassis power status`);
  const once = stemOnce(`save it (${STEM} sel elist > sel.txt), then ${STEM} chassis power cycle; wait`);
  assert.equal(once, `save it (ipmi='${STEM}'; $ipmi sel elist > sel.txt), then $ipmi chassis power cycle; wait`);
  assert.deepEqual(
    tieCommands(once)
      .split(' ')
      .filter((word) => word.includes('\0'))
      .map((word) => word.replaceAll('\0', ' ')),
    [`(ipmi='${STEM}';`, '$ipmi sel elist > sel.txt),', '$ipmi chassis power cycle;'],
  );
});

test('the head of a host that does not answer ends with whom to call, and what is done to a dead one comes behind it', () => {
  const component: Component = { type: 'host', id: 'node-3' };
  const base = incident('7f3c41d2a0b1');
  const down = event('r', 'host.down', component);
  const one = {
    ...base,
    title: 'host down on node-3',
    events: [down],
    chain: [],
    impact: [],
    whose: [],
    root: { ...base.root, kind: down.kind, component, eventId: down.id },
    action: { kind: 'power_cycle_node', target: component, why: '' } as const,
  };
  const text = renderIncidentText(one, { width: 100, colour: false, nowMs: one.updatedMs, timeZone: 'UTC' });
  const rows = text.replace(/\n {2,}/g, ' ').split('\n');
  const call = rows.findIndex((row) => row.startsWith('Call '));
  assert.ok(wordsIn(rows.slice(0, call + 1).join(' ')) <= MOST_WORDS, text);
  assert.match(rows[call - 1] ?? '', /^Now +ping -c 3 node-3; .* its daemon or the network to it failed$/);
  assert.match(rows[call + 1] ?? '', /^Then +where it is dead: .*cordon.*sel elist.*chassis power cycle$/);
  const page = summaryOf({ ...INPUT, incident: one, nowMs: one.updatedMs });
  for (const label of ['Now', 'Call', 'Then'])
    assert.equal(
      page.find((row) => row.label === label)?.text.replaceAll('\0', ' '),
      rows.find((row) => row.startsWith(`${label} `))?.replace(/^\w+ +/, ''),
    );
});
