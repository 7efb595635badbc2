// The table of nvidia-smi: a GPU of which no number is reported cannot be read, in whatever words its row says so.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SmiTable } from '../../../../src/detection/text/report/smi-table.ts';

function found(first: string, second: string): (readonly [string, string | undefined, unknown])[] {
  const reader = new SmiTable('gx-5');
  return [first, second].flatMap((line) =>
    (reader.take(line)?.findings ?? []).map(
      ({ kind, component, attributes }) => [kind, component?.id, attributes?.reported_as] as const,
    ),
  );
}

const BUS = '0000:5d:00.0';
const FIRST = '|   3  NVIDIA A100-SXM4-80GB          On  |   00000000:5D:00.0 Off |                 ERR! |';

test('the words of the driver in the place of the memory are what happened to the GPU', () => {
  const row = (words: string): string => `|ERR!   ERR! ERR!           ERR! / ERR! |  ${words}  |    ERR!      ERR! |`;
  assert.deepEqual(found(FIRST, row('     GPU is lost')), [['gpu.lost', BUS, 'GPU is lost']]);
  assert.deepEqual(found(FIRST, row(' Unknown Error')), [['gpu.missing', BUS, 'Unknown Error']]);
  assert.deepEqual(found(FIRST, row('GPU requires reset')), [['gpu.fault', BUS, 'GPU requires reset']]);
  assert.deepEqual(found(FIRST, row('   Function Not Found')), [['gpu.fault', BUS, 'ERR!']]);
  assert.deepEqual(found('|   3  ERR!                ERR! | 00000000:5D:00.0 ERR!|                 ERR! |', row('GPU is lost')), [['gpu.lost', BUS, 'GPU is lost']]); // biome-ignore format: one line
  assert.deepEqual(found(FIRST.replace(' Off |', ' ERR! |'), row('GPU is lost')), [['gpu.lost', BUS, 'GPU is lost']]);
});

test('a GPU that tells its memory and power is read', () => {
  const sound = '| N/A   34C    P0              71W / 400W |      4MiB / 81920MiB |      0%      Default |';
  assert.deepEqual(found(FIRST, sound), []);
  assert.deepEqual(found(FIRST, sound.replace('4MiB / 81920MiB', 'N/A            ')), []);
});
