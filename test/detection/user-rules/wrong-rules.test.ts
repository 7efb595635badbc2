// Rules and detectors that are wrong: each is refused at its line and column, with what to write.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConfig } from '../../../src/daemon/config.ts';

const surroundings = { environment: {}, uid: 0, home: '/root', hostname: 'node-3' };

function check(text: string) {
  return checkConfig(text, '/nowhere/site.yaml', surroundings);
}

const rule = (body: string) => `rules:\n  - name: mine\n    ${body}\n`;

const WRONG: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['nothing to watch', rule('title: x'), /site\.yaml:2:5: rules\[0\] needs one of events, threshold and absent/],
  ['two things to watch', rule('events: {kind: [gpu.lost]}\n    absent: {kind: [gpu.lost], for: 1m}'), /:2:5: .*may have one of/],
  ['a name with capitals', 'rules:\n  - name: Mine\n    events: {kind: [gpu.lost]}\n', /:2:11: .*lower-case letters/],
  ['a name twice', `${rule('events: {kind: [gpu.lost]}')}  - name: mine\n    events: {kind: [gpu.lost]}\n`, /:4:11: .*name of another rule too, .*site\.yaml:2/],
  ['a key that is not known', rule('event: {kind: [gpu.lost]}'), /:3:5: .*Did you mean.*events/],
  ['a kind that is misspelt', rule('events: {kind: [gpu.lsot]}'), /:3:21: .*names no kind. Did you mean: gpu\.lost/],
  ['a pattern that fits no kind', rule('events: {kind: ["foo.*"]}'), /:3:21: .*names no kind/],
  ['the event of a rule', rule('events: {kind: [user.other]}'), /:3:21: .*is the event of a rule/],
  ['no kind', rule('events: {count: 3, within: 1m}'), /:3:\d+: rules\[0\]\.events needs kind/],
  ['a count without a time', rule('events: {kind: [gpu.lost], count: 3}'), /:3:\d+: .*count needs within/],
  ['a count of 0', rule('events: {kind: [gpu.lost], count: 0, within: 1m}'), /:3:39: .*count must be/],
  ['a time without a unit', rule('events: {kind: [gpu.lost], count: 3, within: 10}'), /:3:50: .*within must be/],
  ['another grouping', rule('events: {kind: [gpu.lost], per: gpu}'), /:3:37: .*per must be/],
  ['an attribute without a value', rule('events: {kind: [gpu.lost], where: [xid]}'), /:3:40: .*name=value/],
  ['a component without a type', rule('events: {kind: [gpu.lost], component: foo}'), /:3:43: .*type\/id/],
  ['no series', rule('threshold: {of: gpu, above: 3}'), /:3:\d+: .*needs series/],
  ['a series that is misspelt', rule('threshold: {of: gpu, series: temprature, above: 3}'), /:3:34: .*is not a series of a gpu.* Did you mean: temperature/],
  ['a type of component that is not one', rule('threshold: {of: gpus, series: temperature, above: 3}'), /:3:21: .*Did you mean: gpu/],
  ['no limit', rule('threshold: {of: gpu, series: temperature}'), /needs either above or below/],
  ['both sides', rule('threshold: {of: gpu, series: temperature, above: 3, below: 2}'), /needs either above or below/],
  ['an end beyond the limit', rule('threshold: {of: gpu, series: temperature, above: 80, clear: 90}'), /:3:65: .*clear must be at most 80/],
  ['a key of another type', rule('threshold: {of: gpu, series: temperature, above: 80, per_second: 3}'), /:3:70: .*means nothing to a detector of type level/],
  ['a type that is not one', rule('threshold: {of: gpu, series: x, detector: levl, above: 8}'), /:3:47: .*detector must be/],
  ['a rate without a window', rule('threshold: {of: gpu, series: x, detector: rate, per_second: 3}'), /needs window/],
  ['a drop to the usual value', rule('threshold: {of: gpu, series: x, detector: drop, ratio: 1, window: 1m}'), /ratio must be above 0 and not 1/],
  ['bits that are none', rule('threshold: {of: gpu, series: x, detector: mask, bits: 1.5}'), /bits must be a whole number/],
  ['an absence without a time', rule('absent: {kind: [gpu.lost]}'), /needs for/],
  ['an absence of nothing', rule('absent: {for: 1m}'), /needs either kind .* or series/],
  ['a test without input', rule('events: {kind: [gpu.lost]}\n    tests: [{name: t}]'), /:4:13: .*given/],
  ['a test with neither event nor sample', rule('events: {kind: [gpu.lost]}\n    tests: [{name: t, given: [{at: 0s}]}]'), /:4:\d+: .*needs either kind .* or value/],
  ['a test of a kind that is not one', rule('events: {kind: [gpu.lost]}\n    tests: [{name: t, given: [{at: 0s, kind: gpu.x}]}]'), /:4:46: .*names no kind/],
  ['a detector that is not one', 'detectors:\n  - {name: gpu-thermla, enabled: off}\n', /:2:12: .*Did you mean: gpu-thermal/],
  ['the other side of a detector', 'detectors:\n  - {name: host-cpu-steal, below: 3}\n', /:2:35: .*is the other side/],
  ['a limit that a detector has not', 'detectors:\n  - {name: host-cpu-steal, window: 3m}\n', /:2:36: .*means nothing/],
  ['an end beyond the limit of a detector', 'detectors:\n  - {name: host-cpu-steal, above: 0.2, clear: 0.5}\n', /:2:47: .*clear must be at most/],
]; // biome-ignore format: a table

for (const [what, text, message] of WRONG) {
  test(`refuses ${what}`, async () => {
    await assert.rejects(check(text), (error: Error) => {
      assert.match(error.message, message);
      assert.match(error.message, /FL1106|FL1105|FL1107/);
      return true;
    });
  });
}

test('reports everything that is wrong at once', async () => {
  const text = 'rules:\n  - {name: a, events: {kind: [x.y]}}\n  - {name: b}\ndetectors:\n  - {name: z}\n';
  await assert.rejects(check(text), (error: Error) => {
    assert.equal(error.message.split('\n').length, 3, error.message);
    return true;
  });
});
