// Forms of saved logs: each prefix is taken off, and says who wrote the line, when and where.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLine } from '../../../src/sources/saved-text/form/read-line.ts';

const XID = 'NVRM: Xid (PCI:0000:06:00): 79, GPU has fallen off the bus.';
const BYTES = JSON.stringify([...Buffer.from(XID)]);

/** Line, form, writer, host, and the stamp: epoch ms (of 1972 where there is no year), "boot" or "after" ms, or none. */
const FORMS: readonly (readonly [line: string, form: string | null, writer: string, host: string | null, stamp: number | string | null])[] = [
  [XID, null, 'kernel-like', null, null],
  [`4,91234,155044078590,-;${XID}`, 'kmsg', 'kernel', null, 'boot 155044078.59'],
  [`12,91234,155044078590,-,caller=T1946;${XID}`, 'kmsg', 'program', null, 'boot 155044078.59'],
  [`[155044.078590] ${XID}`, 'dmesg', 'kernel', null, 'boot 155044078.59'],
  [`<4>[155044.078590][   T12] ${XID}`, 'dmesg', 'kernel', null, 'boot 155044078.59'],
  [`[  +0.000844] ${XID}`, 'dmesg', 'kernel', null, 'after 0.844'],
  [`[Feb22 04:01] ${XID}`, 'dmesg', 'kernel', null, Date.UTC(1972, 1, 22, 4, 1)],
  [`[Mon Jan 27 19:27:15 2020] ${XID}`, 'dmesg_ctime', 'kernel', null, Date.UTC(2020, 0, 27, 19, 27, 15)],
  [`2025-01-21T04:41:44,283302+01:00 ${XID}`, 'dmesg_iso', 'kernel', null, Date.UTC(2025, 0, 21, 3, 41, 44) + 283.302],
  [`kern  :warn  : [155044.078590] ${XID}`, 'dmesg', 'kernel', null, 'boot 155044078.59'],
  [`kern  :warn  : 2025-01-21T04:41:44,283302+00:00 ${XID}`, 'dmesg', 'kernel', null, Date.UTC(2025, 0, 21, 4, 41, 44) + 283.302],
  [`user  :warn  : [155044.078590] ${XID}`, 'dmesg', 'program', null, 'boot 155044078.59'],
  [`Feb 14 05:03:41 node-a kernel: ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(1972, 1, 14, 5, 3, 41)],
  [`<4>Feb  4 05:03:41 node-a kernel: [155044.078590] ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(1972, 1, 4, 5, 3, 41)],
  [`Okt 06 17:59:27 node-a kernel: ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(1972, 9, 6, 17, 59, 27)],
  [`déc. 06 17:59:27 node-a kernel: ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(1972, 11, 6, 17, 59, 27)],
  [`12月  6 17:59:27 node-a kernel: ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(1972, 11, 6, 17, 59, 27)],
  [`May 09 18:03:40 服务器-a12 kernel: ${XID}`, 'syslog_rfc3164', 'kernel', '服务器-a12', Date.UTC(1972, 4, 9, 18, 3, 40)],
  [`Feb 14 05:03:41 kernel: ${XID}`, 'syslog_rfc3164', 'kernel', null, Date.UTC(1972, 1, 14, 5, 3, 41)],
  [`Feb 14 05:03:41 node-a mytool[12]: ${XID}`, 'syslog_rfc3164', 'program', 'node-a', Date.UTC(1972, 1, 14, 5, 3, 41)],
  [`2024-12-02T10:43:35+0800 node-a kernel: ${XID}`, 'journal_short_iso', 'kernel', 'node-a', Date.UTC(2024, 11, 2, 2, 43, 35)],
  [`2024-12-02T10:43:35.100000+08:00 kernel: ${XID}`, 'journal_short_iso', 'kernel', null, Date.UTC(2024, 11, 2, 2, 43, 35, 100)],
  [`<4>1 2024-12-02T02:43:35.528856Z node-a kernel - - - ${XID}`, 'syslog_rfc5424', 'kernel', 'node-a', Date.UTC(2024, 11, 2, 2, 43, 35) + 528.856],
  [`<14>1 2024-12-02T02:43:35Z node-a tool 12 ID7 [a@1 b="c \\" ]"] ${XID}`, 'syslog_rfc5424', 'program', 'node-a', Date.UTC(2024, 11, 2, 2, 43, 35)],
  [`192.0.2.119: kern: warning: [2026-04-22T21:30:51.526447914Z]: ${XID}`, 'talos', 'kernel', '192.0.2.119', Date.UTC(2026, 3, 22, 21, 30, 51) + 526.447914],
  [`kern: warning: [2026-04-22T21:30:51.526447914Z]: ${XID}`, 'talos', 'kernel', null, Date.UTC(2026, 3, 22, 21, 30, 51) + 526.447914],
  [`user: warning: [2026-04-22T21:30:51Z]: ${XID}`, 'talos', 'program', null, Date.UTC(2026, 3, 22, 21, 30, 51)],
  [`node-b: [155044.078590] ${XID}`, 'pdsh', 'kernel', 'node-b', 'boot 155044078.59'],
  [`node-b: ${XID}`, 'pdsh', 'kernel-like', 'node-b', null],
  [` kernel:[155044.078590] ${XID}`, 'wall', 'kernel', null, 'boot 155044078.59'],
  [`Apr  9 21:05:38.106121 node-a INFO kernel: [10601.214044] ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(1972, 3, 9, 21, 5, 38) + 106.121],
  [`2025 Apr  9 21:05:38.106121 node-a INFO kernel: [10601.214044] ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(2025, 3, 9, 21, 5, 38) + 106.121],
  [`2025 Apr  9 21:05:38.106121 node-a ERR mytool[12]: ${XID}`, 'syslog_rfc3164', 'program', 'node-a', Date.UTC(2025, 3, 9, 21, 5, 38) + 106.121],
  [`node-b kernel: ${XID}`, 'plain', 'kernel', 'node-b', null],
  [`2023-12-04T10:49:30.127Z In(05) vcpu-5 - Guest: <6>[39291577.009363] ${XID}`, 'hypervisor', 'kernel', null, Date.UTC(2023, 11, 4, 10, 49, 30, 127)],
  [`2026-11-28T01:16:50.123456789Z stdout F ${XID}`, 'cri', 'kernel-like', null, Date.UTC(2026, 10, 28, 1, 16, 50) + 123.456789],
  [JSON.stringify({ MESSAGE: XID, _HOSTNAME: 'node-a', _TRANSPORT: 'kernel', __REALTIME_TIMESTAMP: '1723210376000000' }), 'journal_json', 'kernel', 'node-a', 1_723_210_376_000],
  [`{"MESSAGE":${BYTES},"_HOSTNAME":"node-a","_TRANSPORT":"kernel"}`, 'journal_json', 'kernel', 'node-a', null],
  [JSON.stringify({ MESSAGE: [...Buffer.from(`\u001b[31m${XID}\u001b[0m`)], _HOSTNAME: 'node-a', _TRANSPORT: 'kernel' }), 'journal_json', 'kernel', 'node-a', null],
  [JSON.stringify({ log: `${XID}\n`, stream: 'stderr', time: '2026-11-28T01:16:50.5Z' }), 'docker_json', 'kernel-like', null, Date.UTC(2026, 10, 28, 1, 16, 50, 500)],
  [`\u001b[32m[155044.078590]\u001b[0m ${XID}`, 'dmesg', 'kernel', null, 'boot 155044078.59'],
  [`Thu 2024-11-28 12:00:00 UTC node-a kernel: ${XID}`, 'journal_short_full', 'kernel', 'node-a', Date.UTC(2024, 10, 28, 12)],
  [`Do 2024-11-28 12:00:00 CET node-a mytool[12]: ${XID}`, 'journal_short_full', 'program', 'node-a', Date.UTC(2024, 10, 28, 12)],
  [`1732795200.123456 node-a kernel: ${XID}`, 'journal_short_unix', 'kernel', 'node-a', 1_732_795_200_123.456],
  [`192.0.2.119: kern:    info: [2026-04-22T21:30:51Z]: ${XID}`, 'talos', 'kernel', '192.0.2.119', Date.UTC(2026, 3, 22, 21, 30, 51)],
  [`> Feb 14 05:03:41 node-a kernel: ${XID}`, 'syslog_rfc3164', 'kernel', 'node-a', Date.UTC(1972, 1, 14, 5, 3, 41)],
  [`>> > [155044.078590] ${XID}`, 'dmesg', 'kernel', null, 'boot 155044078.59'],
  [JSON.stringify({ textPayload: XID, timestamp: '2026-11-28T01:16:50Z' }), 'json', 'kernel-like', null, Date.UTC(2026, 10, 28, 1, 16, 50)],
  [`[dim. 19 avril 18:03:30 2026] ${XID}`, 'dmesg_ctime', 'kernel', null, Date.UTC(2026, 3, 19, 18, 3, 30)],
  [`[mar. 1 juillet 18:03:30 2025] ${XID}`, 'dmesg_ctime', 'kernel', null, Date.UTC(2025, 6, 1, 18, 3, 30)],
  [`[So 7. Dezember 18:03:30 2025] ${XID}`, 'dmesg_ctime', 'kernel', null, Date.UTC(2025, 11, 7, 18, 3, 30)],
  [`[五 11月 27 12:00:00 2026] ${XID}`, 'dmesg_ctime', 'kernel', null, Date.UTC(2026, 10, 27, 12)],
  [`[목  1월  1 12:00:00 2026] ${XID}`, 'dmesg_ctime', 'kernel', null, Date.UTC(2026, 0, 1, 12)],
  [`node-b: [金 11月 27 12:00:00 2026] ${XID}`, 'pdsh', 'kernel', 'node-b', Date.UTC(2026, 10, 27, 12)],
  [`[Fri Nov 27 12:00:00 2026 <    0.000012>] ${XID}`, 'dmesg_ctime', 'kernel', null, Date.UTC(2026, 10, 27, 12)],
  [`[155044.078590 <    0.000012>] ${XID}`, 'dmesg', 'kernel', null, 'boot 155044078.59'],
  [`node-b: [155044.078590 <    0.000012>] ${XID}`, 'pdsh', 'kernel', 'node-b', 'boot 155044078.59'],
  [`[<    0.012345>] ${XID}`, 'dmesg', 'kernel', null, 'after 12.345'],
  [`[2023-06-22 21:55:31.352444][5975153.869131] ${XID}`, 'console', 'kernel', null, Date.UTC(2023, 5, 22, 21, 55, 31) + 352.444],
  [`[Jun 22 21:55:31] [   12.869131] ${XID}`, 'console', 'kernel', null, Date.UTC(1972, 5, 22, 21, 55, 31)],
  [`[  T292] ${XID}`, 'dmesg', 'kernel', null, null],
  [`[   C12] ${XID}`, 'dmesg', 'kernel', null, null],
  [` kernel:${XID}`, 'wall', 'kernel-like', null, null],
  [`2016-07-31 16:26:53 [kern.warning] [  377.489617] ${XID}`, 'syslog', 'kernel', null, Date.UTC(2016, 6, 31, 16, 26, 53)],
  [`2016-07-31 16:26:53 [user.warning] ${XID}`, null, 'kernel-like', null, null],
  [`2016-07-31 16:26:53 +0000 UTC kern.crit kernel: ${XID}`, 'syslog', 'kernel', null, Date.UTC(2016, 6, 31, 16, 26, 53)],
  [`2026-03-02T05:03:41Z | node-a | kernel: [155044.078590] ${XID}`, 'syslog', 'kernel', null, Date.UTC(2026, 2, 2, 5, 3, 41)],
  [`2026-03-02 05:03:41 INFO worker kernel: ${XID}`, null, 'kernel-like', null, null],
  [`ticket 371;${XID}`, null, 'kernel-like', null, null],
]; // biome-ignore format: one form a line

for (const [line, form, writer, host, stamp] of FORMS) {
  test(`the form of ${line.replaceAll('\u001b', 'ESC').slice(0, 60)}`, () => {
    const read = readLine(line);
    const when =
      read.stamp === null
        ? null
        : read.stamp.kind === 'wall'
          ? read.stamp.utcMs
          : `${read.stamp.kind} ${Math.round(read.stamp.ms * 1000) / 1000}`;
    assert.deepEqual([read.form, read.writer, read.host], [form, writer, host]);
    if (typeof stamp === 'number' && typeof when === 'number')
      assert.ok(Math.abs(when - stamp) < 0.01, `${when} for ${stamp}`);
    else assert.equal(when, stamp);
    // A program's name stays, as programs write into the kernel's log.
    assert.equal(read.message.replace(/^\w+\[12\]: /, ''), XID);
  });
}

test("lines of the log of GPFS' daemon are the daemon's own, at their time", () => {
  const { form, writer, own, message, stamp } = readLine(
    '2026-11-28_10:37:26.823-0400: [E] Lost membership in cluster a.',
  );
  assert.deepEqual([form, writer, own, message], ['mmfs', 'program', true, 'mmfs: [E] Lost membership in cluster a.']);
  assert.deepEqual(stamp, { kind: 'wall', utcMs: Date.UTC(2026, 10, 28, 14, 37, 26, 823), digits: 3, zoned: true, yearless: false }); // biome-ignore format: one line
});

test('a driver and its device are not host and program where dmesg writes ISO times', () => {
  for (const head of ['', 'kern  :warn  : ']) {
    const { writer, host, message } = readLine(
      `${head}2025-01-21T04:41:44,283302+00:00 nvme nvme0: controller is down; will reset`,
    );
    assert.deepEqual([writer, host, message], ['kernel', null, 'nvme nvme0: controller is down; will reset']);
  }
  const { host } = readLine('2025-01-21T04:41:44,283302+00:00 node-a kernel: nvme nvme0: controller is down');
  assert.equal(host, 'node-a');
});

test('a message to all terminals: its head has the host, and what programs call kernels is none of it', () => {
  const head = readLine('Message from syslogd@node-a at May 20 19:29:01 ...');
  assert.deepEqual([head.form, head.writer, head.host, head.message], ['wall', 'program', 'node-a', '']);
  assert.equal(head.stamp?.kind === 'wall' && head.stamp.utcMs, Date.UTC(1972, 4, 20, 19, 29, 1));
  const lockup = readLine(' kernel:NMI watchdog: BUG: soft lockup - CPU#0 stuck for 24s! [dd:8103]');
  assert.deepEqual([lockup.form, lockup.writer], ['wall', 'kernel-like']);
  for (const line of ['kernel:Matmul 12 us', 'kernel:INFO 3 blocks', '[2023-06-22 21:55:31] [12.5 s] step 3'])
    assert.deepEqual([readLine(line).form, readLine(line).writer], [null, 'unknown'], line);
});

for (const [digits, ms] of [
  ['100', 100],
  ['100500', 100.5],
  ['100500000', 100.5],
] as const) {
  test(`glog's stamp with ${digits.length} digits of a second is the time of the line`, () => {
    const { stamp } = readLine(
      `[rank7]:[E1129 13:15:51.${digits} ProcessGroupNCCL.cpp:629] [Rank 7] Watchdog caught collective operation timeout`,
    );
    assert.ok(stamp?.kind === 'wall' && stamp.yearless);
    assert.ok(Math.abs(stamp.utcMs - Date.UTC(1972, 10, 29, 13, 15, 51) - ms) < 0.01, `${stamp.utcMs}`);
  });
}

/** What loggers of programs write, and when that is in UTC. */
const LOGGED: readonly (readonly [string, number])[] = [
  ['2026/11/29 02:06:38 RuntimeError: x', Date.UTC(2026, 10, 29, 2, 6, 38)],
  ['[2026.11.29 02:06:38.25] RuntimeError: x', Date.UTC(2026, 10, 29, 2, 6, 38, 250)],
  ['11/29/2026 02:06:38 - ERROR - __main__ - x', Date.UTC(2026, 10, 29, 2, 6, 38)],
  ['29/11/2026 02:06:38 - ERROR - __main__ - x', Date.UTC(2026, 10, 29, 2, 6, 38)],
  ['[11/29/26 02:06:38] ERROR    x', Date.UTC(2026, 10, 29, 2, 6, 38)],
  ['29-Nov-2026 02:06:38,331 x', Date.UTC(2026, 10, 29, 2, 6, 38, 331)],
  ['[11/29/2026-02:06:38] [TRT-LLM] [E] x', Date.UTC(2026, 10, 29, 2, 6, 38)],
];
for (const [line, ms] of LOGGED)
  test(`the time of ${line}`, () => {
    const { stamp } = readLine(line);
    assert.ok(stamp?.kind === 'wall');
    assert.equal(stamp.utcMs, ms);
  });
test('the code of an exception is not a time of the kernel, nor its class a host', () => {
  const { form, host } = readLine('numba.cuda.cudadrv.driver.CudaAPIError: [700] Call to cuMemcpy results in UNKNOWN_CUDA_ERROR'); // biome-ignore format: one line
  assert.deepEqual([form, host], [null, null]);
});

test('a name before a colon alone does not make a line one of the kernel', () => {
  for (const line of [
    'RuntimeError: FlashAttention only supports Ampere GPUs or newer.',
    'trainer: step 3 of 100',
    'torch.cuda.OutOfMemoryError: CUDA out of memory.',
  ])
    assert.equal(readLine(line).writer, 'unknown', line);
});

test('a day that no calendar has is not a time', () => assert.equal(readLine('31/31/2026 02:06:38 x').stamp, null));

test('what a log is called before a quoted line names no host', () => {
  const xid = 'NVRM: Xid (PCI:0000:17:00): 79, pid=0, GPU has fallen off the bus.';
  const labels = [
    'kernel-log',
    'Kernel log',
    'dmesg.1',
    'kern.log',
    'syslog',
    'messages-1',
    'console_output',
    'LAST BOOT',
  ];
  for (const label of labels) {
    const { host, writer, message } = readLine(`${label}: ${xid}`);
    assert.deepEqual([host, writer, message.endsWith(xid)], [null, 'kernel-like', true], label);
  }
  for (const name of ['gx-07', 'node7', 'gpu-12', 'log1', 'dmesgs.example.com', 'kernel-a']) {
    const { host, writer } = readLine(`${name}: ${xid}`);
    assert.deepEqual([host, writer], [name, 'kernel-like'], name);
  }
});

test('what begins with a dash is never taken for a host', () => {
  const xid = 'NVRM: Xid (PCI:0000:17:00): 79, GPU has fallen off the bus.';
  const heads = ['Nov 30 08:00:00 -Fevil kernel: ', '2026-11-30T08:00:00+00:00 -Fevil kernel: ', '-Fevil: ', '-Fevil kernel: ', '1732795200.123456 -Fevil kernel: ', '-Fevil: kern: warning: [2026-11-30T08:00:00Z]: ']; // biome-ignore format: one line
  for (const head of heads) assert.equal(readLine(`${head}${xid}`).host, null, head);
});

test("lines of Talos' own services are of a program, whether or not the node is named", () => {
  for (const head of ['192.0.2.119: ', '']) {
    const { writer, program, message } = readLine(
      `${head}user: warning: [2026-04-22T21:30:51Z]: [talos] service "a" is up`,
    );
    assert.deepEqual([writer, program, message], ['program', 'talos', 'talos: service "a" is up']);
  }
});
