// A saved log: the kernel's message behind any prefix that dmesg, a syslog daemon or the journal writes, and no other program's.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelContext } from '../../../src/detection/text/kernel.ts';
import { decodeLines } from './lines.ts';

const LOST = 'NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.';
const kinds = (line: string) => decodeLines([line], kernelContext('node-1', false)).map(({ kind }) => kind);

test('the message follows the prefix', () => {
  for (const head of [
    '', '[ 12.345678] ', '[  +0.000844] ', '[Mon Jan 27 19:27:15 2020] ', '[Feb22 04:01] ', '<4>[38889.018130] ', '[ 130.456250] [ T1946] ',
    'kern  :warn  : 2025-01-21T04:41:44,283302+00:00 ', 'Feb 01 14:25:31 node-a kernel: ', 'Okt 06 17:59:27 node-a kernel: ',
    'Dec  2 10:43:35 node-a kernel: [240314.528856] ', 'Feb 23 03:28:16  kernel: ', '2026-10-03T05:56:38-0400 node-a kernel: ', 'kernel: ',
    '6,222,400,-;', '4,91235,155044078590,-,caller=T1946;', '<4>1 2024-12-02T02:43:35.528856Z node-a kernel - - - ', 'node-b: [14280.445220] ',
    '192.0.2.119: kern: warning: [2026-04-22T21:30:51.52643656Z]: ', '               ',
  ]) assert.deepEqual(kinds(head + LOST), ['gpu.lost'], head); // biome-ignore format: a list
});

test('what another program wrote is not the kernel’s, whatever it says', () => {
  for (const head of [
    'Feb 01 14:25:31 node-a mallory: ',
    'Feb 01 14:25:31 node-a mallory[77]: ',
    'Feb 01 14:25:31 node-a mallory: kernel: ',
    'Feb 01 14:25:31 node-a mallory: node-a kernel: [ 12.5] ',
    'Feb 01 14:25:31 node-a mallory: Feb 01 14:25:31 node-a kernel: ',
    '2026-10-03T05:56:38-0400 node-a mallory: kernel: ',
    '<4>1 2024-12-02T02:43:35.528856Z node-a mallory - - - kernel: ',
  ])
    assert.deepEqual(kinds(head + LOST), [], head);
});

test('a crash is one behind a prefix too', () => {
  const line = '[ 12.5] NVRM: Xid: 79[77]: segfault at 0 ip 1 sp 2 error 4 in NVRM: x[7f0+1]';
  assert.deepEqual(kinds(line), ['process.segfault']);
});
