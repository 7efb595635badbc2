// Repeats fold into one event with a rising count; storms are bounded, nothing that was counted is lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeKernelLine, kernelContext } from '../../../src/detection/text/kernel.ts';
import { RepeatFolder } from '../../../src/detection/text/repeat-folder.ts';
import { makeEvent } from '../../../src/model/make-event.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { kernelRecord, START_MS } from './lines.ts';

function folded(lines: readonly (readonly [number, string])[]): { reported: EventInput[]; folder: RepeatFolder } {
  const folder = new RepeatFolder();
  const context = kernelContext('node-1');
  const reported = lines.flatMap(([ms, line], index) =>
    decodeKernelLine(kernelRecord(line, index, START_MS + ms), context).flatMap((event) => folder.fold(event)),
  );
  return { reported, folder };
}

const id = (event: EventInput) => makeEvent('node-1', event).id;
const xid = (code: number, tail: string, address = '0000:61:00') => `NVRM: Xid (PCI:${address}): ${code}, ${tail}`;

test('one line per channel becomes one event: reported at once, and again under the same id with the whole count', () => {
  const lines = Array.from({ length: 6 }, (_, i) => [i, xid(45, `pid=9, name=train, Ch 0000000${i}`)] as const);
  const { reported, folder } = folded(lines);
  assert.deepEqual(
    reported.map((event) => event.count ?? 1),
    [1],
  );
  assert.equal(folder.waiting, true);
  const later = folder.settle(START_MS + 1500);
  assert.deepEqual(
    later.map((event) => event.count),
    [6],
  );
  assert.deepEqual(later.map(id), reported.map(id));
  assert.equal(folder.waiting, false);
});

test('a storm of repeats is reported at most once a second, and the last count is right', () => {
  const folder = new RepeatFolder();
  const context = kernelContext('node-1');
  const [event] = decodeKernelLine(kernelRecord(xid(95, 'pid=1, Uncontained: FBHUB. RST: Yes, D-RST: No')), context);
  assert.ok(event);
  const reported: EventInput[] = [];
  for (let i = 0; i < 200_000; i += 1) reported.push(...folder.fold({ ...event, timeMs: START_MS + i / 20 }));
  reported.push(...folder.settle(START_MS + 60_000));
  assert.ok(reported.length <= 12, String(reported.length));
  assert.equal(reported.at(-1)?.count, 200_000);
  assert.equal(new Set(reported.map(id)).size, 1);
});

test('a GPU that is lost is lost once: a second wording adds facts and evidence, not to the count', () => {
  const { reported, folder } = folded([
    [0, 'NVRM: GPU 0000:01:00.0: GPU has fallen off the bus.'],
    [1, xid(79, 'pid=5, GPU has fallen off the bus.', '0000:01:00')],
    [2, xid(79, 'pid=5, GPU has fallen off the bus.', '0000:01:00')],
  ]);
  const [last] = folder.settle(START_MS + 5000);
  assert.equal(reported.length, 1);
  assert.equal(last?.count, 1);
  assert.equal(last?.attributes?.xid, 79);
  assert.equal(last?.attributes?.pid, 5);
  assert.equal(last?.evidence?.length, 2);
});

test('the lines of one out-of-memory kill are one kill, whichever comes first', () => {
  const { reported, folder } = folded([
    [0, 'oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg=/p,task_memcg=/p/c,task=node,pid=77,uid=0'],
    [1, 'Memory cgroup out of memory: Killed process 77 (node) total-vm:1kB, anon-rss:9kB'],
    [900, 'oom_reaper: reaped process 77 (node), now anon-rss:0kB'],
  ]);
  const [last] = folder.settle(START_MS + 5000);
  assert.equal(reported.length, 1);
  assert.equal(last?.count, 1);
  assert.equal(last?.attributes?.memcg, '/p/c');
  assert.equal(last?.attributes?.anon_rss_kib, 9);
});

test('what differs in GPU, process, row or transition is another event', () => {
  for (const lines of [
    [xid(45, 'pid=1, name=a, Ch 1'), xid(45, 'pid=2, name=b, Ch 1')],
    [xid(45, 'pid=1, Ch 1'), xid(45, 'pid=1, Ch 1', '0000:62:00')],
    [xid(63, 'Row Remapper: New row (0x10) marked'), xid(63, 'Row Remapper: New row (0x20) marked')],
    [xid(154, 'changed from 0x0 (None) to 0x4 (x)'), xid(154, 'changed from 0x4 (x) to 0x1 (y)')],
    [xid(13, 'x'), xid(31, 'x')],
    ['NVRM: Xid : 46, Ch 0000000a', 'NVRM: Xid : 46, pid=7, Ch 0000000a'],
  ]) {
    const { reported } = folded(lines.map((line) => [0, line] as const));
    assert.equal(reported.length, 2, lines.join(' / '));
    assert.equal(new Set(reported.map(id)).size, 2);
  }
});

test('a repeat after its window is news, and the count that waited is reported before it', () => {
  const line = xid(13, 'pid=1, name=a, Graphics Exception');
  const { reported } = folded([
    [0, line],
    [10, line],
    [20_000, line],
  ]);
  assert.deepEqual(
    reported.map((event) => event.count ?? 1),
    [1, 2, 1],
  );
  assert.equal(new Set(reported.map(id)).size, 2);
});

test('a timeout that is asked for again every 45 s is one event, for ten minutes', () => {
  const lines = Array.from({ length: 20 }, (_, i) => [i * 45_000, xid(119, `pid=${i}, name=smi, Timeout`)] as const);
  const { reported } = folded(lines);
  const ids = [...new Set(reported.map(id))];
  assert.equal(ids.length, 2);
  assert.equal(reported.filter((event) => id(event) === ids[0]).at(-1)?.count, 14);
});

test('a later, weaker line does not weaken the event; a later, stronger one strengthens it', () => {
  const head = 'INFO: task python:8 blocked for more than 120 seconds.';
  const body = 'task:python      state:D stack:    0 pid:8 ppid: 1';
  assert.equal(
    folded([
      [0, head],
      [1, body],
    ]).folder.settle(START_MS + 5000)[0]?.severity,
    'error',
  );
  assert.equal(
    folded([
      [0, body],
      [1, head],
    ]).folder.settle(START_MS + 5000)[0]?.severity,
    'error',
  );
});

test('many different events stay within bounds, and what is pushed out reports its count first', () => {
  const folder = new RepeatFolder();
  const context = kernelContext('node-1');
  const reported: EventInput[] = [];
  const line = (pid: number) => `a[${pid}]: segfault at 0 ip 1 sp 2 error 4`;
  const feed = (pid: number) =>
    decodeKernelLine(kernelRecord(line(pid), pid), context).flatMap((event) => folder.fold(event));
  reported.push(...feed(1), ...feed(1));
  for (let pid = 2; pid < 3000; pid += 1) reported.push(...feed(pid));
  const first = reported.filter((event) => event.attributes?.pid === 1);
  assert.deepEqual(
    first.map((event) => event.count ?? 1),
    [1, 2],
  );
});

test('the same records give the same events', () => {
  const lines = Array.from(
    { length: 200 },
    (_, i) => [i * 137, xid(i % 2 === 0 ? 45 : 43, `pid=${i % 3}, Ch ${i}`)] as const,
  );
  const once = folded(lines);
  const again = folded(lines);
  assert.deepEqual(once.reported, again.reported);
});

test('what follows from a fault adds to it what the fault did not say, and does not repeat it', () => {
  const { reported, folder } = folded([
    [
      0,
      xid(
        13,
        "pid='<unknown>', name=<unknown>, Graphics SM Warp Exception on (GPC 7, TPC 7, SM 0): Illegal Instruction",
      ),
    ],
    [1, xid(13, "pid='<unknown>', name=<unknown>, Graphics Exception: ESR 0x57c730=0xc04000b")],
    [2, xid(43, 'pid=77, name=train, Ch 00000008')],
  ]);
  assert.equal(reported.length, 1);
  const [settled, ...others] = folder.settle(START_MS + 5000);
  assert.deepEqual(others, []);
  assert.equal(settled?.count, 2);
  const { xid: number, pid, process, consequence } = settled?.attributes ?? {};
  assert.deepEqual([number, pid, process, consequence], [13, 77, 'train', undefined]);
});

test('the end of another process is not of the fault', () => {
  const { reported } = folded([
    [0, xid(31, 'pid=5, name=a, Ch 00000008, intr 00000000. MMU Fault')],
    [1, xid(43, 'pid=77, name=train, Ch 00000009')],
  ]);
  assert.equal(reported.length, 2);
});

test('an error on the bus is one, though its port and its device print a line each', () => {
  const port = 'pcieport 0000:40:01.0: AER: Uncorrected (Fatal) error received: 0000:41:00.0';
  const device =
    'nvidia 0000:41:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Requester ID)';
  const count = (...lines: string[]): number | undefined => {
    const { reported, folder } = folded(lines.map((line, index) => [index, line]));
    return [...reported, ...folder.settle(START_MS + 5000)].at(-1)?.count ?? 1;
  };
  assert.equal(count(port, device), 1);
  assert.equal(count(device, port), 1);
  assert.equal(count(port, device, port, device, device), 3);
  assert.equal(count(port, port), 2);
  assert.equal(count(device), 1);
});
