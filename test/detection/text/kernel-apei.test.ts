// Hardware errors that firmware reports (APEI, GHES): many lines, one event, at the part that the firmware names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KernelContext, kernelContext } from '../../../src/detection/text/kernel.ts';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import { componentText } from '../../../src/model/component.ts';
import { decodeLines, kernelRecord, START_MS } from './lines.ts';

/** One record of `number` about one section, with the words of the section last. */
function record(number: number | null, grade: string, type: string, ...words: readonly string[]): string[] {
  const head = `${number === null ? '' : `{${number}}`}[Hardware Error]: `;
  return [
    ...(number === null ? [] : [`${head}Hardware error from APEI Generic Hardware Error Source: 4`]),
    ...(grade === 'corrected' ? [`${head}It has been corrected by h/w and requires no further action`] : []),
    `${head}event severity: ${grade}`,
    `${head} Error 0, type: ${grade}`,
    ...words.filter((line) => line.startsWith('fru')).map((line) => `${head} ${line}`),
    `${head}  section_type: ${type}`,
    ...words.filter((line) => !line.startsWith('fru')).map((line) => `${head}  ${line}`),
  ];
}

/** The events, the last of them by a line that comes much later. */
function decoded(lines: readonly string[], context: KernelContext = kernelContext('node-1')) {
  return decodeLines([...lines, '{999}[Hardware Error]: event severity: info'], context).map((event) => [
    event.kind,
    event.severity,
    event.component === null ? null : componentText(event.component),
  ]);
}

test('an uncorrected error of memory is one event of the DIMM, by the name on the board', () => {
  const lines = record(
    1, 'recoverable', 'memory error', 'fru_text: Card01, ChnA, DIMM0', 'error_status: 0x0000000000000000',
    'physical_address: 0x0000000e16677000', 'node: 0 card: 0 module: 0 rank: 0 bank: 2 device: 0 row: 56265 column: 696 ',
    'DIMM location: CPU 1 DIMM 5 ',
  ); // biome-ignore format: as the kernel has it
  const [event, ...others] = decodeLines([...lines, '{2}[Hardware Error]: event severity: info']);
  assert.deepEqual(others, []);
  assert.equal(event?.kind, 'memory.ue');
  assert.equal(event?.component?.id, 'node-1/CPU 1 DIMM 5');
  assert.equal(event?.attributes?.fru, 'Card01, ChnA, DIMM0');
  assert.equal(event?.attributes?.physical_address, '0x0000000e16677000');
  assert.equal(event?.timeMs, START_MS);
});

test('the part is named by what the firmware has: the board, the unit, or the host alone', () => {
  const at = (...words: readonly string[]) => decoded(record(7, 'fatal', 'memory error', ...words));
  assert.deepEqual(at('fru_text: P1-DIMMA1'), [['memory.ue', undefined, 'dimm/node-1/P1-DIMMA1']]);
  assert.deepEqual(at('DIMM location: not present. DMI handle: 0x0011 '), [['memory.ue', undefined, 'host/node-1']]);
});

test('errors of PCIe are at the device, by how bad they are', () => {
  const device = 'device_id: 0000:9b:00.0';
  for (const [grade, kind] of [
    ['corrected', 'pcie.corrected'],
    ['recoverable', 'pcie.uncorrected'],
    ['fatal', 'pcie.uncorrected_fatal'],
  ] as const)
    assert.deepEqual(
      decoded(record(3, grade, 'PCIe error', 'port_type: 0, PCIe end point', 'version: 3.0', device, 'slot: 0')),
      [[kind, undefined, 'pcie/0000:9b:00.0']],
    );
  assert.deepEqual(decoded(record(3, 'recoverable', 'PCIe error', 'port_type: 4, root port')), [
    ['pcie.uncorrected', undefined, null],
  ]);
});

test('an error of a processor counts where it was not corrected', () => {
  for (const type of ['general processor error', 'IA32/X64 processor error', 'ARM processor error']) {
    assert.deepEqual(decoded(record(5, 'recoverable', type)), [['cpu.machine_check', undefined, 'host/node-1']]);
    assert.deepEqual(decoded(record(5, 'fatal', type)), [['cpu.machine_check', 'critical', 'host/node-1']]);
    assert.deepEqual(decoded(record(5, 'corrected', type)), []);
  }
  assert.deepEqual(decoded(record(5, 'fatal', 'unknown, 6d5244f2-2712-11ec-bea7-cb3fdb95c786')), []);
});

test('two sections of one record, and two records woven into one another, stay apart', () => {
  const two = [
    ...record(8, 'recoverable', 'memory error', 'DIMM location: A DIMM_1'),
    '{8}[Hardware Error]:  Error 1, type: recoverable',
    '{8}[Hardware Error]:   section_type: PCIe error',
    '{9}[Hardware Error]:   device_id: 0000:01:00.0',
    '{8}[Hardware Error]:   device_id: 0000:9b:00.0',
  ];
  assert.deepEqual(decoded(two), [
    ['memory.ue', undefined, 'dimm/node-1/A DIMM_1'],
    ['pcie.uncorrected', undefined, 'pcie/0000:9b:00.0'],
  ]);
});

test('what ended the boot before is read at the next one', () => {
  const [event] = decodeLines([
    ...record(null, 'fatal', 'memory error', 'DIMM location: A DIMM_1'),
    ...record(1, 'info', 'x'),
  ]);
  assert.equal(event?.kind, 'memory.ue');
  assert.equal(event?.attributes?.previous_boot, true);
});

test('the last lines of a log are reported without a further one', () => {
  const detection = new TextDetection('node-1');
  const lines = record(1, 'recoverable', 'memory error', 'DIMM location: A DIMM_1');
  for (const [index, line] of lines.entries()) assert.deepEqual(detection.decode(kernelRecord(line, index)).events, []);
  assert.equal(detection.waiting, true);
  assert.deepEqual(detection.settle(START_MS + 500), []);
  assert.deepEqual(
    detection.settle(START_MS + 1500).map(({ kind }) => kind),
    ['memory.ue'],
  );
  assert.equal(detection.waiting, false);
});

test('fifteen corrected errors in eight seconds are a storm, as a hundred in an hour are', () => {
  const context = kernelContext('node-1');
  const at = (ms: number) =>
    decodeLines(['EDAC MC0: 1 CE memory read error on DIMM_A (channel:2)'], context, START_MS + ms)[0]?.kind;
  const burst = Array.from({ length: 15 }, (_, i) => at(i * 530));
  assert.equal(burst[0], 'memory.ce');
  assert.equal(burst.at(-1), 'memory.ce_storm');
  const slow = kernelContext('node-1');
  const spread = Array.from(
    { length: 60 },
    (_, i) =>
      decodeLines(['EDAC MC0: 1 CE memory read error on DIMM_B (channel:2)'], slow, START_MS + i * 50_000)[0]?.kind,
  );
  assert.deepEqual([...new Set(spread)], ['memory.ce'], 'sixty within fifty minutes');
});
