// Oopses: one report of dozens of lines is one event with where and for whom; a program that crashes is none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { kernelRecord, START_MS } from './lines.ts';

/** The last form of each event. */
function events(lines: readonly string[], apartMs = 1): EventInput[] {
  const detection = new TextDetection('node-1');
  const seen = lines.flatMap((text, i) => detection.decode(kernelRecord(text, i, START_MS + i * apartMs)).events);
  const last = [...seen, ...detection.settle(START_MS + lines.length * apartMs + 2000)];
  return [...new Map(last.map((event) => [`${event.kind} ${event.timeMs}`, event])).values()];
}

const REPORT = [
  'BUG: unable to handle page fault for address: ffffc90000a4f000',
  '#PF: supervisor write access in kernel mode',
  'PGD 100000067 P4D 100000067 PUD 1001d2067 PMD 0',
  'Oops: 0002 [#1] SMP NOPTI',
  'CPU: 3 PID: 1234 Comm: python Tainted: P           OE      5.15.0-91-generic #101-Ubuntu',
  'Hardware name: Supermicro SYS-421GE-TNRT/X13DEG-OA, BIOS 2.1 11/04/2023',
  'RIP: 0010:_nv012345rm+0x12/0x40 [nvidia]',
  'Code: 48 8b 47 08 48 85 c0',
  'Call Trace:',
  ' nvidia_ioctl+0x24/0x50 [nvidia]',
];

test('one report is one event, with its place and its task', () => {
  const [event, ...more] = events(REPORT);
  assert.deepEqual(more, []);
  assert.equal(event?.kind, 'host.kernel_oops');
  assert.deepEqual(event?.component, { type: 'host', id: 'node-1' });
  assert.deepEqual(event?.attributes, {
    what: 'bad address',
    cpu: 3,
    pid: 1234,
    process: 'python',
    function: '_nv012345rm',
    module: 'nvidia',
  });
});

const FIRST_LINES: readonly (readonly [line: string, what: string])[] = [
  ['BUG: kernel NULL pointer dereference, address: 0000000000000010', 'null pointer'],
  ['BUG: unable to handle kernel NULL pointer dereference at 0000000000000010', 'null pointer'],
  ['BUG: unable to handle kernel paging request at ffffffffc0a41000', 'bad address'],
  ['Unable to handle kernel NULL pointer dereference at virtual address 0000000000000018', 'null pointer'],
  ['Unable to handle kernel paging request at virtual address ffff800012345678', 'bad address'],
  ['kernel BUG at mm/slub.c:305!', 'BUG'],
  ['general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#2] SMP PTI', 'general protection fault'],
  ['general protection fault: 0000 [#1] SMP', 'general protection fault'],
  ['Oops: general protection fault, probably for non-canonical address 0x1: 0000 [#1] PREEMPT SMP', 'general protection fault'],
  ['Oops: Oops: 0000 [#1] PREEMPT SMP NOPTI', 'oops'],
  ['Internal error: Oops: 0000000096000004 [#1] SMP', 'oops'],
  ['Internal error: Oops - BUG: 00000000f2000800 [#1] SMP', 'oops'],
  ['invalid opcode: 0000 [#1] SMP NOPTI', 'trap'],
  ['BUG: Bad page state in process python  pfn:1a2b3c', 'bad page'],
]; // biome-ignore format: one line each

for (const [line, what] of FIRST_LINES)
  test(`"${line.slice(0, 60)}" is an oops: ${what}`, () => {
    const [event, ...more] = events([line]);
    assert.deepEqual([event?.kind, event?.attributes?.what, more.length], ['host.kernel_oops', what, 0]);
    assert.equal(event?.severity, what === 'bad page' ? 'warning' : undefined);
  });

test('what a program did, warns of or calls itself is not an oops', () => {
  for (const line of [
    'WARNING: CPU: 3 PID: 1234 at net/sched/sch_generic.c:525 dev_watchdog+0x21f/0x230',
    'RIP: 0010:dev_watchdog+0x21f/0x230',
    'CPU: 3 PID: 1234 Comm: python Tainted: P           OE      5.15.0-91-generic #101-Ubuntu',
    'traps: Oops: 0002 [#1][77] general protection fault ip:7f00 sp:7ffe error:0 in a[400000+1000]',
    'python[1234]: segfault at 0 ip 00007f sp 00007f error 4',
    'BUG: workqueue lockup - pool cpus=3 node=0 flags=0x0 nice=0 stuck for 32s!',
    'audit: BUG: unable to handle page fault for address: ffff',
    'mlx5_core 0000:0e:00.0: Oops: 0002 [#1] SMP',
    'GPF: general protection fault',
  ])
    assert.ok(
      events([line]).every(({ kind }) => kind !== 'host.kernel_oops'),
      line,
    );
});

test('a name that reads like the end of its line says nothing but a name', () => {
  const task = 'CPU: 3 PID: 7 Comm: x Tainted: y Tainted: G        W  OE     6.8.0 #1';
  const [event] = events(['Oops: 0002 [#1] SMP', task]);
  assert.equal(event?.attributes?.pid, 7);
});
