// Said reasons: what the line itself says of why, which link or which cable is in the head, and decides what to do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logs, scannedLogs } from './scanned.ts';

const width = '-'.repeat(27);
const dcgm = (rows: readonly string[]): string[] => [
  '| Health Monitor Report                                                                |',
  `+${width}+${'-'.repeat(58)}+`,
  '| -> 2                      | Failure                                                  |',
  ...rows,
  `+${width}+${'-'.repeat(58)}+`,
];

const CASES: readonly (readonly [name: string, logs: Logs, says: readonly RegExp[]])[] = [
  ['a health check that asks for a reset', { 'dcgmi-hx-1.txt': dcgm([
    '|       -> Memory system    | Failure                                                  |',
    '|                           | Row remap resources of GPU 2 are short. Please reset the GPU. |',
  ]) }, [/Root cause .*GPU 2 \(DCGM\): health Failure, Memory system: Row remap resources of GPU 2/, /Do +(?:drain|reset)/, /Call +who runs/]],
  ['a diagnosis that says which width a link has', { 'diag-hx-1.txt': [
    '| Diagnostic                | Result                                         |',
    '+===========================+================================================+',
    '| PCIe                      | Fail - GPU: 4                                  |',
    '| Warning: GPU 4            | GPU 4 is running at PCI link width 4X, which is below the minimum allowed link width of 16X (parameter min_pci_width) |',
    '+---------------------------+------------------------------------------------+',
  ] }, [/Root cause .*link width 4X, below 16/, /Do +reseat GPU 4/]],
  ['a GPU without its power cable', { 'messages': [
    'Nov 28 03:33:10 hx-8 kernel: NVRM: Xid (PCI:0000:5a:00): 54, pid=0, name=<unknown>, External power connector not attached',
  ] }, [/XID 54, auxiliary power is not connected/, /Do +have the power cable of hx-8 gpu 0000:5a:00\.0 seated, with hx-8 switched off/]],
  ['counters of an NVLink', { 'nvlink.txt': [
    'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0a0b0c0d-1111-2222-3333-444455556666)',
    '\t Link 11: Recovery Errors: 4',
  ] }, [/NVLink degraded on GPU 1: link 11, 4 recoveries/]],
  ['a module of memory and the bus that failed by it', { 'sel.txt': [
    '  1 | 11/28/2026 | 02:02:02 | Memory | Uncorrectable ECC (@DIMMC2(CPU1)) | Asserted',
    '  2 | 11/28/2026 | 02:02:04 | Critical Interrupt | Bus Fatal Error | Asserted',
  ] }, [/Do +replace .*DIMMC2/]],
  ['a processor that tripped for heat', { 'sel.txt': [
    '   8 | 11/28/2026 | 06:06:06 | Processor CPU1 | Thermal Trip | Asserted',
  ] }, [/host too warm on .*Processor CPU1, Thermal Trip/, /Do +see heat sink and fans of CPU 1/, /Call +who may touch the hardware/]],
  ['a banner and the XID below it', { 'messages': [
    'Nov 28 01:00:11 hx-4 kernel: NVRM: _kgspLogXid119: ********************************* GSP Timeout **********************************',
    'Nov 28 01:00:11 hx-4 kernel: NVRM: Xid (PCI:0000:2b:00): 119, pid=2201, name=nvidia-smi, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a0a4 0x4).',
  ] }, [/Root cause +GPU system processor timeout on hx-4 gpu 0000:2b:00\.0/]],
  ['a switch of NVLink and the processes that it ended', { 'messages': [
    'Nov 28 10:34:54 hx-4 kernel: nvidia-nvswitch1: SXid (PCI:0000:84:00.0): 20034, Fatal, Link 12 LTSSM Fault Up',
    'Nov 28 10:34:55 hx-4 kernel: NVRM: Xid (PCI:0000:5d:00): 45, pid=30110, name=python, Ch 00000012',
  ] }, [/Effect +process python \(30110\) ended/]],
]; // biome-ignore format: one case after the other

for (const [name, logs, says] of CASES)
  test(name, async (t) => {
    const text = await scannedLogs(t, logs);
    assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
    for (const one of says) assert.match(text, one);
  });

test('a UPS that is on its mains again is over', async (t) => {
  const text = await scannedLogs(t, {
    messages: [
      'Nov 28 22:01:10 ups-4 System: UPS: On battery power in response to an input power problem.',
      'Nov 28 22:01:40 ups-4 System: UPS: No longer on battery power.',
    ],
  });
  assert.match(text, /the mains are back since 22:01:40 UTC/);
});

test('a fabric manager of another release than the driver is installed, not restarted', async (t) => {
  const text = await scannedLogs(t, {
    messages: [
      'Nov 28 01:01:01 hx-9 systemd[1]: nvidia-fabricmanager.service: Main process exited, code=exited, status=1/FAILURE',
      "Nov 28 01:01:01 hx-9 nv-fabricmanager[2210]: fabric manager NVIDIA GPU driver interface version 550.90.07 don't match with driver version 550.127.05. Please update with matching NVIDIA driver package.",
    ],
  });
  assert.match(text, /Do +install the fabric manager 550\.127\.05 on hx-9, that of its driver/);
});

test('of links of GPUs the log that was read is not asked for again', async (t) => {
  const line = 'NVRM: Xid (PCI:0000:dc:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 3 (0x026001c6 0x0 0x0 0x0 0x0 0x0)';
  const text = await scannedLogs(t, { messages: [`Nov 28 05:55:01 hx-3 kernel: ${line}`] });
  assert.match(text, /Now +let no new work onto hx-3/);
  assert.doesNotMatch(text, /dmesg -T \| grep -iE 'xid/);
});

const gpu = (address: string, cel: number, slow: string): string[] => [
  `GPU 00000000:${address}:00.0`,
  '    Clocks Event Reasons',
  '        HW Slowdown                       : Not Active',
  `            HW Thermal Slowdown           : ${slow}`,
  '    Temperature',
  `        GPU Current Temp                  : ${cel} C`,
];
const SMI = ['==============NVSMI LOG==============', '', 'Attached GPUs                             : 3'];

test('a GPU that is hot alone, and one among hot ones, by the temperatures of the same report', async (t) => {
  const alone = await scannedLogs(t, {
    'hx-2/smi.txt': [
      ...SMI,
      ...gpu('1B', 55, 'Not Active'),
      ...gpu('43', 90, 'Active'),
      ...gpu('52', 61, 'Not Active'),
    ],
  });
  assert.match(alone, /Do +check heat sink, paste, dust and slot of .*0000:43:00\.0: it alone is hot/);
  assert.match(alone, /the other 2 GPUs of .* are at 61 °C at most/);
  const all = await scannedLogs(t, {
    'hx-2/smi.txt': [
      ...SMI,
      ...gpu('1B', 85, 'Not Active'),
      ...gpu('43', 90, 'Active'),
      ...gpu('52', 86, 'Not Active'),
    ],
  });
  assert.match(all, /Do +check fans, filters and air of/);
});

test('XFS that was shut down gives errors to reads, too', async (t) => {
  const text = await scannedLogs(t, {
    messages: [
      'Nov 28 04:02:02 hx-4 kernel: nvme nvme1: Disabling device after reset failure: -19',
      'Nov 28 04:02:02 hx-4 kernel: XFS (nvme1n1p1): Filesystem has been shut down due to log error (0x2).',
    ],
  });
  assert.match(text, /file system nvme1n1p1 of hx-4 is shut down: it gives errors to reads, too/);
  assert.doesNotMatch(text, /read-only/);
});
