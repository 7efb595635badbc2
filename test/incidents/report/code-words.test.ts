// What numbers of a quoted line mean, and lines of which nothing is said.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeWords } from '../../../src/incidents/report/code-words.ts';

const MEANT: readonly (readonly [line: string, words: RegExp])[] = [
  ['NCCL WARN NET/IB : Got completion from peer 192.0.2.236<54862> with status=12 opcode=0 len=0 vendor err 129 (Recv) hca mlx5_4', /^status 12: the peer did not answer.*; vendor err 129: no acknowledgement in time$/],
  ['NCCL WARN NET/IB : Got completion with error 5, opcode 1, len 0, vendor err 249', /^status 5: flushed.*; vendor err 249: flushed$/],
  ['UCX  ERROR send completion with error: remote access error [qpn 0x1a6 wrid 0x7f vendor_err 0x88]', /^vendor err 0x88: wrong key/],
  ['nfs: server fs-2 error, errno -113', /^errno 113: no route to that host/],
  ['mce: [Hardware Error]: CPU 0: Machine Check: 0 Bank 7: bc00000000010090', /^status: uncorrected, memory at a read, channel 0$/],
  ['mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 4: be00000000800400', /^status: uncorrected, the processor cannot continue, internal timer of the processor$/],
  ['MCi status 9c00004000010151', /^status: corrected, cache of the processor$/],
]; // biome-ignore format: a table
for (const [line, words] of MEANT)
  test(`meant: ${line.slice(0, 60)}`, () => assert.match(codeWords(line) ?? '', words));

const NOTHING: readonly string[] = [
  'OSError: [Errno 28] No space left on device',
  'Got completion from peer with status=IBV_WC_RETRY_EXC_ERR(12) opcode=1',
  'slurmd: job 12 ended with status=12',
  'errno 9999',
  'exit status 1',
  'NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.',
];
for (const line of NOTHING) test(`nothing is said of: ${line.slice(0, 60)}`, () => assert.equal(codeWords(line), null));
