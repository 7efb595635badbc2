// Messages of syslog in the forms that daemons and devices send: fields where they are, null where they are not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSyslog } from '../../../src/sources/syslog-in/message.ts';

const NOW = Date.UTC(2026, 10, 29, 15, 0, 0);
const read = (message: string) => readSyslog(message, NOW);

test('RFC 5424: with structured data, escaped quotes and brackets, a byte order mark, and with nothing', () => {
  const example =
    '<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog 8710 ID47 [exampleSDID@32473 iut="3" note="a \\"]\\" b"][x@1 y="z"] \uFEFFAn application event';
  assert.deepEqual(read(example), { facility: 20, severity: 5, wallMs: Date.UTC(2003, 9, 11, 22, 14, 15, 3), digits: 3, host: 'mymachine.example.com', program: 'evntslog', text: 'An application event' }); // biome-ignore format: one line
  assert.deepEqual(read('<0>1 - - - - - - NVRM: Xid 79'), { facility: 0, severity: 0, wallMs: null, digits: 0, host: null, program: null, text: 'NVRM: Xid 79' }); // biome-ignore format: one line
  assert.equal(read('<4>1 2026-11-29T15:00:00.123456+01:00 node-3 kernel - - -')?.text, '');
  assert.equal(read('<4>1 2026-11-29T16:00:00.123456+01:00 node-3 kernel - - - x')?.wallMs, NOW + 123);
});

test('RFC 3164: with a host, of the same host, with a year, as rsyslog forwards it', () => {
  const host = read('<4>Nov 29 15:00:00 node-3 kernel: [12345.678901] NVRM: Xid (PCI:0000:9b:00): 79, pid=1');
  assert.deepEqual(
    [host?.host, host?.program, host?.text],
    ['node-3', 'kernel', 'NVRM: Xid (PCI:0000:9b:00): 79, pid=1'],
  );
  assert.ok(Math.abs((host?.wallMs ?? 0) - NOW) <= 14 * 3_600_000);
  const local = read('<13>Nov  9 15:00:00 train[4711]: step 7 loss 1.5');
  assert.deepEqual([local?.host, local?.program, local?.text, local?.facility], [null, 'train', 'step 7 loss 1.5', 1]);
  const forwarded = read('<30>2026-11-29T15:00:00.123456+00:00 node-3 nv-fabricmanager[99]: detected NVSwitch');
  assert.deepEqual(
    [forwarded?.wallMs, forwarded?.digits, forwarded?.host, forwarded?.program],
    [NOW + 123, 6, 'node-3', 'nv-fabricmanager'],
  );
  assert.equal(read('<189>2026 Nov 29 15:00:00 switch-1 %ETHPORT-5-IF_DOWN: Interface down')?.host, 'switch-1');
});

test('a driver’s first word is not the tag of a program, where the kernel wrote it', () => {
  const { program, text } = read('<4>NVRM: Xid (PCI:0000:9b:00): 79, x') ?? {};
  assert.deepEqual([program, text], [null, 'NVRM: Xid (PCI:0000:9b:00): 79, x']);
});

test('the year that is left out is that which makes it the nearest to now', () => {
  assert.equal(
    new Date(readSyslog('<13>Dec 31 23:59:58 h p: x', Date.UTC(2027, 0, 1, 0, 0, 5))?.wallMs ?? 0).getUTCFullYear() >=
      2026,
    true,
  );
  const early = readSyslog('<13>Jan  1 00:00:05 h p: x', Date.UTC(2026, 11, 31, 23, 59, 58))?.wallMs ?? 0;
  assert.ok(Math.abs(early - Date.UTC(2027, 0, 1)) <= 15 * 3_600_000);
});

test('what has no priority, or one that is not there, is not syslog; hostile text ends', () => {
  for (const text of ['', 'hello', '<>x', '<192>x', '<1234>x', '< 4>x']) assert.equal(read(text), null, text);
  const started = process.cpuUsage();
  for (const text of [
    `<4>1 - - - - - [${'a="\\'.repeat(16_000)}`,
    `<4>${' '.repeat(60_000)}`,
    `<4>${'a'.repeat(60_000)}`,
  ])
    assert.ok(read(text) !== null);
  assert.ok(process.cpuUsage(started).user < 2_000_000, 'linear in the message');
});
