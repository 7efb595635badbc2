// Narrow terminals: at any width from 40 columns no line is too long, no word is broken, and numbers keep their units.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelled, wrap } from '../../../src/incidents/report/layout.ts';
import { renderIncidentLine } from '../../../src/incidents/report/line.ts';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import { incident, T0 } from '../sample.ts';

const OPTIONS = { colour: false, nowMs: T0 + 107_000, timeZone: 'UTC' };
const MEASURES = /\d[\d.,]* (?:V|W|MHz|ms|s|min|%|°C|GPU-hours)(?![\w])/g;

const samples = [
  incident('7f3c41d2a0b1'),
  incident('7f3c41d2a0b1', {
    rootKnown: false,
    state: 'resolved',
    resolvedMs: T0 + 240_000,
    reopened: 2,
    reopenedMs: T0,
  }),
];

for (const width of [40, 60, 72, 79, 80, 100]) {
  test(`at ${width} columns every line fits, and every word and measure is whole`, () => {
    for (const sample of samples) {
      const wide = renderIncidentText(sample, { ...OPTIONS, width: 1000 });
      const text = renderIncidentText(sample, { ...OPTIONS, width });
      for (const line of text.split('\n')) assert.ok(line.length <= width, `${line.length}: ${line}`);
      const words = new Set(text.split(/\s+/));
      for (const word of wide.split(/\s+/))
        assert.ok(words.has(word) || word.length > width - 2, `${word} in\n${text}`);
      for (const [measure] of wide.matchAll(MEASURES)) assert.ok(text.includes(measure), `${measure} in\n${text}`);
      for (const line of renderIncidentLine(sample, { width }).split('\n')) assert.ok(line.length <= width, line);
    }
  });
}

test('a number stays with its unit, a long word ends where its parts do, and never inside a number', () => {
  assert.deepEqual(wrap('aaaa 1,980 MHz and 93 % of 3 min', 12), ['aaaa', '1,980 MHz', 'and 93 % of', '3 min']);
  assert.deepEqual(wrap('/var/log/faultline/incidents.jsonl', 20), ['/var/log/faultline/', 'incidents.jsonl']);
  assert.deepEqual(wrap('voltage 121.4 → 108.2 V', 16), ['voltage', '121.4 → 108.2 V']);
  assert.deepEqual(labelled('Runbook', '/opt/faultline/docs/runbooks/gpu.md', 15, 40), [
    'Runbook',
    '  /opt/faultline/docs/runbooks/gpu.md',
  ]);
});

test('on a narrow terminal only what needs the room begins left of its column', () => {
  const text = 'let no work onto gx-1 (Slurm: scontrol update nodename=gx-1 state=drain), then reboot it';
  assert.deepEqual(labelled('Now', text, 12, 48), [
    'Now         let no work onto gx-1 (Slurm:',
    '  scontrol update nodename=gx-1 state=drain),',
    '            then reboot it',
  ]);
});
