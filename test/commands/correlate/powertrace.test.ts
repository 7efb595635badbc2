// PowerTrace's scorer: its penalties, its baseline and its windows, on small inputs whose answers its own engine gave.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chains } from '../../../src/commands/correlate/powertrace/chain.ts';
import { degradations } from '../../../src/commands/correlate/powertrace/degradations.ts';
import { powerTraceReport } from '../../../src/commands/correlate/powertrace/incidents.ts';
import { inOrder } from '../../../src/commands/correlate/powertrace/ordered-events.ts';
import { overlapsOf } from '../../../src/commands/correlate/powertrace/overlaps.ts';
import { rounded } from '../../../src/commands/correlate/powertrace/round.ts';
import { servicesOfDevices } from '../../../src/commands/correlate/powertrace/services-of-devices.ts';
import { powerTraceMarkdown, powerTraceText } from '../../../src/commands/correlate/powertrace/text.ts';
import { seriesOf } from '../../../src/commands/correlate/series.ts';
import { DEFAULTS, event, mapping, points, records, START_S } from './files.ts';

const SLOW = points([100, 100, 100, 300, 310, 100]);
const found = (own: Parameters<typeof seriesOf>[0]) => degradations(seriesOf(own), 600);

function scoresOf(events: Parameters<typeof inOrder>[0], mappings?: Parameters<typeof records>[2]): number[] {
  const { incidents } = powerTraceReport(records(events, SLOW, mappings), DEFAULTS);
  return incidents.flatMap(({ chain }) => chain.steps.map(({ score }) => score));
}

test('each penalty: lag, severity, gap, no mapping, a mapping to other services only', () => {
  assert.deepEqual(scoresOf([event(30)]), [0.9]);
  assert.deepEqual(scoresOf([event(24)]), [0.894]);
  assert.deepEqual(scoresOf([event(30, { severity: 'medium' })]), [0.88]);
  assert.deepEqual(scoresOf([event(30, { severity: 'low' })]), [0.85]);
  assert.deepEqual(scoresOf([event(-5)]), [0.65]);
  assert.deepEqual(scoresOf([event(30, { device: 'unknown' })]), [0.7]);
  assert.deepEqual(scoresOf([event(10), event(30)]), [0.88, 0.8]);
  assert.deepEqual(scoresOf([event(-1), event(30)]), [0.65, 0.65]);
  assert.deepEqual(scoresOf([event(30)], [mapping('pdu', { services: ['another'] })]), [0.82]);
});

test('a device of other services alone is left out where one of this service is near', () => {
  const mappings = [mapping('pdu', { services: ['another'] }), mapping('host', { services: ['api'] })];
  const { incidents } = powerTraceReport(records([event(29), event(30, { device: 'host' })], SLOW, mappings), DEFAULTS);
  assert.deepEqual(incidents.map(({ chain }) => chain.steps.map((step) => step.event.device)), [['host']]); // biome-ignore format: one line
});

test('at equal times the physical source comes first', () => {
  const [first] = inOrder([event(1, { source: 'nvml', id: 'gpu' }), event(1, { id: 'feed' })], new Map()).events;
  assert.equal(first?.id, 'feed');
});

test('the baseline is locked at the first point with two before it', () => {
  const { windows } = found(points([100, 200, 400, 290, 150]));
  assert.deepEqual(
    windows.map(({ baseline, places }) => [baseline.p99, places.length]),
    [[150, 1]],
  );
  assert.deepEqual(found(points([100, 100, 400], { everyS: 700 })).windows, []);
});

test('a gap of more than 30 s makes two windows; without errors before, more than 1 % of them is one', () => {
  assert.equal(found([...points([100, 100, 300]), ...points([300], { fromS: 50 })]).windows.length, 1);
  assert.equal(found([...points([100, 100, 300]), ...points([300], { fromS: 51 })]).windows.length, 2);
  const failing = points([100, 100, 100, 100]).map((point, index) => ({ ...point, errorRate: index === 3 ? 1.01 : 0 }));
  assert.equal(found(failing).windows.length, 1);
});

test('a NaN in the baseline leaves the error rate as the only trigger', () => {
  assert.deepEqual(found(points([Number.NaN, 100, 300])).windows, []);
});

test('feeds are followed for three passes, in the order of the mappings', () => {
  const chain = Array.from({ length: 9 }, (_, i) =>
    mapping(`d${i}`, i < 8 ? { feeds: [`d${i + 1}`] } : { services: ['api'] }),
  );
  const reached = (mappings: typeof chain) =>
    [...servicesOfDevices(mappings)].filter(([, { size }]) => size > 0).length;
  assert.equal(reached(chain), 4);
  assert.equal(reached(chain.toReversed()), 9);
});

test('no event near a degradation gives no incident; one with little confidence is marked', () => {
  assert.deepEqual(powerTraceReport(records([event(-31)], SLOW), DEFAULTS).incidents, []);
  const { incidents } = powerTraceReport(records([event(-20)], SLOW), { ...DEFAULTS, confidence: 0.7 });
  assert.deepEqual(incidents.map(({ isLow }) => isLow), [true]); // biome-ignore format: one line
});

test('long gaps, devices in no mapping and overlaps are warned of', () => {
  const two = [...SLOW, ...points([50, 50, 50, 400], { service: 'b' })];
  const { incidents, warnings, unmappedDevices } = powerTraceReport(
    records([event(-2), event(30, { device: 'x' })], two),
    DEFAULTS,
  );
  assert.equal(incidents.length, 2);
  assert.match(
    incidents[0]?.warnings.join('\n') ?? '',
    /'x' is in no mapping.*\n32 s lie between.*\nIncidents of 'api' and 'b' overlap/,
  );
  assert.deepEqual([warnings, unmappedDevices], [3, 1]);
});

test('pairs of intervals that overlap, as looking at each pair finds them', () => {
  let state = 7;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const intervals = Array.from({ length: 200 }, () => {
    const startS = random(1000);
    return { startS, endS: startS + random(40) - 5 };
  });
  const all: [number, number][] = [];
  for (const [a, one] of intervals.entries())
    for (const [b, other] of intervals.entries())
      if (a < b && one.startS <= other.endS && other.startS <= one.endS) all.push([a, b]);
  assert.ok(all.length > 100);
  const pairs = overlapsOf(intervals).flatMap((others, a) => others.filter((b) => a < b).map((b) => [a, b]));
  assert.deepEqual(pairs, all);
  const back = overlapsOf(intervals).flatMap((others, a) => others.filter((b) => b < a).map((b) => [b, a]));
  assert.equal(back.length, all.length);
});

test('numbers are rounded as Python does', () => {
  assert.deepEqual([rounded(106.75, 1), rounded(106.25, 1), rounded(0.15, 1), rounded(2.675, 2), rounded(0.5, 0), rounded(1.5, 0)], [106.8, 106.2, 0.1, 2.67, 0, 2]); // biome-ignore format: one line
  assert.ok(Number.isNaN(rounded(Number.NaN, 1)));
});

test('a chain of none is null', () => {
  const [window] = found(SLOW).windows;
  assert.ok(window);
  assert.equal(new Chains(inOrder([], new Map()), DEFAULTS).of(window), null);
});

test('the text shows when it broke, the table its peak, and names from files are no markup', () => {
  const report = powerTraceReport(records([event(29, { device: 'a|`b\u001b[31m' })], SLOW), {
    ...DEFAULTS,
    gpuRate: 36,
  });
  const text = powerTraceText(report);
  assert.match(text, /P99: 100 ms → 300 ms \(\+200 %\)/);
  assert.match(text, /Cost: 0\.11 USD/);
  const markdown = powerTraceMarkdown(report);
  assert.match(markdown, /P99: 100 ms → 310 ms \(\+210 %\)/);
  assert.ok(!`${text}${markdown}`.includes('\u001b'));
  assert.match(markdown, /`a\\\|'b/);
  assert.ok(report.incidents.every(({ startS }) => startS === START_S + 29));
});

test('6, 7: percentages are rounded, not cut off, and the peak of latency is next to what got through then', () => {
  const lost = SLOW.map((point) => ({ ...point, throughput: point.p99 === 310 ? 39 : point.p99 === 300 ? 43 : 100 }));
  const markdown = powerTraceMarkdown(powerTraceReport(records([event(24), event(26)], lost), DEFAULTS));
  assert.match(markdown, /P99: 100 ms → 310 ms/);
  assert.match(markdown, /Throughput: 100 → 39 requests\/s \(-61 %\)/);
  // A score of 0.896: PowerTrace shows 89 %.
  assert.match(markdown, /\| voltage_sag \| `pdu` \| 90 % \| 2\.0 s \|/);
});
