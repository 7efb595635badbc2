// What pstore kept is read in the order of writing, as the kernel's, of the past: pieces of EFI, of ramoops, and what systemd put together.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TextDetection } from '../../../src/detection/text/text-detection.ts';
import type { TextRecord } from '../../../src/model/record.ts';
import { AfterCrashSource } from '../../../src/sources/after-crash/after-crash-source.ts';
import { crashesOf } from '../../../src/sources/after-crash/crash-record.ts';
import { until } from '../../until.ts';

const HOUR = 3_600_000;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'fl-pstore-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function put(path: string, text: string, writtenMs: number): void {
  writeFileSync(path, text);
  utimesSync(path, writtenMs / 1000, writtenMs / 1000);
}

async function read(t: TestContext, ...paths: string[]) {
  const lines: TextRecord[] = [];
  const source = new AfterCrashSource(paths, { now: Date.now, steady: (wallMs) => wallMs });
  t.after(() => source.stop());
  source.start({ samples() {}, text: (record) => void lines.push(record), event() {}, discovery() {}, failed: (error) => assert.fail(String(error)) }, new AbortController().signal); // biome-ignore format: one line
  await until(() => source.health()[0]?.detail !== 'starting');
  return { lines, source };
}

test('pieces of EFI, newest first in their numbers, are one crash in the order of its lines, at their times', async (t) => {
  const path = folder(t);
  const at = Math.floor(Date.now() / 1000) * 1000 - HOUR;
  put(
    join(path, 'dmesg-efi-176000000001001'),
    'Panic#1 Part1\n<0>[  100.500000] Kernel panic - not syncing: Fatal exception\n<4>[  101.000000] ---[ end Kernel panic ]---\n',
    at,
  );
  put(
    join(path, 'dmesg-efi-176000000002001'),
    'Panic#1 Part2\n<4>[   40.000000] NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.\n<12>[   99.000000] written by a program\n',
    at,
  );
  put(join(path, 'common-efi-1'), 'x', at);
  const before = readdirSync(path);
  const { lines, source } = await read(t, path);
  assert.deepEqual(
    lines.map(({ text, trust, timeMs }) => [text, trust, at - (timeMs ?? 0)]),
    [
      ['NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off the bus.', 'kernel', 61_000],
      ['written by a program', 'tenant', 2000],
      ['Kernel panic - not syncing: Fatal exception', 'kernel', 500],
      ['---[ end Kernel panic ]---', 'kernel', 0],
    ],
  );
  assert.deepEqual(readdirSync(path), before, 'nothing is deleted');
  assert.match(
    source.health()[0]?.detail ?? '',
    /^1 kept, the last one Panic at .* \(4 lines of dmesg-efi-176000000001001\)/,
  );
  const detection = new TextDetection('node-3');
  const events = [...lines.flatMap((line) => detection.decode(line).events), ...detection.settle(Date.now() + HOUR)];
  assert.deepEqual([...new Set(events.map(({ kind }) => kind))], ['gpu.lost', 'host.panic']);
  assert.ok(events.every(({ attributes }) => attributes?.history === true));
});

test('ramoops, and what systemd moved away: whole, and not once more by its pieces; crashes of last month are left', async (t) => {
  const [ram, moved] = [folder(t), folder(t)];
  const at = Date.now() - HOUR;
  put(
    join(ram, 'dmesg-ramoops-0'),
    '====1700000000.123456-D\nOops#2 Part1\n<4>[   10.000000] BUG: kernel NULL pointer dereference\n',
    at - 10,
  );
  mkdirSync(join(moved, '7123'));
  put(join(moved, '7123/dmesg.txt'), 'Panic#1 Part1\n<4>[   10.000000] whole\n', at);
  put(join(moved, '7123/dmesg-efi-1'), 'Panic#1 Part1\n<4>[   10.000000] piece\n', at);
  mkdirSync(join(moved, '7000'));
  put(join(moved, '7000/dmesg.txt'), '<4>[   10.000000] old\n', Date.now() - 30 * 24 * HOUR);
  const { lines } = await read(t, ram, moved);
  assert.deepEqual(lines.map(({ text }) => text), ['BUG: kernel NULL pointer dereference', 'whole']); // biome-ignore format: one line
});

test('no folder, an empty one, and bytes of any kind', async (t) => {
  const path = folder(t);
  assert.equal((await read(t, join(path, 'none'))).source.health()[0]?.status, 'absent');
  writeFileSync(join(path, 'dmesg-efi-1'), Buffer.from([0, 255, 10, 60, 57, 57, 57, 62, 91, 10]));
  writeFileSync(join(path, 'dmesg-efi-2.enc.z'), 'not packed');
  assert.ok((await read(t, path)).lines.every(({ trust }) => trust === 'tenant'));
  assert.deepEqual(crashesOf([]), []);
});
