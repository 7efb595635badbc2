// Logs of BMCs that have an entry a line: what their pages export and people paste, and logs of others that look alike.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSavedLog, savedEntries, savedLogEvents } from '../../../../src/sources/bmc/log/saved-log.ts';

function reported(text: string): string[] {
  if (!isSavedLog(text)) return ['none'];
  return savedLogEvents(savedEntries(text).entries, { host: 'gx-1', name: 'bmc.log' }).map(
    ({ kind, state, component, timeMs }) =>
      `${new Date(timeMs).toISOString().slice(0, 19)} ${kind} ${state ?? 'seen'} ${component?.type}/${component?.id}`,
  );
}

const AT = '2026-03-01T10:11:12';

for (const [line, expected] of [
  [
    '2026-03-01 10:11:12\tMEM0001\tCritical\tMulti-bit memory errors detected on a memory device at location(s) DIMM_B4.',
    'memory.ue seen dimm/gx-1/DIMM_B4',
  ],
  ['2026-03-01 10:11:12 CPU0000 Critical CPU 2 has an internal error (IERR).', 'cpu.machine_check seen host/gx-1'],
  [
    '2026-03-01 10:11:12 PCI1318 A fatal error was detected on a component at bus 94 device 0 function 0.',
    'pcie.uncorrected_fatal seen host/gx-1',
  ],
  [
    'Critical,2026-03-01 10:11:12,PDR1001,"Fault detected on drive 4 in disk drive bay 1.",',
    'storage.io_error seen host/gx-1',
  ],
  [
    '12,Critical,2026/03/01 10:11:12,Memory,[MEM-0011] Uncorrectable ECC error @ DIMMG1(CPU2) - Assertion',
    'memory.ue seen dimm/gx-1/DIMMG1',
  ],
  [
    '"Critical","Main Memory","03/01/2026 10:11","03/01/2026 10:11","1","Uncorrectable Memory Error - The failed memory module could not be determined."',
    'memory.ue seen host/gx-1',
  ],
  [
    '"7","Warning","System","FQXSPPW2001I","Power supply 2 has lost input","2026-03-01T10:11:12.000Z"',
    'psu.input_lost seen psu/gx-1/2',
  ],
  ['Error      Power    2026-03-01T10:11:12.340   FQXSPPW0002L   PSU 4 has Failed.', 'psu.failure seen psu/gx-1/4'],
] as const)
  test(`"${line.slice(0, 60)}" is read as the service would give it`, () => {
    const at = line.includes('10:11"') ? AT.replace(':12', ':00') : AT;
    assert.deepEqual(reported(`${line}\n`), [`${at} ${expected}`]);
  });

test('hplog: two lines an entry; what is repaired or ordinary reports nothing', () => {
  const entry = (severity: string, said: string) =>
    `0731 ${severity.padEnd(14)} 09:02  03/01/2026 10:11  03/01/2026 0002\nLOG: ${said}\n\n`;
  const head = 'ID   Severity       Initial Time      Update Time       Count\n---------------------------------\n';
  const check = 'Uncorrectable Machine Check Exception (Board 0, Processor 2, APIC ID 0x00000022, Bank 0x00000003)';
  const fan = 'System Fan Failure (Fan 4, Location I/O Board)';
  assert.deepEqual(reported(`${head}${entry('Critical', check)}`), [`${AT.replace(':12', ':00')} cpu.machine_check seen host/gx-1`]); // biome-ignore format: one line
  assert.deepEqual(reported(entry('Repaired', fan)), []);
  assert.deepEqual(reported(entry('Information', 'IML Cleared (iLO user:kim)')), []);
});

test('check_redfish: an array that lost a drive and is whole again', () => {
  const at = (clock: string, state: string, said: string) => `[${state}]: 2026-03-01T${clock}Z: ${said}`;
  const log = [
    at('10:40:00', 'OK', 'Slot 1 Smart Array - Logical drive status changed to ok'),
    at('10:12:00', 'WARNING', 'Slot 1 Smart Array - Logical drive status changed to rebuilding'),
    at('10:11:12', 'OK', '  Smart Array - Drive is failed: Port 2I Box 3 Bay 6'),
  ];
  assert.deepEqual(reported(log.join('\n')), [
    `${AT} storage.io_error seen host/gx-1`,
    '2026-03-01T10:12:00 storage.io_error seen host/gx-1',
    '2026-03-01T10:40:00 storage.io_error clear host/gx-1',
  ]);
  assert.deepEqual(reported(log.slice(0, 1).join('\n')), []);
  assert.deepEqual(reported(at('10:11:12', 'OK', 'Smart Array - Drive is inserted: Port 2I Box 3 Bay 6')), []);
});

test('what is over is said to be, and an ordinary day reports nothing', () => {
  const lost = '2026-03-01 10:11:12 PSU0003 Critical The power input for power supply 1 is lost.';
  const back = '2026-03-01 10:15:12 PSU0019 Informational The input power for power supply 1 has been restored.';
  assert.deepEqual(reported(`${back}\n${lost}\n`), [
    `${AT} psu.input_lost seen psu/gx-1/1`,
    '2026-03-01T10:15:12 psu.input_lost clear psu/gx-1/1',
  ]);
  const day = [
    'USR0030\tInformational\tSuccessfully logged in using root, from 192.0.2.4 and REDFISH.',
    'SYS1003\tInformational\tSystem CPU Resetting.',
  ];
  assert.deepEqual(reported(day.map((line) => `2026-03-01 10:11:12\t${line}\n`).join('')), []);
});

test('tables and logs of others are none', () => {
  for (const text of [
    '2026-03-01 10:11:12,120 ERROR trainer.py:41 Uncorrectable ECC error, exiting',
    'step,time,level,message\n12,2026-03-01 10:11:12,Warning,loss is high\n',
    'time="2026-03-01T10:11:12Z" level=error msg="failed"',
    '2026-03-01 10:11:12 | INFO | train: epoch 1',
  ])
    assert.deepEqual(reported(text), ['none'], text);
});

test('one such line in a log of something else makes it none', () => {
  const entry = '2026-03-01 10:11:12 CPU0000 Critical CPU 2 has an internal error (IERR).\n';
  const kernel = 'Mar  1 02:06:39 gx-1 kernel: NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.\n';
  assert.deepEqual(reported(`${entry}${kernel.repeat(6)}`), []);
  assert.deepEqual(reported(`${kernel.repeat(6)}${entry}`), ['none']);
});
