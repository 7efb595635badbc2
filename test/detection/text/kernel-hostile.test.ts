// Hostile and odd kernel lines: nothing throws, nothing is invented, and time is linear in the line.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines, kernelRecord } from './lines.ts';

test('a line without an address names no device', () => {
  for (const line of [
    'NVRM: Xid : 32, Channel ID 00000001',
    'NVRM: Xid (PCI:xxxx:xx:00): 79, gone',
    'NVRM: Xid (): 79, x',
  ]) {
    const [event] = decodeLines([line]);
    assert.equal(event?.component, null, line);
  }
});

test('a code that is not a number, or cut off, or too long is not an XID', () => {
  for (const line of [
    'NVRM: Xid (PCI:0000:01:00): abc, Ch 1',
    'NVRM: Xid (PCI:0000:01:00): 79abc, Ch 1',
    'NVRM: Xid (PCI:0000:01:00): 123456, Ch 1',
    'NVRM: Xid (PCI:0000:01:00',
    'NVRM: Xid (PCI:0000:01:00): ',
    'NVRM: Xid 79',
    `NVRM: Xid (PCI:${'0'.repeat(4000)}): 79`,
  ]) {
    assert.deepEqual(decodeLines([line]), [], line.slice(0, 60));
  }
});

test('a recovery action that is cut off keeps what it has', () => {
  for (const [line, to] of [
    ['NVRM: Xid (PCI:0000:01:00): 154 (', undefined],
    ['NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (', undefined],
    ['NVRM: Xid (PCI:0000:01:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (', '0x1'],
    ['NVRM: Xid (PCI:0000:01:00): 154, )( changed from ) to (', undefined],
  ] as const) {
    const [event] = decodeLines([line]);
    assert.equal(event?.kind, 'gpu.recovery_action', line);
    assert.equal(event?.attributes?.to, to, line);
  }
});

test('a process whose name looks like a driver message starts no message', () => {
  const lines = [
    'bash[12]: NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.',
    'audit: comm="x" NVRM: Xid (PCI:0000:01:00): 79, gone',
    'x Out of memory: Killed process 1 (init)',
  ];
  assert.deepEqual(decodeLines(lines), []);
});

test('evidence is bounded to 2 KiB and holds no control character', () => {
  const line = `NVRM: Xid (PCI:0000:01:00): 79, \u001b[2J\u0007\u009b${'é'.repeat(5000)}`;
  const [event] = decodeLines([line]);
  const evidence = event?.evidence?.[0];
  assert.ok(evidence !== undefined && 'text' in evidence);
  assert.ok(Buffer.byteLength(evidence.text) <= 2048);
  assert.ok(evidence.text.includes('\\x1b[2J\\x07\\x9b'));
  assert.ok(!evidence.text.includes('\uFFFD'), 'cut between characters');
});

test('made-up identities do not fill the memory', () => {
  const context = kernelContext('node-1');
  for (let i = 0; i < 5000; i += 1) {
    const address = `${(i >> 8).toString(16).padStart(4, '0')}:${(i & 255).toString(16).padStart(2, '0')}:00`;
    decodeLines([`NVRM: GPU at PCI:${address}: GPU-12345678-9abc-def0-1234-56789abcdef0`], context);
  }
  assert.ok(context.identities.size <= 64);
});

const openings = [
  'NVRM: Xid (PCI:0000:01:00): 154, ', 'NVRM: Xid (', 'NVRM: Xid (PCI:0000:01:00): 145, ', 'NVRM: Xid (PCI:0000:01:00): 31, ',
  'NVRM: GPU ', 'NVRM: ', 'Out of memory: Killed process ', 'oom-kill:constraint=', 'INFO: task ', 'task:', 'watchdog: BUG: soft lockup - CPU#',
  'Kernel panic - not syncing', 'a[1]: segfault at ', 'traps: ', '',
]; // biome-ignore format: a list

test('no text throws, whatever follows a known opening, and components are well formed', () => {
  for (const anchored of [true, false]) {
    const context = kernelContext('node-1', anchored);
    fc.assert(
      fc.property(fc.constantFrom(...openings), fc.string({ unit: 'binary', maxLength: 300 }), (opening, tail) => {
        for (const event of decodeKernelLine(kernelRecord(opening + tail), context)) {
          if (event.component?.type === 'gpu')
            assert.match(event.component.id, /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/);
          if (event.component?.type === 'process') assert.match(event.component.id, /^\d{1,10}$/);
        }
      }),
      { numRuns: 3000 },
    );
  }
});

test('a cut at any byte of a good line neither throws nor changes the device', () => {
  const line =
    'NVRM: Xid (PCI:0000:9c:00): 119, pid=31, name=nvidia-smi, Timeout after 45s of waiting for RPC response from GPU5 GSP! Expected function 76 (GSP_RM_CONTROL)';
  for (let length = 0; length <= line.length; length += 1) {
    for (const event of decodeLines([line.slice(0, length)])) {
      assert.equal(event.component?.id, '0000:9c:00.0');
    }
  }
});

test('a line far over the kernel limit costs what a line at the limit costs', () => {
  // Work is bounded by reading 4 KiB: a decoder that read on would find the link number behind it.
  const line = `NVRM: Xid (PCI:0000:01:00): 74, NVLink: fatal error detected ${' '.repeat(8000)} on link 3`;
  const [event] = decodeLines([line]);
  assert.equal(event?.attributes?.link, undefined);
});

test('lines that were left out in a storm count for the line that is handed over, a process’s do not', () => {
  const decode = (text: string) => {
    const record = kernelRecord(text);
    return decodeKernelLine(
      { ...record, attributes: { ...record.attributes, repeats: 41 } },
      kernelContext('node-1'),
    )[0];
  };
  assert.equal(decode('NVRM: Xid (PCI:0000:01:00): 95, Uncontained: FBHUB. RST: Yes, D-RST: No')?.count, 42);
  assert.equal(decode('pcieport 0000:16:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer')?.count, 42);
  const crash = decode('a[7]: segfault at 0 ip 1 sp 2 error 4');
  assert.deepEqual([crash?.count, crash?.attributes?.similar_lines], [undefined, 41]);
  const errors = 'EDAC MC0: 3 CE memory read error on DIMM_A (channel:2)';
  assert.equal(decode(errors)?.kind, 'memory.ce_storm', 'with those of the lines that were left out');
});
