// dcgmi's tables and JSON, and the lines of its engine: the forms of DCGM 3 and 4 with its own messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DcgmTables } from '../../../../src/detection/text/report/dcgm-tables.ts';
import { Reports } from '../../../../src/detection/text/report/reports.ts';
import { readReport } from './read-report.ts';

const DISCOVERY = `+--------+----------------------------------------------------------------------+
| GPU ID | Device Information                                                   |
+--------+----------------------------------------------------------------------+
| 0      | Name: NVIDIA H100 80GB HBM3                                          |
|        | PCI Bus ID: 00000000:19:00.0                                         |
|        | Device UUID: GPU-a1a1a1a1-0000-0000-0000-000000000000                |
+--------+----------------------------------------------------------------------+
| 3      | Name: NVIDIA H100 80GB HBM3                                          |
|        | PCI Bus ID: 00000000:3B:00.0                                         |
+--------+----------------------------------------------------------------------+
`;
const HEALTH = `+---------------------------+------------------------------------------------------------+
| Health Monitor Report                                                                  |
+===========================+============================================================+
| Overall Health            | Failure                                                    |
| GPU                       |                                                            |
| -> 3                      | Failure                                                    |
|    -> Errors              |                                                            |
|       -> Memory system    | Failure                                                    |
|                           | GPU 3 had uncorrectable memory errors and row remapping    |
|                           | failed. Run a field diagnostic on the GPU.                 |
|       -> NVLINK system    | Failure                                                    |
|                           | GPU 3's NvLink link 4 is currently down Run a field        |
|                           | diagnostic on the GPU.                                     |
+---------------------------+------------------------------------------------------------+
`;
const DIAG = `+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Metadata  ----------+------------------------------------------------|
| DCGM Version              | 4.1.1                                          |
|-----  Deployment  --------+------------------------------------------------|
| software                  | Fail                                           |
|                           | GPU0: Fail                                     |
| Warning: GPU0             | Persistence mode for GPU 0 is disabled.        |
+-----  Integration  -------+------------------------------------------------+
| pcie                      | Fail                                           |
|                           | GPU0: Fail                                     |
| Warning: GPU0             | GPU 0 is running at PCI link width 8X, which  |
|                           | is below the minimum allowed link generation o |
|                           | f 16 (parameter 'min_pci_width')               |
|                           | GPU3: Pass                                     |
+-----  Hardware  ----------+------------------------------------------------+
| memory                    | Fail                                           |
|                           | GPU0: Pass                                     |
|                           | GPU3: Fail                                     |
+-----  Stress  ------------+------------------------------------------------+
| sm_stress                 | Skip                                           |
+---------------------------+------------------------------------------------+
`;

test('health: what each GPU has, messages over several rows, GPUs by the addresses that dcgmi lists', () => {
  assert.deepEqual(readReport(DISCOVERY + HEALTH).faults, [
    ['gpu.memory.row_remap_failed', 'gpu/0000:3b:00.0'],
    ['nvlink.degraded', 'gpu/0000:3b:00.0'],
  ]);
});

test('health: a fault is as grave as DCGM finds the system that it is of', () => {
  const table = (result: string, ...message: readonly string[]): string =>
    [
      '| Health Monitor Report                                                                  |',
      '+===========================+============================================================+',
      '| -> 6                      | X                                                          |',
      `|       -> InfoROM system   | ${result.padEnd(58)} |`,
      ...message.map((part) => `|                           | ${part.padEnd(58)} |`),
      '+---------------------------+------------------------------------------------------------+',
    ].join('\n');
  const rom = readReport(table('Failure', 'A corrupt InfoROM has been detected in GPU 6.')).findings;
  assert.deepEqual(
    rom.map(({ kind, severity, attributes }) => [kind, severity, attributes.says]),
    [['gpu.fault', 'error', 'corrupt InfoROM']],
  );
  const replays = 'Detected more than 8 PCIe replays per minute for GPU 6 : 17';
  assert.deepEqual(
    ['Warning', 'Failure'].map((result) => readReport(table(result, replays)).findings.map(({ severity }) => severity)),
    [['warning'], ['error']],
  );
});

test("DCGM's number is not an address: without its list the GPU stays unnamed", () => {
  const { faults, findings } = readReport(HEALTH);
  assert.deepEqual(faults.map(([, component]) => component), [null, null]); // biome-ignore format: one line
  assert.equal(findings[0]?.attributes.dcgm_gpu, 3);
});

test('health: a system that failed in words that are not known is a fault of its GPU, and one in known words is not another', () => {
  const unknown = HEALTH.replace(/ GPU 3 had uncorrectable memory errors and row remapping {4}/, ' A fault of GPU 3 in words of a release to come.            ').replace('failed. Run a field diagnostic on the GPU. ', 'Reset the GPU.                             '); // biome-ignore format: one text
  const { faults, findings } = readReport(DISCOVERY + unknown);
  assert.deepEqual(faults, [
    ['gpu.fault', 'gpu/0000:3b:00.0'],
    ['nvlink.degraded', 'gpu/0000:3b:00.0'],
  ]);
  // What is to be done its own message says.
  const said = 'A fault of GPU 3 in words of a release to come. Reset the GPU.';
  assert.deepEqual(findings[0]?.attributes, { reported_as: 'dcgm', dcgm_gpu: 3, action: 'drain_reset_gpu', test: 'Memory system', result: 'Failure', said }); // biome-ignore format: one line
  assert.ok(findings[0]?.lines?.some((line) => line.includes('in words of a release')));
});

test('the diagnostic: why a test failed, and a test of hardware that failed without a word why', () => {
  const { faults, findings } = readReport(DISCOVERY + DIAG);
  assert.deepEqual(faults, [
    ['pcie.link_degraded', 'gpu/0000:19:00.0'],
    ['gpu.fault', 'gpu/0000:3b:00.0'],
  ]);
  assert.deepEqual(findings[1]?.attributes, { reported_as: 'dcgm', dcgm_gpu: 3, test: 'memory', result: 'Fail' });
});

test('the older table names the GPUs in the result', () => {
  const { faults, findings } =
    readReport(`+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
| Persistence Mode          | Pass                                           |
+-----  Hardware  ----------+------------------------------------------------+
| GPU Memory                | Fail - GPUs: 2, 5                              |
+---------------------------+------------------------------------------------+`);
  assert.deepEqual(faults.map(([kind]) => kind), ['gpu.fault', 'gpu.fault']); // biome-ignore format: one line
  assert.deepEqual(findings.map(({ attributes }) => attributes.dcgm_gpu), [2, 5]); // biome-ignore format: one line
});

test('a clean run says nothing', () => {
  const { faults } = readReport(
    DISCOVERY +
      DIAG.replaceAll('Fail', 'Pass').replace(/\| Warning[^\n]*\n(?:\| {27}\| (?!GPU)[^\n]*\n)*/g, '') +
      HEALTH.replaceAll('Failure', 'Healthy').replace(/\| {4}-> [\s\S]*?\n\+/, '+'),
  );
  assert.deepEqual(faults, []);
});

test('JSON of the diagnostic, and what the engine logs', () => {
  const { findings } = readReport(`                  "warning" : "Detected XID 79 for GPU 1",
ERROR [1514002:1514004] [[Health]] Detected a WARNING in health system Thermal: 'Detected clocks event due to thermal violation in GPU 2. Verify that the cooling works.'
                  "warning" : "GPU 4 requires a reset to recover from a fault. Recovery action: 1 (GPU_RESET)."`);
  assert.deepEqual(
    findings.map(({ kind, attributes }) => [kind, attributes.dcgm_gpu]),
    [['gpu.lost', 1], ['gpu.thermal_throttle', 2], ['gpu.recovery_action', 4]], // biome-ignore format: one line
  );
});

test('a table whose head was cut off begins at a test of hardware and its result', () => {
  const { faults, findings } =
    readReport(`| GPU Memory                | Pass - GPUs: 1, 2                              |
|                           | Fail - GPU: 0                                  |
| Warning                   | GPU 0 Thermal violations totaling 13.3 second  |
|                           | s started at 9.7 seconds into the test for GP  |
|                           | U 0 Verify that the cooling works.             |`);
  assert.deepEqual(faults, [['gpu.thermal_throttle', null]]);
  assert.equal(findings[0]?.attributes.dcgm_gpu, 0);
  assert.deepEqual(readReport('| GPU Memory | 80 GB |\n| Warning | Thermal violations totaling 3 |').faults, []);
});

test('tables of others are left alone', () => {
  const lines = ['| name | value |', '+------+-------+', '| loss | 2.1 |'];
  assert.deepEqual(readReport(lines.join('\n')).taken, [false, false, false]);
});

test('a test that failed is shown by its own line, with its GPU', () => {
  const table = new DcgmTables('node-1');
  const failed = '| PCIe                      | Fail - GPU: 5                                  |';
  const found = [
    '| Diagnostic                | Result                                         |',
    failed,
    '|-----  Hardware  ----------+------------------------------------------------|',
  ].flatMap((line) => table.take(line)?.findings ?? []);
  assert.deepEqual(
    found.map(({ lines, attributes }) => [lines, attributes.dcgm_gpu, attributes.test]),
    [[[failed], 5, 'PCIe']],
  );
});

test('the GPU of a test that failed is reported below those that passed, and at the end of a cut table', () => {
  const { faults } = (() => {
    const reader = new DcgmTables('node-1');
    const lines = [
      '| GPU Memory                | Pass - GPU: 1                                  |',
      '|                           | Fail - GPU: 0                                  |',
    ];
    const found = [...lines.map((line) => reader.take(line)), reader.end()];
    return { faults: found.flatMap((each) => each?.findings ?? []) };
  })();
  assert.deepEqual(
    faults.map(({ kind, attributes }) => [kind, attributes?.dcgm_gpu]),
    [['gpu.fault', 0]],
  );
});

test('a test of PCIe that failed for its replays is an error, not a warning: someone is to look at the hardware', () => {
  const { findings } = readReport(
    [
      '| Diagnostic                | Result                                         |',
      '|-----  Integration  -------+------------------------------------------------|',
      '| PCIe                      | Fail - GPU: 2                                  |',
      '| Warning                   | GPU 2 Detected 300 PCIe replays per minute for |',
      '|                           |  GPU 2 : 8 DCGM expects < 80.                  |',
      '+---------------------------+------------------------------------------------+',
    ].join('\n'),
  );
  assert.deepEqual(
    findings.map(({ kind, severity, attributes }) => [kind, severity, attributes?.action]),
    [['pcie.corrected', 'error', 'inspect_hardware']],
  );
});

test('a message by itself, as an exporter or a condition of a node has it, is read from its first word', () => {
  const said = (line: string) => new DcgmTables('gx-4').take(line)?.findings.map(({ kind }) => kind) ?? [];
  const lines: readonly (readonly [line: string, kind: string])[] = [
    ['Detected 2 volatile double-bit ECC error(s) in GPU 3. Drain the GPU and reset it or reboot the node.', 'gpu.memory.dbe'],
    ['GPU 5 had uncorrectable memory errors and row remapping failed. Run a field diagnostic on the GPU.', 'gpu.memory.row_remap_failed'],
    ["GPU 2's NvLink link 7 is currently down Check DCGM and system logs for errors.", 'nvlink.degraded'],
    ['GPU 4 has fallen off the bus', 'gpu.lost'],
    ['GPU 1 is running at PCI link width 8X, which is below the minimum allowed link width of 16X (parameter min_pci_width)', 'pcie.link_degraded'],
    ['Detected clocks event due to thermal violation in GPU 6. Verify that the cooling on this machine is functional.', 'gpu.thermal_throttle'],
    ['Detected XID 79 for GPU 4 Please consult the documentation for details of this XID.', 'gpu.lost'],
  ]; // biome-ignore format: one line each
  for (const [line, kind] of lines) {
    assert.deepEqual(said(line), [kind], line);
    assert.deepEqual(
      new Reports('gx-4').take(line)?.findings.map((finding) => finding.kind),
      [kind],
      line,
    );
    for (const quote of [`> ${line}`, `looking for "${line}"`, `if ${line}`]) assert.deepEqual(said(quote), [], quote);
  }
  for (const line of [
    'GPU 3 calculated at approximately 19123.12 gigaflops during this test',
    'GPU 3 is running at 1980 MHz',
    'Detected 8 GPUs',
    'A pending job has been detected in GPU 3.',
  ])
    assert.deepEqual(said(line), [], line);
});
