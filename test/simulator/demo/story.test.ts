// Tests of the story: what belongs together is one line, and no run tells more than fits a screen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { elapsed, Story } from '../../../src/simulator/demo/story.ts';
import { ManualClock } from '../../../src/simulator/scenario-clock.ts';

function event(input: Partial<EventInput>): FaultEvent {
  return makeEvent('node-3', {
    kind: 'gpu.power_brake',
    component: null,
    timeMs: 1000,
    observedMs: 1000,
    trust: 'driver',
    source: 'gpu',
    state: 'onset',
    ...input,
  });
}

const gpu = (index: number) =>
  ({ type: 'gpu', id: `0000:${index}b:00.0`, host: 'node-3', aliases: [`gpu ${index}`] }) as const;

function reported(): { clock: ManualClock; story: Story; lines: string[] } {
  const clock = new ManualClock();
  const lines: string[] = [];
  return { clock, story: new Story(clock, (line) => lines.push(line)), lines };
}

test('eight GPUs that show the same thing are one line, reported when they have had time to come', () => {
  const { clock, story, lines } = reported();
  clock.advance(9000);
  for (let i = 0; i < 8; i += 1) story.event(event({ component: gpu(i) }));
  assert.deepEqual(lines, []);
  clock.advance(1000);
  assert.deepEqual(lines, ['00:09  ▼ node-3 gpu 0…7: power brake asserted']);
});

test('an event that comes again with more is said once, with what was known of it by then', () => {
  const { clock, story, lines } = reported();
  const kill = { kind: 'host.oom', component: { type: 'process', id: '48211', host: 'node-3' } } as const;
  story.event(event({ ...kill, attributes: { process: 'python3' } }));
  story.event(event({ ...kill, attributes: { process: 'python3', anon_rss_kib: 201_326_592 } }));
  clock.advance(1000);
  story.event(event({ ...kill, attributes: { process: 'python3', anon_rss_kib: 201_326_592, uid: 1000 } }));
  clock.advance(1000);
  assert.deepEqual(
    lines.map((line) => line.replace(/^\S+ +/, '')),
    ['▼ node-3 process 48211: killed by the out-of-memory killer: python3, which held 192 GiB'],
  );
});

test('phases of PDUs are reported one by one, with what changed', () => {
  const { clock, story, lines } = reported();
  for (const [pdu, before] of [
    ['pdu-a', 121],
    ['pdu-b', 122],
  ] as const) {
    story.event(
      event({
        kind: 'power.voltage_sag',
        component: { type: 'pdu_phase', id: `${pdu}/1` },
        attributes: { quantity: 'voltage', before, after: 108, unit: 'V' },
      }),
    );
  }
  clock.advance(1000);
  assert.equal(lines.length, 2);
  // Between number and unit is a space that does not break.
  const plain = lines.map((line) => line.replaceAll(/[\s\u2060]/g, ' '));
  assert.deepEqual(plain, [
    '00:00  ▼ pdu-a phase 1: voltage 121 → 108 V',
    '00:00  ▼ pdu-b phase 1: voltage 122 → 108 V',
  ]);
});

test('what ends is left to the report', () => {
  const { story, lines } = reported();
  story.event(event({ component: gpu(1), state: 'clear' }));
  story.event(
    event({
      kind: 'power.voltage_sag',
      component: { type: 'pdu_phase', id: 'pdu-b/1' },
      state: 'clear',
      trust: 'facility',
    }),
  );
  story.flush();
  assert.deepEqual(lines, []);
});

test('what is of severity info is not reported', () => {
  const { story, lines } = reported();
  story.event(event({ component: gpu(1), severity: 'info' }));
  story.flush();
  assert.deepEqual(lines, []);
});

test('an incident is reported behind the event that opened it', () => {
  const { clock, story, lines } = reported();
  const incident = { id: 'abcdef012345', confidence: 0.734, severity: 'error', root: { kind: 'gpu.power_brake' } };
  clock.advance(5000);
  story.event(event({ component: gpu(1) }));
  story.incident(incident as Incident); // what the line tells of
  story.incident({ ...incident, confidence: 0.9 } as Incident);
  clock.advance(2000);
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^00:05 {2}▼/);
  assert.equal(lines[1], '00:05  INCIDENT abcdef opens · gpu.power_brake · error · 73 %');
});

test('a flood is cut to a few lines and a count', () => {
  const { story, lines } = reported();
  for (let i = 0; i < 50; i += 1)
    story.event(event({ kind: 'power.voltage_sag', component: { type: 'pdu_phase', id: `pdu/${i}` } }));
  story.flush();
  assert.equal(lines.length, 11);
  assert.match(lines[10] ?? '', /… and 40 more events/);
});

test('hostile text stays one short line', () => {
  const { story, lines } = reported();
  story.event(event({ component: { type: 'job', id: `evil\n\u001b[2J${'x'.repeat(500)}` } }));
  story.flush();
  assert.equal(lines.length, 1);
  assert.ok((lines[0]?.length ?? 999) <= 100);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  assert.doesNotMatch(lines[0] ?? '', /[\u0000-\u001f]/);
});

test('time is reported in minutes and seconds', () => {
  assert.deepEqual([0, 59_999, 60_000, 3_600_000].map(elapsed), ['00:00', '00:59', '01:00', '60:00']);
});
