// Words of the driver that a text only quotes or asks of: notes of an earlier day, and samples that a job trains on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const OLD = [
  '# Notes for the next shift',
  'For reference, the one of spring (closed):',
  "> Apr  3 02:10:44 n-14 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
  '> Apr  3 02:10:52 n-14 slurmctld: Nodes n-14 not responding, setting DOWN',
];
const QUIET = [
  'Oct 20 09:00:01 n-14 kernel: [120.1] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.124.06',
  'Oct 20 09:00:11 n-14 kernel: [130.1] usb 1-1: new high-speed USB device number 2 using xhci_hcd',
];

test('notes that quote an incident of an earlier day are no incident of this one', async (t) => {
  const text = await scannedLogs(t, { 'shift.md': OLD, 'kern-n-14.log': QUIET });
  assert.match(text, /No incident/);
  assert.match(text, /quoted lines .* are passed over/);
});

test('what is quoted alone, or of the same day, is looked at', async (t) => {
  assert.match(await scannedLogs(t, { 'mail.txt': OLD }), /GPU fell off the bus on n-14/);
  const same = OLD.map((line) => line.replace('Apr  3 02', 'Oct 20 08'));
  assert.match(await scannedLogs(t, { 'mail.txt': same, 'kern-n-14.log': QUIET }), /GPU fell off the bus on n-14/);
});

const XID = 'NVRM: Xid (PCI:0000:1a:00): 79, GPU has fallen off the bus.';

test("a job's samples and questions that speak of an XID are no fault", async (t) => {
  const text = await scannedLogs(t, {
    'tune.log': [
      `2026-11-20 11:00:01 INFO sample[4]: "<|user|>Explain ${XID} please<|assistant|>It was lost"`,
      `2026-11-20 11:00:02 INFO prompt="I read ${XID} in a log"`,
      `2026-11-20 11:00:03 INFO eval row 3 "What does ${XID} mean?"`,
      '2026-11-20 11:00:10 INFO step 1 loss 2.91 time 1.8s',
    ],
  });
  assert.match(text, /No incident/);
});

test('a program that passes the words of the driver on, and a process called like a sample, hide nothing', async (t) => {
  const passed = await scannedLogs(t, {
    'agent.log': [`2026-11-20 11:00:01 WARN seen in the kernel's log: ${XID}`],
  });
  assert.match(passed, /fell off the bus/);
  const named = await scannedLogs(t, {
    'kern.log': [
      'Nov 20 11:00:01 n-14 kernel: [99.1] NVRM: Xid (PCI:0000:1a:00): 79, pid=7, name=<|user|>, GPU has fallen off the bus.',
    ],
  });
  assert.match(named, /fell off the bus/);
});

test('an exception in a field of any name counts where the logger calls the line an error', async (t) => {
  const line = (level: string, field: string) =>
    JSON.stringify({ ts: '2026-11-20T01:20:08.910Z', level, host: 'n-08', rank: 6, event: 'exception', [field]: 'torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered\nmore' }); // biome-ignore format: one line
  assert.match(await scannedLogs(t, { 'w.jsonl': [line('error', 'exc')] }), /uncorrectable GPU ECC error/);
  assert.match(await scannedLogs(t, { 'w.jsonl': [line('info', 'exc')] }), /No incident/);
  assert.match(await scannedLogs(t, { 'w.jsonl': [line('error', 'prompt')] }), /No incident/);
});
