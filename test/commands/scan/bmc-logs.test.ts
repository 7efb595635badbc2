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
