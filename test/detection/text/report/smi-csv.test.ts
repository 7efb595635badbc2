// nvidia-smi --query-gpu as CSV: readings, states and faults of each row, by the names of its header.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

const HEADER =
  'timestamp, name, pci.bus_id, temperature.gpu, power.draw [W], utilization.gpu [%], clocks.current.sm [MHz], clocks_event_reasons.hw_power_brake_slowdown, ecc.errors.uncorrected.volatile.dram, remapped_rows.pending';
const ROWS = [
  '2026/11/28 01:02:03.456, NVIDIA H100 80GB HBM3, 00000000:19:00.0, 61, 310.22 W, 99 %, 345 MHz, Active, 0, No',
  '2026/11/28 01:02:03.460, NVIDIA H100 80GB HBM3, 00000000:3B:00.0, 44, 110.10 W, [N/A], 1980 MHz, Not Active, 3, Yes',
];
const LOST = `2026/11/28 01:02:03.470, NVIDIA H100 80GB HBM3, 00000000:4C:00.0, ${Array(7).fill('[GPU is lost]').join(', ')}`;
const FAULTS = [
  ['gpu.power_brake', 'gpu/0000:19:00.0'],
  ['gpu.memory.dbe', 'gpu/0000:3b:00.0'],
  ['gpu.memory.row_remap_pending', 'gpu/0000:3b:00.0'],
  ['gpu.lost', 'gpu/0000:4c:00.0'],
];

for (const [form, rows] of [
  ['with units', ROWS],
  ['without units', ROWS.map((row) => row.replace(/(\d) (?:W|%|MHz)(?=,)/g, '$1'))],
] as const)
  test(`a row ${form} has the readings and faults of its GPU, in SI, at its time`, () => {
    const { readings, faults, findings, states, taken } = readReport([HEADER, ...rows, LOST].join('\n'));
    assert.deepEqual(taken, [true, true, true, true]);
    assert.deepEqual(faults, FAULTS);
    assert.deepEqual(
      readings.map(({ component, quantity, value, unit }) => [component, quantity, value, unit]),
      [
        ['gpu/0000:19:00.0', 'temperature', 61, '°C'],
        ['gpu/0000:19:00.0', 'power', 310.22, 'W'],
        ['gpu/0000:19:00.0', 'utilization', 0.99, '1'],
        ['gpu/0000:19:00.0', 'clock', 345e6, 'Hz'],
        ['gpu/0000:3b:00.0', 'temperature', 44, '°C'],
        ['gpu/0000:3b:00.0', 'power', 110.1, 'W'],
        ['gpu/0000:3b:00.0', 'clock', 1980e6, 'Hz'],
      ],
    );
    assert.ok(states.some(({ name, value }) => name === 'hw_power_brake_slowdown' && value === 'active'));
    assert.equal(findings[0]?.timeMs, Date.UTC(2026, 10, 28, 1, 2, 3, 456));
  });

test('a loop of hours: each row is read, its header printed again, and what began in the middle is at its time', () => {
  const row = (second: number, brake: string) => {
    const stamp = new Date(Date.UTC(2026, 10, 28, 1, 0, second)).toISOString().replace(/-/g, '/').replace('T', ' ');
    return `${stamp.slice(0, -1)}, NVIDIA H100 80GB HBM3, 00000000:19:00.0, 61, 310.22 W, 99 %, 345 MHz, ${brake}, 0, No`;
  };
  const rows = Array.from({ length: 9000 }, (_, i) => row(i, i === 6000 ? 'Active' : 'Not Active'));
  const { readings, findings, taken } = readReport(
    [HEADER, ...rows.slice(0, 5000), HEADER, ...rows.slice(5000)].join('\n'),
  );
  assert.ok(taken.every((each) => each) && taken.length === 9002);
  assert.equal(readings.length, 4 * 9000);
  assert.deepEqual(findings.map(({ kind, timeMs }) => [kind, timeMs]), [['gpu.power_brake', Date.UTC(2026, 10, 28, 1, 0, 6000)]]); // biome-ignore format: one line
});

test('without a header only a GPU that does not answer is to be seen', () => {
  const { faults, readings } = readReport([...ROWS, LOST].join('\n'));
  assert.deepEqual([faults, readings], [[['gpu.lost', 'gpu/0000:4c:00.0']], []]);
});

test('GPUs without an address are told apart by their numbers, and give no readings', () => {
  const { findings, readings } = readReport(
    'index, temperature.gpu, remapped_rows.failure\n0, 50, Yes\n1, [Unknown Error], [Unknown Error]\n2, 40, No',
  );
  assert.deepEqual(
    findings.map(({ kind, component, discriminator }) => [kind, component, discriminator]),
    [
      ['gpu.memory.row_remap_failed', null, '0'],
      ['gpu.fault', null, '1'],
    ],
  );
  assert.deepEqual(readings, []);
});

test('tables of other programs report nothing', () => {
  for (const text of [
    'epoch, loss, lr\n1, 0.5, 0.1',
    'name, value\nActive, Yes',
    'pid, process_name, used_gpu_memory [MiB]\n123, python3, 4096 MiB',
  ]) {
    const { readings, faults } = readReport(text);
    assert.deepEqual([readings, faults], [[], []], text);
  }
});

test('a GPU that nvidia-smi cannot ask is seen also where its words are quoted', () => {
  const words =
    'Unable to determine the device handle for GPU 0000:C1:00.0: GPU is lost.  Reboot the system to recover this GPU';
  for (const text of [words, `  \`${words}\``, `> ${words}`])
    assert.deepEqual(readReport(text).faults, [['gpu.lost', 'gpu/0000:c1:00.0']], text);
  assert.deepEqual(readReport(`we saw "${words}"`).faults, []);
});

test('without a header the command above the rows has the names; a note behind a row is none of its values', () => {
  const command = '# nvidia-smi --query-gpu=index,gpu_recovery_action --format=csv,noheader';
  const rows = ['0, None', '1, Reset   <= GPU is unusable, reset required ', '2, None'];
  const { faults, findings } = readReport([command, ...rows].join('\n'));
  assert.deepEqual(faults, [['gpu.recovery_action', null]]);
  assert.equal(findings[0]?.discriminator, '1');
  assert.deepEqual(readReport(rows.join('\n')).faults, []);
  assert.deepEqual(readReport(['nvidia-smi --query-gpu=index,gpu_recovery_action', ...rows].join('\n')).faults, []);
});

test('a limit or fan that a card does not have is not a fault of it, a reading that it does not give is', () => {
  const header = 'name, pci.bus_id, temperature.gpu, fan.speed [%], power.default_limit [W]';
  const row = (temperature: string) => `NVIDIA L4, 00000000:19:00.0, ${temperature}, [Unknown Error], [Unknown Error]`;
  assert.deepEqual(readReport([header, row('56')].join('\n')).faults, []);
  assert.deepEqual(readReport([header, row('[Unknown Error]')].join('\n')).faults, [['gpu.fault', 'gpu/0000:19:00.0']]);
});
