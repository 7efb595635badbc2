import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionText, runbookOf } from '../../../src/incidents/report/advice.ts';
import { wrap } from '../../../src/incidents/report/layout.ts';
import { changeText, numberText, percentText, quantityText } from '../../../src/incidents/report/quantity.ts';
import { durationText, spanText } from '../../../src/incidents/report/when.ts';
import { ACTIONS } from '../../../src/model/action.ts';
import { addressText, indexText, nameText } from '../../../src/model/component-name.ts';
import { plain } from '../../../src/model/plain.ts';
import { T0 } from '../sample.ts';

test('numbers are as exact as people need them', () => {
  const texts = [0, 0.031, 0.95, 1, 9.96, 121.44, 999.4, 999.5, 1640.2, -1095, Number.NaN, 1e300].map(numberText);
  assert.deepEqual(texts, [
    '0',
    '0.031',
    '1',
    '1',
    '10',
    '121.4',
    '999.4',
    '1,000',
    '1,640',
    '-1,095',
    'unknown',
    '1.00e+300',
  ]);
});

test('quantities carry the unit that people use', () => {
  assert.equal(quantityText(109.3, 'V'), '109.3 V');
  assert.equal(quantityText(1.98e9, 'Hz'), '1,980 MHz');
  assert.equal(quantityText(61, 'Cel'), '61 °C');
  assert.equal(quantityText(0.5, '1'), '50 %');
  assert.equal(quantityText(3, ''), '3');
  assert.equal(quantityText(3, 'constructor'), '3 constructor');
});

test('before and after share one unit', () => {
  assert.equal(changeText([0.412], [0.897], 's'), '412 → 897 ms');
  assert.equal(changeText([0.9], [104], 's'), '0.9 → 104 s');
  assert.equal(changeText([1.98e9, 1.98e9], [1.095e9, 1.11e9], 'Hz'), '1,980 → 1,095…1,110 MHz');
  assert.equal(percentText(0.934), '93 %');
  assert.equal(percentText(7), '100 %');
});

test('components go by the names that people use, their address is at hand', () => {
  const gpu = { type: 'gpu', id: '0000:9b:00.0', host: 'node-3', aliases: ['GPU-5d1c', 'gpu 4', '165162'] } as const;
  assert.equal(nameText(gpu), 'node-3 gpu 4');
  assert.equal(addressText(gpu), 'gpu/0000:9b:00.0, GPU-5d1c, serial 165162');
  const { aliases, ...bare } = gpu;
  assert.deepEqual(
    [
      nameText(bare),
      nameText({ type: 'psu', id: 'node-3/1' }),
      nameText({ type: 'pdu_outlet', id: 'pdu-b-rack-14/7' }),
      nameText({ type: 'rank', id: 'llama/34' }),
      nameText({ type: 'nvlink', id: '0000:c1:00.0/1', host: 'node-3' }),
      nameText({ type: 'nic', id: '0000:01:00.0', host: 'node-3', aliases: ['mlx5_0'] }),
      nameText({ type: 'process', id: '15277', host: 'node-3' }),
      nameText({ type: 'host', id: 'node-3' }),
      nameText(null),
    ],
    [
      'node-3 gpu 0000:9b:00.0',
      'node-3 psu 1',
      'pdu-b-rack-14 outlet 7',
      'llama rank 34',
      'node-3 gpu 0000:c1:00.0 link 1',
      'node-3 mlx5_0',
      'node-3 process 15277',
      'node-3',
      'device not named',
    ],
  );
});

test('numbers of siblings are runs', () => {
  assert.equal(indexText(['0', '1', '2', '3']), '0…3');
  assert.equal(indexText(['7', '0', '1', '2', '5', '5']), '0…2, 5, 7');
  assert.equal(indexText(['0', '1']), '0, 1');
  assert.equal(indexText(['0', '2', '4', '6', '8', '10', '12']), '0, 2, 4, 6, 8, 10, …');
  assert.equal(indexText(['a', 'b']), 'a, b');
  assert.equal(indexText(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']), 'a, b, c, d, e, f and 2 more');
});

test('durations have two parts at most', () => {
  const texts = [
    0, 400, 3100, 47_000, 59_400, 59_600, 107_000, 599_700, 720_000, 3_569_000, 3_600_000, 11_400_000, 345_600_000,
  ];
  assert.deepEqual(texts.map(durationText), [
    '0 s',
    '0.4 s',
    '3.1 s',
    '47 s',
    '59 s',
    '1 min',
    '1 min 47 s',
    '10 min',
    '12 min',
    '59 min',
    '1 h',
    '3 h 10 min',
    '4 days',
  ]);
});

test('a duration below a tenth of a second has a unit of its own', () => {
  const texts = [0.000_000_98, 0.000_25, 0.98, 1, 85, 94, 95, 100];
  assert.deepEqual(texts.map(durationText), ['1 ns', '250 ns', '980 µs', '1 ms', '85 ms', '94 ms', '95 ms', '0.1 s']); // biome-ignore format: one line
});

test('a time is one where it is known to the second, else an interval', () => {
  const at = { earliestMs: T0, latestMs: T0 };
  assert.equal(spanText(T0, 0, at, 'UTC'), '14:32:00');
  assert.equal(spanText(T0 + 612, 3, at, 'UTC'), '14:32:00.6');
  assert.equal(spanText(T0, 3, { earliestMs: T0 - 2000, latestMs: T0 }, 'UTC'), '14:31:58 … 14:32:00');
  const stall = { earliestMs: T0 - 16 * 3_600_000, latestMs: T0 };
  assert.equal(spanText(stall.earliestMs, 0, stall, 'UTC'), '2026-11-26 22:32:00 … 14:32:00');
  assert.equal(spanText(T0, 3, at, 'Asia/Kolkata'), '20:02:00.0');
  assert.doesNotThrow(() => spanText(Number.NaN, 3, { earliestMs: -1e300, latestMs: 1e300 }, 'UTC'));
});

test('every action is a sentence about its target', () => {
  for (const action of ACTIONS) assert.ok(actionText(action, 'X', false).length > 5, action);
  assert.equal(actionText('reboot_node', 'node-3', true), 'reboot node-3');
  assert.equal(actionText('reboot_node', 'node-3 gpu 4', false), 'reboot the node of node-3 gpu 4');
  assert.equal(actionText('reset_gpu', null, false), 'reset the device');
  assert.equal(actionText('reset_gpu', '$& $1', false), 'reset $& $1');
  assert.equal(runbookOf('gpu.memory.dbe'), 'docs/runbooks/gpu.md#gpumemorydbe');
});

test('text is plain: no control, no direction mark, no length without end', () => {
  assert.equal(plain('a\u001b[31mb\nc\u202ed\u009be'), 'a\\x1b[31mb c\\u{202e}d\\x9be');
  assert.equal(plain('x'.repeat(1000)).length, 400);
  assert.equal(plain('\ud800'), '\ufffd');
});

test('a line breaks at spaces, a word longer than the line in itself', () => {
  assert.deepEqual(wrap('one two three four', 9), ['one two', 'three', 'four']);
  assert.deepEqual(wrap('abcdefghijklmnop q', 8), ['abcdefgh', 'ijklmnop', 'q']);
  assert.deepEqual(wrap('', 10), ['']);
  assert.deepEqual(wrap('one two   three', 9), ['one two', 'three']);
});
