// What a kernel's watchdog reports once is called what it is, and looked at before anything is reset or rebooted.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scan } from './scan-here.ts';

async function scanned(t: TestContext, lines: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-watchdog-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'kern.log');
  writeFileSync(file, lines.map((line, i) => `2026-11-30T07:1${i}:00.000000+00:00 gx-12 kernel: ${line}\n`).join(''));
  const { stdout, stderr, status } = await scan([file]);
  assert.equal(status, 0, stderr);
  return stdout.replace(/\n +/g, ' ');
}

const STALL = 'rcu: INFO: rcu_sched self-detected stall on CPU';

test('an RCU stall is called that, and its host is not rebooted for one', async (t) => {
  const text = await scanned(t, [STALL]);
  assert.match(text, /Root cause {2}RCU stall on gx-12\n/);
  assert.match(text, /Do +see whether a CPU of gx-12 still stalls →/);
  assert.match(
    text,
    /Now +on gx-12, sudo dmesg -T \| grep -A30 'rcu\.\*stall' .*\n(?:.*\n)?Then +where it comes again: .*reboot it\n/,
  );
});

test('a CPU that hangs by another watchdog, too, is a soft lockup as before', async (t) => {
  const text = await scanned(t, ['watchdog: BUG: soft lockup - CPU#4 stuck for 26s! [kworker/4:1:812]', STALL]);
  assert.match(
    text,
    /Root cause {2}soft lockup on gx-12\n[\s\S]*Do +see whether a CPU of gx-12 still hangs, and reboot it/,
  );
});

test('a card whose queue timed out is called so, and looked at before a reset', async (t) => {
  for (const [line, port] of [
    ['NETDEV WATCHDOG: eno2 (igb): transmit queue 1 timed out', 'eno2'],
    ['bnxt_en 0000:41:00.0 ens3f0np0: NETDEV WATCHDOG: CPU: 9: transmit queue 4 timed out 6210 ms', 'ens3f0np0'],
  ] as const) {
    const text = await scanned(t, [line]);
    assert.match(text, new RegExp(`Root cause {2}NIC transmit timeout on gx-12 (?:nic )?${port}: `), text);
    assert.match(text, new RegExp(`Do +see whether ${port} of gx-12 sends again; reset it only where it does not`));
    assert.ok(text.includes(`ip -s link show ${port}`), text);
  }
});

test('a stall and a card that stopped sending are both in the head', async (t) => {
  const text = await scanned(t, [STALL, 'NETDEV WATCHDOG: eno2 (igb): transmit queue 1 timed out']);
  assert.match(
    text,
    /Do +see whether a CPU of gx-12 still stalls, and whether eno2, which stopped sending, sends again/,
  );
});
