// Tests of scoring: each way of being wrong is reported, and only a right answer is right.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseComponent } from '../../src/model/component.ts';
import type { ChainLink, Incident } from '../../src/model/incident.ts';
import type { Kind } from '../../src/model/kind.ts';
import type { Bounds, Truth } from '../../src/simulator/scenario/truth.ts';
import { score } from '../../src/simulator/score.ts';

const SAG = 'pdu_phase/pdu-b/1';

const TRUTH: Truth = {
  incidents: [
    {
      root: { kinds: ['power.voltage_sag'], component: SAG },
      chain: [[['power.voltage_sag']], [['cpu.power_cap'], ['gpu.power_brake']], [['job.throughput_drop', 'job.hang']]],
      impact: ['step_time'],
      actions: ['check_power_feed'],
      causeMs: 8000,
      withinMs: 10_000,
    },
  ],
  may: ['gpu.app_fault'],
  mustNot: ['pdu*/pdu-a*', 'cooling.*'],
};

function link(kind: Kind, component: string, atMs: number, causedBy: readonly string[] = []): ChainLink {
  return {
    eventId: `${kind} ${component}`,
    kind,
    component: parseComponent(component),
    severity: 'error',
    timeMs: atMs,
    timeDigits: 3,
    interval: { earliestMs: atMs - 500, latestMs: atMs },
    causedBy,
    lagMs: null,
    confidence: 0.9,
    orderUnknown: false,
  };
}

function incident(links: readonly ChainLink[], change: Partial<Incident> = {}): Incident {
  const [root] = links;
  assert.ok(root);
  return {
    id: 'aaaaaaaaaaaa',
    host: 'node-3',
    state: 'open',
    revision: 1,
    openedMs: 109_000,
    updatedMs: 109_000,
    resolvedMs: null,
    reopened: 0,
    reopenedMs: null,
    title: 'a title',
    severity: 'error',
    confidence: 0.9,
    confidenceParts: [],
    pattern: null,
    rootKnown: true,
    unconfirmed: null,
    root: { eventId: root.eventId, kind: root.kind, component: root.component },
    chain: links,
    impact: [
      { component: { type: 'job', id: 'train' }, quantity: 'step_time', before: 0.4, after: 0.9, unit: 's', text: '' },
    ],
    action: { kind: 'check_power_feed', target: null, why: '' },
    alternatives: [],
    ruledOut: [],
    evidence: [],
    events: [],
    mergedInto: null,
    traceId: '',
    log: 'written',
    ...change,
  };
}

const CHAIN = [
  link('power.voltage_sag', SAG, 8000),
  link('gpu.power_brake', 'gpu/0000:1b:00.0', 9000),
  link('cpu.power_cap', 'cpu/node-3/0', 9200),
  link('job.throughput_drop', 'job/train', 14_000),
];

test('the right answer is right, whatever the order within a stage', () => {
  const result = score(TRUTH, [incident(CHAIN)], { startedMs: 100_000 });
  assert.deepEqual(result.problems, []);
  assert.equal(result.right, true);
  assert.equal(result.expected[0]?.detectionMs, 1000);
});

const wrong: readonly [string, Incident[], RegExp][] = [
  ['nothing found', [], /not found: power\.voltage_sag on pdu_phase\/pdu-b\/1/],
  ['another phase', [incident([link('power.voltage_sag', 'pdu_phase/pdu-b/2', 8000), ...CHAIN.slice(1)])], /root is power\.voltage_sag on pdu_phase\/pdu-b\/2/],
  ['a consequence as root', [incident([...CHAIN.slice(1), ...CHAIN.slice(0, 1)])], /root is gpu\.power_brake/],
  ['root not known', [incident(CHAIN, { rootKnown: false })], /root is unknown/],
  ['a link missing', [incident(CHAIN.slice(0, 3))], /not in the chain: job\.throughput_drop \| job\.hang/],
  ['certainly the wrong order', [incident([...CHAIN.slice(0, 3), link('job.throughput_drop', 'job/train', 7000)])], /order: job\.throughput_drop before cpu\.power_cap/],
  ['cause and effect the wrong way round', [incident([CHAIN[0], link('cpu.power_cap', 'cpu/node-3/0', 9200, ['job.throughput_drop job/train']), ...CHAIN.slice(1)].flatMap((one) => (one ? [one] : [])))], /order: job\.throughput_drop before cpu\.power_cap/],
  ['another impact', [incident(CHAIN, { impact: [{ ...incident(CHAIN).impact[0], quantity: 'lost' } as never] })], /impact does not tell step_time/],
  ['no impact', [incident(CHAIN, { impact: [] })], /impact does not tell step_time/],
  ['another action', [incident(CHAIN, { action: { kind: 'reset_gpu', target: null, why: '' } })], /action is reset_gpu, should be check_power_feed/],
  ['too late', [incident(CHAIN, { openedMs: 119_000 })], /found after 11000 ms, should be within 10000 ms/],
  ['a bystander in the chain', [incident([...CHAIN, link('power.voltage_sag', 'pdu_phase/pdu-a/1', 9000)])], /must not be blamed: pdu_phase\/pdu-a\/1/],
  ['a second incident', [incident(CHAIN), incident([link('gpu.lost', 'gpu/0000:1b:00.0', 9000)], { id: 'b' })], /not asked for: gpu\.lost/],
  ['merged away', [incident(CHAIN, { mergedInto: 'b' })], /not found/],
]; // biome-ignore format: a table

for (const [name, incidents, problem] of wrong) {
  test(`tells what is wrong: ${name}`, () => {
    const result = score(TRUTH, incidents, { startedMs: 100_000 });
    assert.equal(result.right, false);
    assert.match(result.problems.join('; '), problem);
  });
}

test('the time to detection counts from the cause to when a reader could see it', () => {
  const result = score(TRUTH, [incident(CHAIN)], { startedMs: 100_000, foundMs: () => 110_500 });
  assert.equal(result.expected[0]?.detectionMs, 2500);
});

test('order that the clocks leave open is not wrong', () => {
  const chain = [
    ...CHAIN.slice(0, 3),
    { ...link('job.throughput_drop', 'job/train', 8900), interval: { earliestMs: 8000, latestMs: 9500 } },
  ];
  assert.equal(score(TRUTH, [incident(chain)]).right, true);
});

test('what is tolerated, of severity info, or merged is not a false incident', () => {
  const brake = [link('gpu.power_brake', 'gpu/0000:1b:00.0', 9000)];
  const others = [
    incident([link('gpu.app_fault', 'gpu/0000:1b:00.0', 9000)], { id: 'b' }),
    incident(brake, { id: 'c', severity: 'info' }),
    incident(brake, { id: 'd', mergedInto: 'aaaaaaaaaaaa' }),
  ];
  assert.equal(score(TRUTH, [incident(CHAIN), ...others]).right, true);
});

test('where nothing is wrong any incident is a false one', () => {
  const quiet: Truth = { incidents: [], may: [], mustNot: [] };
  assert.equal(score(quiet, []).right, true);
  assert.equal(score(quiet, [incident(CHAIN)]).falseIncidents.length, 1);
});

test('a pattern matches its text alone', () => {
  const truth = { ...TRUTH, mustNot: ['gpu/0000:1b:00.0', 'pdu*/pdu-b'] };
  assert.deepEqual(score(truth, [incident(CHAIN)]).blamed, ['gpu/0000:1b:00.0']);
  assert.deepEqual(score({ ...TRUTH, mustNot: ['gpu/0000.1b.00.0'] }, [incident(CHAIN)]).blamed, []);
});

test('what follows, reported with another root, is a wrong root; what has nothing of the truth is a false incident', () => {
  const brake = incident([link('gpu.power_brake', 'gpu/0000:1b:00.0', 9000)]);
  const wrong = score(TRUTH, [brake]);
  assert.equal(wrong.expected[0]?.incident, brake);
  assert.equal(wrong.expected[0]?.rootRight, false);
  assert.deepEqual(wrong.falseIncidents, []);
  const other = score(TRUTH, [incident([link('host.oom', 'process/1', 9000)])]);
  assert.equal(other.expected[0]?.incident, null);
  assert.equal(other.falseIncidents.length, 1);
});

test('before its time a warning is too soon, and what was only noted is not', () => {
  const [first] = TRUTH.incidents;
  assert.ok(first);
  const truth: Truth = { ...TRUTH, incidents: [{ ...first, notBeforeMs: 9500 }] };
  const seen = { startedMs: 100_000, foundMs: () => 109_000 };
  const [early, later] = [109_000, 109_500].map((ms) =>
    score(truth, [incident(CHAIN)], { ...seen, warnedMs: () => ms }),
  );
  assert.deepEqual(early?.problems, ['reported before 9500 ms of the timeline']);
  assert.equal(later?.right, true);
});

test('until a time nothing may be a warning, whatever it is about', () => {
  const truth: Truth = { ...TRUTH, quietUntilMs: 10_000 };
  const early = score(truth, [incident(CHAIN)], { startedMs: 100_000, warnedMs: () => 109_999 });
  assert.deepEqual(early.problems, [`reported too soon: power.voltage_sag on ${SAG}`]);
  const noted = score(truth, [incident(CHAIN)], { startedMs: 100_000, worst: () => 'info' });
  assert.equal(noted.right, true);
});

test('an open question needs no root: any is right, and a named root is wrong', () => {
  const [first] = TRUTH.incidents;
  assert.ok(first);
  const truth: Truth = { ...TRUTH, incidents: [{ ...first, root: { kinds: [], component: '*' }, undecided: true }] };
  assert.equal(score(truth, [incident(CHAIN, { rootKnown: false })]).right, true);
  assert.match(score(truth, [incident(CHAIN)]).problems.join(), /should be no root cause yet \(of whatever\)/);
});

test('what is to stay apart may have an incident of its own, and no part in what is asked for', () => {
  const other = incident([link('gpu.app_fault', 'gpu/0000:1b:00.0', 9000)], { id: 'b' });
  const truth: Truth = { ...TRUTH, mustNot: [], apart: ['gpu/*'] };
  const own = incident(CHAIN.filter(({ kind }) => kind !== 'gpu.power_brake'));
  const wanted: Truth = { ...truth, incidents: truth.incidents.map((one) => ({ ...one, chain: [] })) };
  assert.equal(score(wanted, [own, other]).right, true);
  assert.deepEqual(score(wanted, [incident(CHAIN), other]).problems, ['must not be blamed: gpu/0000:1b:00.0']);
});

const bounded: readonly [string, Bounds, Partial<Incident>, RegExp | null][] = [
  ['an action that is wrong', { wrongActions: ['check_power_feed'] }, {}, /asks for check_power_feed, which is wrong here/],
  ['too sure', { highestConfidence: 0.85 }, {}, /claimed with 90 %, should be at most 85 %/],
  ['as sure as allowed', { highestConfidence: 0.9, lowestConfidence: 0.9 }, {}, null],
  ['not sure enough', { lowestConfidence: 0.95 }, {}, /claimed with 90 %, should be at least 95 %/],
  ['sure of no root', { highestConfidence: 0.5 }, { rootKnown: false }, null],
  ['too grave', { highestSeverity: 'warning' }, {}, /severity error, should be at most warning/],
  ['not grave enough', { lowestSeverity: 'critical' }, {}, /severity error, should be at least critical/],
  ['as grave as allowed', { highestSeverity: 'error', lowestSeverity: 'error' }, {}, null],
]; // biome-ignore format: a table

for (const [name, bounds, change, problem] of bounded) {
  test(`the bounds of an answer: ${name}`, () => {
    const [first] = TRUTH.incidents;
    assert.ok(first);
    const own: Truth = { ...TRUTH, incidents: [{ ...first, undecided: 'allowed', bounds }] };
    const every: Truth = { ...TRUTH, incidents: [{ ...first, undecided: 'allowed' }], bounds };
    for (const truth of [own, every]) {
      const { problems } = score(truth, [incident(CHAIN, change)]);
      if (problem === null) assert.deepEqual(problems, []);
      else assert.match(problems.join(), problem);
    }
  });
}

test('bounds of one answer do not hold for another incident, those of the truth do', () => {
  const [first] = TRUTH.incidents;
  assert.ok(first);
  const other = incident([link('gpu.app_fault', 'gpu/0000:43:00.0', 9000)], { id: 'b', severity: 'critical' });
  const bounds: Bounds = { highestSeverity: 'error' };
  const own: Truth = { ...TRUTH, incidents: [{ ...first, bounds }] };
  assert.equal(score(own, [incident(CHAIN), other]).right, true);
  assert.match(
    score({ ...TRUTH, bounds }, [incident(CHAIN), other]).problems.join(),
    /gpu\.app_fault.*severity critical/,
  );
});

test('where no page is allowed, one that was taken back is one', () => {
  const truth: Truth = { ...TRUTH, noPage: true };
  assert.equal(score(truth, [incident(CHAIN)]).right, true);
  const problems = score(truth, [incident(CHAIN)], { worst: () => 'critical' }).problems;
  assert.match(problems.join(), /critical, which would page/);
});

test('a job that prints its rate tells how fast it is as well as one that prints the time of a step', () => {
  const rate = { component: null, quantity: 'throughput', before: 476_625, after: 280_368, unit: '1/s', text: '' };
  const impact = [{ ...rate, component: { type: 'job', id: 'train' } } as const];
  assert.equal(score(TRUTH, [incident(CHAIN, { impact })]).right, true);
});
