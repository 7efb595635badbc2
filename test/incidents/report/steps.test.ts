// Under each step of a report: what it was known by, how it is known, and on which day.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderIncidentText } from '../../../src/incidents/report/text.ts';
import type { Evidence, FaultEvent } from '../../../src/model/event.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { event, gpu, incident, link, PHASE, T0 } from '../sample.ts';

const RANK = { type: 'rank', id: 'llama/3' } as const;
const line = (text: string): Evidence => ({ source: 'kernel-log', timeMs: T0, text });

function report(events: readonly FaultEvent[], more: Partial<Incident> = {}, width = 100): string {
  const [root = assert.fail()] = events;
  const reported = incident('7f3c41d2a0b1', {
    events,
    chain: events.map((each) => link(each)),
    root: { eventId: root.id, kind: root.kind, component: root.component },
    impact: [],
    ...more,
  });
  return renderIncidentText(reported, { width, colour: false, nowMs: T0 + 107_000, timeZone: 'UTC' });
}

const count = (text: string, part: string): number => text.split(part).length - 1;

const XID = event('e-xid', 'gpu.app_fault', gpu(0), {
  source: 'kernel-log',
  attributes: { xid: 13 },
  evidence: [line('NVRM: Xid (PCI:0000:1b:00): 13, Graphics SM Warp Exception on (GPC 1, TPC 2, SM 0)')],
});
const CRASH = event('e-crash', 'job.rank_crashed', RANK, {
  timeMs: T0 + 900,
  source: 'job-log',
  attributes: { exception: 'KeyError', message: "'labels'" },
  evidence: [line("[rank3]: KeyError: 'labels'")],
});

test('the line that a step was known by is under it, once', () => {
  const nfs = event(
    'e-nfs',
    'storage.stall',
    { type: 'host', id: 'node-3' },
    { evidence: [line('nfs: server filer-3 not responding, still trying')] },
  );
  const text = report([XID, { ...XID, id: 'e-again', timeMs: T0 + 60_000 }, nfs]);
  assert.equal(count(text, '(GPC 1, TPC 2, SM 0)"'), 1);
  assert.match(text, /\n {6,}"NVRM: Xid \(PCI:0000:1b:00\): 13, Graphics SM Warp Exception on/);
  assert.match(text, /\n {6,}"nfs: server filer-3 not responding, still trying"/);
});

test('an exception is said with its message, in the row alone', () => {
  const text = report([CRASH]);
  assert.match(text, /rank crashed: KeyError: 'labels'/);
  assert.doesNotMatch(text, /"KeyError/);
});

test('a line that says the words of its row once more is left out', () => {
  const failover = event(
    'e-psu',
    'psu.failover',
    { type: 'psu', id: 'node-3/1' },
    {
      source: 'bmc',
      attributes: { quantity: 'load', before: 2009, after: 0, unit: 'W' },
      evidence: [line('psu/node-3/1: load 2009 → 0 W')],
    },
  );
  const more = { ...failover, evidence: [line('psu/node-3/1: load 2009 → 0 W, health Critical')] };
  assert.match(report([failover]), /load 2,009 → 0 W/);
  assert.doesNotMatch(report([failover]), /"psu/);
  assert.match(report([more]), /"psu\/node-3\/1: load 2009 → 0 W, health Critical"/);
});

test('readings have no line: their change is in the row', () => {
  const series = { source: 'pdu', series: 'x#voltage', values: [[T0, 108]] as const };
  const text = report([event('e-sag', 'power.voltage_sag', PHASE, { evidence: [series] })]);
  assert.doesNotMatch(text, /"/);
});

test('a line of a tenant is made plain, and of a long one both ends are shown', () => {
  const evidence = [line(`\u001b[31mred\u202e ${'long '.repeat(200)}it failed`)];
  const text = report([event('e-odd', 'gpu.driver_notice', gpu(1), { evidence })]);
  assert.ok(!text.includes('\u001b') && !text.includes('\u202e'));
  assert.match(text.replace(/\n +/g, ' '), /long … long [^"]*it failed"/);
  assert.ok((text.match(/long/g) ?? []).length < 60);
});

test('what no source reported is inferred', () => {
  const text = report([event('e-sag', 'power.unobserved_sag', PHASE, { source: 'correlation' }), CRASH]);
  assert.match(text, /unobserved.*inferred|sag.*inferred/);
});

test('a step of another day has its day, and so has the black box', () => {
  const late = {
    ...CRASH,
    id: 'e-late',
    timeMs: T0 + 86_400_000,
    interval: { earliestMs: T0 + 86_400_000, latestMs: T0 + 86_400_000 },
  };
  assert.match(report([XID, late]), / {3}11-28 14:32:00\.0 {3}/);
  assert.doesNotMatch(report([XID, CRASH]), /11-2[78] 14:/);
  assert.match(report([XID, late], {}, 60), / {3}11-28 14:32:00\.0 {2}/);
});

test('a report without a root says each thing once, and what to do', () => {
  const what = 'llama-70b step time 412 → 897 ms';
  const job = { type: 'job', id: 'llama-70b' } as const;
  const slow = event('e-slow', 'job.throughput_drop', job, {
    attributes: { quantity: 'step time', before: 0.412, after: 0.897, unit: 's' },
  });
  const impact = [{ component: job, quantity: 'step_time', before: 412, after: 897, unit: 'ms', text: what }];
  for (const [title, why] of [
    [`No root cause yet: ${what}`, ''],
    [`No root cause yet, unconfirmed: ${what}`, 'look at the log of the job'],
  ] as const) {
    const action = { kind: 'none', target: null, why } as const;
    const text = report([slow], { rootKnown: false, title, impact, alternatives: [], action });
    assert.equal(count(text, 'No root cause yet'), 1, text);
    assert.equal(count(text, what), 1, text);
    assert.doesNotMatch(text, /nothing to do/);
    assert.match(text, why === '' ? /faultline doctor/ : /look at the log of the job/);
  }
});
