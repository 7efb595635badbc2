// The prometheus section: off by itself, loopback by itself, another address only where it is written out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaints, load } from '../../config/helpers.ts';

async function listenOf(section: string): Promise<unknown> {
  const { config } = await load(`prometheus: ${section}`);
  return config.prometheus === null ? 'off' : config.prometheus.listen;
}

const CASES: readonly [section: string, expected: unknown][] = [
  ['{}', 'off'],
  ['{enabled: off, listen: "127.0.0.1:9465"}', 'off'],
  ['{enabled: on}', { host: '127.0.0.1', port: 9465 }],
  ['{listen: 127.0.0.1:9465}', { host: '127.0.0.1', port: 9465 }],
  ['{listen: ":9500"}', { host: '127.0.0.1', port: 9500 }],
  ['{listen: "9500"}', { host: '127.0.0.1', port: 9500 }],
  ['{listen: localhost:9500}', { host: '127.0.0.1', port: 9500 }],
  ['{listen: 0.0.0.0:9500}', { host: '0.0.0.0', port: 9500 }],
  ['{listen: 10.1.2.3:1}', { host: '10.1.2.3', port: 1 }],
  ['{listen: "[::1]:65535"}', { host: '::1', port: 65535 }],
  ['{listen: "[::]:9465"}', { host: '::', port: 9465 }],
  ['{enabled: on, listen: none}', null],
];
for (const [section, expected] of CASES) {
  test(`${section} is ${JSON.stringify(expected)}`, async () => assert.deepEqual(await listenOf(section), expected));
}

test('nothing written is off, and the names of dcgm-exporter are asked for', async () => {
  assert.equal((await load('host: node-3')).config.prometheus, null);
  const { config } = await load('prometheus: {enabled: on, dcgm_names: true, max_series: 50}');
  assert.deepEqual([config.prometheus?.dcgmNames, config.prometheus?.maxSeries], [true, 50]);
});

for (const listen of [
  '"127.0.0.1:0"',
  '"127.0.0.1:65536"',
  'all:9465',
  '"*:9465"',
  '"1.2.3:9"',
  '"[x]:9465"',
  '""',
  'x',
]) {
  test(`listen: ${listen} is refused at its place, with what to write`, async () => {
    const [line = ''] = await complaints(`prometheus:\n  listen: ${listen}\n`);
    assert.match(line, /^(?:faultline\.yaml:)?2:11: prometheus\.listen must .*\[FL1106\]$/);
    assert.match(line, /127\.0\.0\.1:9465/);
    assert.doesNotMatch(line, /a name of letters/);
  });
}
