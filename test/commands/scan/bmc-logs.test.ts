// BMC logs: what the log of a management controller says of its host is said of that host alone, and of the part that it names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const entry = (id: number, time: string, severity: string, message: string): string =>
  JSON.stringify({
    '@odata.id': `/redfish/v1/Systems/1/LogServices/Log1/Entries/${id}`,
    '@odata.type': '#LogEntry.v1_15_0.LogEntry',
    Id: String(id),
    Created: `2026-11-21T${time}Z`,
    EntryType: 'Event',
    Severity: severity,
    Message: message,
  });
const logOf = (...entries: readonly string[]): string[] => [
  `{"@odata.type":"#LogEntryCollection.LogEntryCollection","Members":[${entries.join(',')}]}`,
];

test('the host that only the name of the file says is the one name of it in all of the advice', async (t) => {
  const text = await scannedLogs(t, {
    'hx-61.json': logOf(entry(3, '03:10:00', 'Critical', 'CPU 2 machine check error detected.')),
  });
  assert.match(text, /Root cause {2}machine check on hx-61\b/);
  assert.match(text, /scontrol update nodename=hx-61 state=drain/);
  assert.match(text, /Call {8}who may touch the hardware of hx-61\n/);
  assert.doesNotMatch(text, /the host of/);
});

test('a memory error and the machine check of the processor that read it are one incident', async (t) => {
  const text = await scannedLogs(t, {
    'hx-62.getsel.json': logOf(
      entry(8, '03:10:00', 'Critical', 'Multi-bit memory errors detected on a memory device at location(s) DIMM_B7.'),
      entry(9, '03:10:02', 'Critical', 'CPU 2 machine check error detected.'),
    ),
  });
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Do {10}replace hx-62 dimm DIMM_B7/);
});

test('the only module that a BMC names behind a machine check is the one to be replaced', async (t) => {
  const sel = (dimms: readonly string[]): string[] => [
    '  41 | 11/21/2026 | 03:10:00 | Processor CPU1_Status | IERR | Asserted',
    ...dimms.map((dimm, i) => `  4${i + 2} | 11/21/2026 | 03:10:0${i + 3} | Memory | Uncorrectable ECC (@${dimm}(CPU2)) | Asserted`), // biome-ignore format: one line
  ];
  const one = await scannedLogs(t, { 'hx-63.sel.txt': sel(['DIMMG1']) });
  assert.match(one, /Do {10}replace hx-63 dimm DIMMG1/);
  assert.match(one, /Call {8}the support of the vendor of hx-63 dimm DIMMG1/);
  assert.doesNotMatch(one, /sel elist/);
  const two = await scannedLogs(t, { 'hx-63.sel.txt': sel(['DIMMG1', 'DIMMH1']) });
  assert.match(two, /find the memory module of hx-63 that failed/);
});

test('a PCIe error is of the slot and the address that the BMC says', async (t) => {
  const said: readonly (readonly [message: string, card: string, shell: string])[] = [
    ['Uncorrectable PCI Express Error Detected. Slot 3 (Segment 0x0, Bus 0xC4, Device 0x0, Function 0x1).', 'the card in slot 3 (0000:c4:00.1)', '0000:c4:00.1'],
    ['A fatal error was detected on a component at bus 174 device 0 function 0.', 'the device at 0000:ae:00.0', '0000:ae:00.0'],
    ['A bus fatal error was detected on a component at slot 7.', 'the card in slot 7', 'dmidecode -t slot'],
  ]; // biome-ignore format: a row each
  for (const [message, card, shell] of said) {
    const text = await scannedLogs(t, { 'hx-64.json': logOf(entry(3, '03:10:00', 'Critical', message)) });
    assert.ok(text.includes(`Do          inspect ${card} of hx-64 `), text);
    assert.ok(text.includes(shell), text);
  }
});

test('a supply of the wrong type is the root of the redundancy that is lost, and no feed is asked for', async (t) => {
  const text = await scannedLogs(t, {
    'hx-65.json': logOf(
      entry(3, '03:10:00', 'Critical', 'Power supply 2 type mismatch.'),
      entry(4, '03:10:01', 'Warning', 'Power supply redundancy is lost.'),
    ),
  });
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Root cause {2}power supply does not fit on hx-65 psu 2\n/);
  assert.match(text, /Do {10}swap hx-65 psu 2 for one of the type that hx-65 is made for/);
  assert.match(text, /Call {8}who may touch the hardware of hx-65\n/);
});
