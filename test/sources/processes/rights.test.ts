// What each right is for: as doctor says it, with each taken away in turn.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Reader, ReaderState } from '../../../src/native.ts';
import { throughReader } from '../../../src/sources/processes/reader.ts';
import { effectiveRights, hidingOption, isShutIn, lostSteps } from '../../../src/sources/processes/rights.ts';

const ALL = (1n << 2n) | (1n << 19n) | (1n << 38n);
const lost = (effective: bigint, closed = 3, hidepid: string | null = null, reader: Reader | null = null) =>
  lostSteps({ effective, closed, hidepid, shutIn: false, reader });

test('with all rights nothing is lost', () => {
  assert.deepEqual(lost(ALL, 0), []);
  assert.deepEqual(lostSteps({ effective: null, closed: 0, hidepid: null, shutIn: false, reader: null }), []);
});

test('each right that is missing is named with what it is for', () => {
  const none = lost(0n);
  assert.equal(none.length, 3);
  assert.match(
    none[0] ?? '',
    /^environment of 3 processes .* needs CAP_DAC_READ_SEARCH and CAP_PERFMON, before Linux 6\.15/,
  );
  assert.match(none[1] ?? '', /^files that .* need faultline-environ with CAP_SYS_PTRACE/);
  assert.match(none[2] ?? '', /^libraries that .* need faultline-environ or CAP_PERFMON/);
  // As the shipped unit runs, where the kernel permits it.
  const unit = lost((1n << 2n) | (1n << 38n), 0);
  assert.deepEqual(unit.map((line) => line.slice(0, 10)), ['files that']); // biome-ignore format: one line
  assert.match(lost(1n << 2n)[0] ?? '', /needs CAP_PERFMON, before Linux 6\.15 CAP_SYS_PTRACE/);
  assert.match(lost(0n, 0, 'invisible')[0] ?? '', /hidden \(hidepid=invisible\)/);
});

test('with the reader environments and libraries are not lost; where it does not read, the reason and the line that helps are there', () => {
  const unit = (state: ReaderState, closed: number) =>
    lost(1n << 2n, closed, null, { state, shutOff: false, listsFiles: false });
  for (const state of ['perfmon', 'ptrace'] as const) {
    assert.deepEqual(unit(state, 0).map((line) => line.slice(0, 10)), ['files that']); // biome-ignore format: one line
    assert.deepEqual(lost(1n << 2n, 0, null, { state, shutOff: false, listsFiles: true }), []);
  }
  assert.equal(throughReader({ state: 'perfmon', shutOff: true, listsFiles: true }), '; those of other users through faultline-environ (CAP_PERFMON, held to /proc)'); // biome-ignore format: one line
  assert.match(throughReader({ state: 'ptrace', shutOff: false, listsFiles: false }), /\(CAP_SYS_PTRACE\)$/);
  assert.equal(throughReader(null), '');
  const failures: [ReaderState, RegExp][] = [
    ['absent', /not there: systemctl enable --now faultline-environ\.socket$/],
    ['closed', /does not answer this user: journalctl/],
    ['other_build', /another version: systemctl restart faultline$/],
    ['late', /in time$/],
    ['powerless', /its unit needs CAP_DAC_READ_SEARCH and CAP_PERFMON/],
  ];
  for (const [state, reason] of failures) {
    const lines = unit(state, 3);
    assert.match(lines[0] ?? '', /^environment of 3 processes of work: needs the reader, or CAP_PERFMON/);
    assert.match(lines[1] ?? '', reason);
    assert.equal(lines.length, 4, state);
    assert.equal(throughReader({ state, shutOff: false, listsFiles: false }), '');
  }
  assert.equal(unit('unasked', 3).length, 3);
});

test('the rights are those of the effective set, and a procfs that hides is the one that is looked at', () => {
  assert.equal(effectiveRights('Name:\tnode\nCapEff:\t0000004000000004\n'), 0x40_0000_0004n);
  assert.equal(effectiveRights('CapEff:\tx\n'), null);
  const mounts =
    'proc /proc proc rw,hidepid=2,gid=5 0 0\nproc /host/proc proc rw,hidepid=0 0 0\ntmpfs /x tmpfs rw 0 0\n';
  assert.deepEqual(['/proc', '/host/proc', '/x', '/y'].map((proc) => hidingOption(mounts, proc)), ['2', null, null, null]); // biome-ignore format: one line
});

test('a PID namespace of its own is named, unless the procfs of the host is looked at', async (t) => {
  const proc = mkdtempSync(join(tmpdir(), 'fl-shut-in-'));
  t.after(() => rmSync(proc, { recursive: true }));
  assert.equal(await isShutIn(proc), false, 'a procfs that does not say');
  mkdirSync(join(proc, 'self/ns'), { recursive: true });
  const link = join(proc, 'self/ns/pid');
  symlinkSync('pid:[4026531836]', link);
  assert.equal(await isShutIn(proc), false, 'the first one');
  rmSync(link);
  symlinkSync('pid:[4026532999]', link);
  assert.equal(await isShutIn(proc), true);
  mkdirSync(join(proc, '2'));
  writeFileSync(join(proc, '2/comm'), 'sh\n');
  assert.equal(await isShutIn(proc), true);
  writeFileSync(join(proc, '2/comm'), 'kthreadd\n');
  assert.equal(await isShutIn(proc), false, 'that of the host');
  const lines = lostSteps({ effective: ALL, closed: 0, hidepid: null, shutIn: true, reader: null });
  assert.match(lines.join(), /^processes of the host are out of sight: .* hostPID: true/);
});
