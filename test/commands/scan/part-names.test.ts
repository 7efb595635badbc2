// What a scan calls a part by what its lines say: the error and link of a switch, the link of a GPU, the disk behind an address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('the number of the SXid and its link are in the head, of the fatal one that followed as well', async (t) => {
  const text = await scannedLogs(t, {
    'dmesg-hx-91.txt': [
      '[Sat Nov 21 03:10:00 2026] nvidia-nvswitch1: SXid (PCI:0000:c6:00.0): 24004, Non-fatal, Link 11 sourcetrack TCEN0 crubmstore DBE (First)',
      '[Sat Nov 21 03:10:02 2026] nvidia-nvswitch1: SXid (PCI:0000:c6:00.0): 20034, Fatal, Link 11 LTSSM Fault Up',
    ],
  });
  const head = text.slice(0, text.indexOf('2026-11-21, UTC'));
  assert.match(head, /Root cause .*nvswitch 0000:c6:00\.0: SXid \d+, link 11\n/);
  assert.match(head, /SXid 20034, link 11/);
});

test('the link that nvidia-smi calls inactive is named and quoted', async (t) => {
  const gpu = (index: number): string =>
    `GPU ${index}: NVIDIA H200 (UUID: GPU-0000000${index}-1111-2222-3333-444444444444)`;
  const text = await scannedLogs(t, {
    'nvlink-hx-92.txt': [
      gpu(0),
      ...Array.from({ length: 6 }, (_, i) => `\t Link ${i}: 26.562 GB/s`),
      gpu(1),
      ...Array.from({ length: 6 }, (_, i) => `\t Link ${i}: ${i === 1 || i === 4 ? '<inactive>' : '26.562 GB/s'}`),
    ],
  });
  assert.match(text, /Root cause {2}NVLink degraded on GPU 1: links 1, 4 down \(hx-92\)\n/);
  assert.match(text, /"Link 1: <inactive>; Link 4: <inactive>"/);
});

test('a link of PCIe that an NVMe disk is behind is that disk, by its name where lines give one', async (t) => {
  const gone =
    'Nov 21 03:10:01 hx-93 kernel: nvme 0000:e1:00.0: Unable to change power state from D3cold to D0, device inaccessible';
  const alone = await scannedLogs(t, { 'kern.log': [gone] });
  assert.match(alone, /Root cause {2}PCIe link down on hx-93 pcie 0000:e1:00\.0: an NVMe disk\n/);
  assert.match(
    alone,
    /Do {10}bring back or replace the NVMe disk of hx-93 \(0000:e1:00\.0\), which is gone from its bus/,
  );
  const named = await scannedLogs(t, {
    'kern.log': [
      'Nov 21 03:10:00 hx-93 kernel: nvme nvme4: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff',
      gone,
    ],
  });
  assert.match(named, /Do {10}bring back or replace disk nvme4 of hx-93 \(0000:e1:00\.0\)/);
  assert.match(named, /Call {8}who may touch the hardware of hx-93\n/);
});

test('the task that is blocked is what waits, and no task on it', async (t) => {
  const text = await scannedLogs(t, {
    'kern.log': ['Nov 21 03:10:00 hx-94 kernel: INFO: task kworker/u96:2:4711 blocked for more than 120 seconds.'],
  });
  assert.match(text, /Do {10}find out what hx-94 process 4711 waits for/);
});
