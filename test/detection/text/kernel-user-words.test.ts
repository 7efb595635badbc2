// Whatever a user calls a process, a file or a group, the kernel's line about it stays what the kernel meant.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { amdgpuLine } from '../../../src/detection/text/kernel/amdgpu-line.ts';
import { apeiLine } from '../../../src/detection/text/kernel/apei-line.ts';
import { cardLine } from '../../../src/detection/text/kernel/card-line.ts';
import { leapLine } from '../../../src/detection/text/kernel/clock-line.ts';
import { deviceLine } from '../../../src/detection/text/kernel/device-line.ts';
import { driverLine } from '../../../src/detection/text/kernel/driver-line.ts';
import { beegfsLine, fileServerLine } from '../../../src/detection/text/kernel/file-server-line.ts';
import { memoryLine } from '../../../src/detection/text/kernel/memory-line.ts';
import { mlx5Line } from '../../../src/detection/text/kernel/mlx5-line.ts';
import { pcieLine } from '../../../src/detection/text/kernel/pcie-line.ts';
import { portLine } from '../../../src/detection/text/kernel/port-line.ts';
import { storageLine } from '../../../src/detection/text/kernel/storage-line.ts';
import { switchLine } from '../../../src/detection/text/kernel/switch-line.ts';
import { thermalLine } from '../../../src/detection/text/kernel/thermal-line.ts';
import { transmitLine } from '../../../src/detection/text/kernel/transmit-line.ts';
import { parseXidLine } from '../../../src/detection/text/kernel/xid-line.ts';
import { decodeKernelLine, kernelContext, releaseHeld } from '../../../src/detection/text/kernel.ts';
import { componentText } from '../../../src/model/component.ts';
import { FORMATS, HOST, type KernelFormat, TRUE_LINES, type UserWords } from './kernel-formats.ts';
import { kernelRecord } from './lines.ts';

/** Every format string of the kernel that holds a name of a process or file, against every decoder of drivers. */
const DRIVERS: Readonly<Record<string, (text: string) => unknown>> = {
  parseXidLine,
  driverLine: (text) => driverLine(text, kernelContext(HOST)),
  pcieLine: (text) => pcieLine(text, kernelContext(HOST), 0),
  memoryLine: (text) => memoryLine(text, kernelContext(HOST), 0),
  storageLine: (text) => storageLine(text, kernelContext(HOST)),
  fileServerLine: (text) => fileServerLine(text, kernelContext(HOST)),
  switchLine: (text) => switchLine(text, kernelContext(HOST)),
  mlx5Line: (text) => mlx5Line(text, kernelContext(HOST)),
  cardLine: (text) => cardLine(text, kernelContext(HOST)),
  portLine: (text) => portLine(text, kernelContext(HOST)),
  deviceLine: (text) => deviceLine(text, kernelContext(HOST)),
  transmitLine: (text) => transmitLine(text, kernelContext(HOST)),
  thermalLine: (text) => thermalLine(text, kernelContext(HOST)),
  amdgpuLine: (text) => amdgpuLine(text, kernelContext(HOST)),
  beegfsLine: (text) => beegfsLine(text, kernelContext(HOST)),
  apeiLine: (text) => (apeiLine(text, null).step === 'none' ? null : text),
  leapLine: (text) => leapLine(text, kernelContext(HOST)),
};

/** Pieces of true lines, whole ones up to the field's length, two of them after one another, with a newline or a bad byte between. */
function words(longest: number): fc.Arbitrary<string> {
  const line = fc.constantFrom(...TRUE_LINES);
  const piece = fc.tuple(line, fc.nat(80), fc.integer({ min: 1, max: 255 })).map(([text, from, size]) => {
    const start = from % 3 === 0 ? 0 : from % text.length;
    return text.slice(start, start + size);
  });
  const glue = fc.constantFrom('', ' ', ': ', ', ', ') ', '\n', '\uFFFD', '\t');
  return fc.tuple(piece, glue, fc.oneof(piece, fc.constant(''))).map((parts) => parts.join('').slice(0, longest));
}

/** One true line cut in two, as a name and a file would hold it; the cut is where the name ends. */
const cut: fc.Arbitrary<UserWords> = fc
  .tuple(fc.constantFrom(...TRUE_LINES), fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 6 }))
  .map(([line, at, over]) => {
    const file = line.slice(Math.max(0, at - over));
    return { comm: line.slice(0, at), file, group: file, label: line, iface: ifaceOf(line) };
  });

const free: fc.Arbitrary<UserWords> = fc
  .record({ comm: words(15), file: words(255), group: words(255), label: words(255), iface: words(255) })
  .map((chosen) => ({ ...chosen, group: chosen.group.replaceAll('/', '_'), iface: ifaceOf(chosen.iface) }));

/** dev_valid_name(): no "/", no ":" and no white space. */
function ifaceOf(text: string): string {
  return text.replace(/[\s/:]/g, '').slice(0, 15) || 'eth0';
}

function isAsMeant(format: KernelFormat, chosen: UserWords): void {
  const line = format.line(chosen);
  const context = kernelContext(HOST);
  const events = [...decodeKernelLine(kernelRecord(line), context), ...releaseHeld(context, Number.POSITIVE_INFINITY)];
  const reported = events.map(
    ({ kind, component }) => `${kind} ${component === null ? null : componentText(component)}`,
  );
  assert.deepEqual(reported, format.kind === undefined ? [] : [`${format.kind} ${format.component}`], line);
  for (const { kind, trust, attributes } of events) {
    assert.equal(trust, kind.startsWith('process.') ? 'tenant' : 'kernel', line);
    for (const value of Object.values(attributes ?? {}))
      if (typeof value === 'string') assert.doesNotMatch(value, /\p{Cc}/u, line);
  }
  assert.equal(context.identities.size + context.corrected.size, 0, line);
  assert.equal(context.openMessage, null, line);
  assert.equal(context.held.size, 0, line);
  assert.equal(context.unsupported.size, 0, line);
}

for (const format of FORMATS) {
  test(`the kernel's words decide: ${format.name}`, () => {
    fc.assert(
      fc.property(fc.oneof(free, cut), (chosen) => isAsMeant(format, chosen)),
      { numRuns: 400 },
    );
  });
}

test('a name and a file of one user that together look like a packet filter do not hide an error of the disk', () => {
  const chosen = { comm: 'IN=a OUT=b MAC=', group: 'g', label: 'l', iface: 'i' };
  const format = FORMATS.find(({ name }) => name === 'ext4 error') ?? assert.fail('no such format');
  isAsMeant(format, { ...chosen, file: 'SRC=10.0.0.4 DST=10.0.0.5 LEN=60 TOS=0x00' });
  isAsMeant(format, { ...chosen, file: 'ARP TRUNCATED' });
});

test('no decoder of a driver takes a crash, an allocation or another line that a process opens for its own', () => {
  const opened = FORMATS.filter(({ line }) =>
    line({ comm: '', file: 'f', group: 'g', label: 'l', iface: 'i' }).match(
      /^(?:traps: )?[[(/: ]|^ ?(?:invoked|used|uses) /,
    ),
  );
  assert.ok(opened.length > 20, String(opened.length));
  fc.assert(
    fc.property(fc.constantFrom(...opened), fc.oneof(free, cut), (format, chosen) => {
      const line = format.line(chosen);
      for (const [name, decode] of Object.entries(DRIVERS)) assert.equal(decode(line), null, `${name}: ${line}`);
    }),
    { numRuns: 4000 },
  );
});

test('the attacks that were tried: a lost GPU, a GPU of the attacker’s choice, any process killed', () => {
  const where = 'ip 00007f1d2a4c1b3e sp 00007ffc1a2b3c40 error 4 in';
  for (const [comm, file] of [
    ['NVRM: Xid: 79', 'libc.so.6'],
    ['NVRM: BAR1', ' is 0M @ 0x0 (PCI:0000:9b:00.0)'],
    ['Out of memory: ', 'Killed process 4242 (victim)'],
    ['mce: ', 'CMCI storm detected'],
    ['mlx5_:(pid 1): ', 'No done completion'],
    ['EDAC MC0: 9 UE ', ' on DIMM_A (x)'],
    ['NVRM: ', ': fallen off the bus'],
    ['chronyd', 'System clock was stepped by 400'],
  ]) {
    const line = `${comm}[77]: segfault at 0 ${where} ${file}[7f1d2a480000+8f000]`;
    const events = decodeKernelLine(kernelRecord(line), kernelContext(HOST));
    assert.deepEqual(
      events.map(({ kind, trust, component, attributes }) => [
        kind,
        trust,
        component?.id,
        attributes?.process,
        attributes?.library,
      ]),
      [['process.segfault', 'tenant', '77', comm, file]],
      line,
    );
  }
});

test('the group of a killed task is the kernel’s, whatever folders are called', () => {
  const mine = '/slurm/uid_1000/job_771/x,task_memcg=/slurm/job_991';
  const line = `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg=${mine},task_memcg=${mine}/step,task=a,pid=77,uid=1000`;
  const [event] = decodeKernelLine(kernelRecord(line), kernelContext(HOST));
  assert.equal(event?.attributes?.memcg, `${mine}/step`);
});

test('the user of a killed task is the one that the kernel names at the end, whatever the task is called', () => {
  const uidOf = (line: string) => decodeKernelLine(kernelRecord(line), kernelContext(HOST))[0]?.attributes?.uid;
  const summary =
    'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/a,task_memcg=/a';
  assert.equal(uidOf(`${summary},task=x,uid=1001 ,pid=77,uid=1000`), 1000);
  const sizes = 'total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB';
  const kill = (comm: string, end: string) => uidOf(`Out of memory: Killed process 77 (${comm}) ${sizes}${end}`);
  assert.equal(kill('x UID:1001 ', ', UID:1000 pgtables:56kB oom_score_adj:-998'), 1000);
  assert.equal(kill('a', ', UID:1000 pgtables:56kB oom_score_adj:0'), 1000);
  assert.equal(kill('x UID:1001 ', ''), undefined);
  assert.equal(uidOf('Out of memory: Killed process 77 (x UID:1001 )'), undefined);
});
