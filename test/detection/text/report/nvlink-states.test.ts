// States of links as dcgmi and nvidia-smi print them: only links that were meant to be up count.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reports } from '../../../../src/detection/text/report/reports.ts';

function degradedIn(lines: readonly string[]): unknown[] {
  const reports = new Reports('node-1');
  const found = [...lines.map((line) => reports.take(line)), ...reports.end()];
  return found.flatMap((report) =>
    (report?.findings ?? []).map(({ kind, component, attributes }) => [kind, component, attributes]),
  );
}

function dcgmi(gpus: readonly string[], switches: readonly string[] = []): string[] {
  const titled = (name: string, links: readonly string[]) =>
    links.flatMap((states, i) => [`    ${name} ${i}:`, `        ${states}`]);
  return [
    '+----------------------+',
    '|  NvLink Link Status  |',
    '+----------------------+',
    'GPUs:',
    ...titled('gpuId', gpus),
    'NvSwitches:',
    ...(switches.length === 0 ? ['    No NvSwitches found.'] : titled('physicalId', switches)),
    '',
    'Key: Up=U, Down=D, Disabled=X, Not Supported=_',
  ];
}

test('dcgmi: links that are down, by GPU and by switch', () => {
  assert.deepEqual(degradedIn(dcgmi(['U U U U _ _', 'D D D D _ _', 'U U D U _ _'], ['U U U', 'U D U'])), [
    ['nvlink.degraded', null, { reported_as: 'dcgm', dcgm_gpu: 1, links_down: 4, links: 4 }],
    ['nvlink.degraded', null, { reported_as: 'dcgm', dcgm_gpu: 2, links_down: 1, links: 4, links_named: '2' }],
    ['nvlink.degraded', null, { reported_as: 'dcgm', dcgm_switch: 1, links_down: 1, links: 3, links_named: '1' }],
  ]);
});

test('dcgmi: what is up, disabled or not there is no fault, nor is a row of letters under no GPU', () => {
  assert.deepEqual(degradedIn(dcgmi(['U U U U', 'X X X X', '_ _ _ _', 'U U X _'], ['U X _'])), []);
  assert.deepEqual(degradedIn(['        D D D D', 'Key: Up=U, Down=D, Disabled=X, Not Supported=_']), []);
});

/** `links`: true where one is up. */
function smi(gpus: readonly (readonly [model: string, links: readonly boolean[]])[]): string[] {
  return gpus.flatMap(([model, links], i) => [
    `GPU ${i}: ${model} (UUID: GPU-a1a1a1a1-0000-0000-0000-00000000000${i})`,
    ...links.map((up, link) => `\t Link ${link}: ${up ? '25 GB/s' : '<inactive>'}`),
  ]);
}

test('nvidia-smi: a GPU with fewer links up than its like', () => {
  const all = [true, true, true, true];
  const sxm = 'NVIDIA A100-SXM4-80GB';
  assert.deepEqual(
    degradedIn(
      smi([
        [sxm, all],
        [sxm, [true, false, true, false]],
        [sxm, all],
      ]),
    ),
    [['nvlink.degraded', null, { gpu_index: 1, links_down: 2, links: 4, links_named: '1, 3' }]],
  );
});

test('nvidia-smi: links without a bridge are inactive on cards that are well', () => {
  const none = [false, false, false, false];
  const one = [true, true, false, false];
  assert.deepEqual(degradedIn(smi(['0', '1'].map(() => ['NVIDIA A100-PCIE-40GB', none] as const))), []);
  assert.deepEqual(degradedIn(smi(['0', '1'].map(() => ['NVIDIA RTX A6000', one] as const))), []);
  assert.deepEqual(
    degradedIn(
      smi([
        ['NVIDIA A100-PCIE-40GB', none],
        ['NVIDIA RTX A6000', one],
      ]),
    ),
    [],
  );
});

test('nvidia-smi: a module of a board that is listed alone, some or none of whose links are active', () => {
  const some = [true, false, true, true];
  const none = (index: number, model: string) => [
    `GPU ${index}: ${model} (UUID: GPU-a1a1a1a1-0000-0000-0000-000000000000)`,
    'NVML: Unable to retrieve NVLink information as all links are inActive',
  ];
  assert.deepEqual(degradedIn(smi([['NVIDIA A100-SXM4-40GB', some]])), [
    ['nvlink.degraded', null, { gpu_index: 0, links_down: 1, links: 4, links_named: '1' }],
  ]);
  const indented = smi([['Tesla P100-SXM2-16GB', some]]).map((line) => line.replace('\t', ' '.repeat(8)));
  assert.equal(degradedIn(indented).length, 1);
  assert.deepEqual(degradedIn(none(5, 'NVIDIA H200')), [['nvlink.degraded', null, { gpu_index: 5, links_active: 0 }]]);
  for (const quiet of [
    smi([['NVIDIA A100-PCIE-40GB', some]]),
    smi(['0', '1'].map(() => ['Tesla V100-SXM2-16GB', some] as const)),
    none(0, 'NVIDIA H200'),
    none(5, 'NVIDIA H200 NVL'),
    [...none(4, 'NVIDIA B200'), ...none(5, 'NVIDIA B200')],
  ])
    assert.deepEqual(degradedIn(quiet), [], quiet.join());
});
