// The table of rocm-smi: a row a GPU, as releases 5 and 6 lay it out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

const SIX = [
  '============================================ ROCm System Management Interface ============================================',
  '====================================================== Concise Info ======================================================',
  'Device  Node  IDs              Temp        Power     Partitions          SCLK     MCLK     Fan  Perf  PwrCap  VRAM%  GPU%  ',
  '              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)                                                    ',
  '==========================================================================================================================',
  '0       2     0x74a1,   28851  104.0°C     701.0W    NPS1, SPX, 0        1200Mhz  1300Mhz  0%   auto  750.0W  92%    100%  ',
  '==========================================================================================================================',
  '================================================== End of ROCm SMI Log ===================================================',
];
const FIVE = [
  '======================= ROCm System Management Interface =======================',
  '================================= Concise Info =================================',
  'GPU  Temp (DieEdge)  AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%  ',
  '0    39.0c           35.0W   800Mhz  1200Mhz  0%   auto  300.0W    0%   7%    ',
];

for (const [release, text, temperature, power, limit, busy] of [
  ['6', SIX, 104, 701, 750, 1],
  ['5', FIVE, 39, 35, 300, 0.07],
] as const)
  test(`release ${release}: each row has the readings of its GPU, and no fault`, () => {
    const { readings, faults, taken } = readReport(text.join('\n'));
    assert.ok(taken.every((each) => each));
    assert.deepEqual(faults, []);
    assert.deepEqual(
      readings.map(({ component, quantity, value }) => [component, quantity, value]),
      [
        ['gpu/0', 'temperature_junction', temperature],
        ['gpu/0', 'power', power],
        ['gpu/0', 'power_limit', limit],
        ['gpu/0', 'utilization', busy],
      ],
    );
  });

test('a row without the head of the table is of anything', () => {
  assert.deepEqual(readReport(SIX.slice(5, 6).join('\n')).readings, []);
});

test('a GPU of which nothing can be read is one that does not answer, by its number', () => {
  const row = '0    N/A   N/A     None  None  0.0%  unknown  Unsupported    0%   0%    ';
  const { faults, findings } = readReport([...FIVE.slice(0, 3), row].join('\n'));
  assert.deepEqual(faults, [['gpu.access_lost', null]]);
  assert.equal(findings[0]?.attributes.gpu_index, 0);
  assert.deepEqual(readReport(row).faults, []);
});

test('a GPU that answers nothing is one in the layout of release 6, too, with its partitions not known', () => {
  for (const rest of [
    'N/A, N/A, 0         unsupported  Unsupported  0%   unknown  N/A     0%     0%',
    'None  None  0%  unknown  N/A  0%  0%',
  ]) {
    const row = `3       5     0x74a1,   51499  N/A         N/A       ${rest}`;
    const { faults, findings } = readReport([...SIX.slice(0, 6), row].join('\n'));
    assert.deepEqual(faults, [['gpu.access_lost', null]], rest);
    assert.equal(findings[0]?.attributes.gpu_index, 3);
  }
  // A GPU that sleeps has clocks, though its sensors are off.
  const asleep =
    '3       5     0x74a1,   51499  N/A         N/A       NPS1, SPX, 0        132Mhz  900Mhz  0%   auto  750.0W  0%    0%  ';
  assert.deepEqual(readReport([...SIX.slice(0, 6), asleep].join('\n')).faults, []);
});
