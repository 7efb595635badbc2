// What ended a program is not always what it looks like: its own watchdog after a hang, Ray before the kernel, and a step that did not end.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const scanned = (t: TestContext, name: string, lines: readonly string[]): Promise<string> =>
  scannedLogs(t, { [name]: lines });

const SGLANG = [
  '[2026-11-30 06:20:01 TP0] Decode batch. #running-req: 31, #token: 90211, token usage: 0.71, gen throughput (token/s): 1503.22, #queue-req: 0',
  '[2026-11-30 06:20:04 TP0] Decode batch. #running-req: 31, #token: 91102, token usage: 0.72, gen throughput (token/s): 1500.10, #queue-req: 1',
];

test('a server that its own watchdog ended hung, and did not crash by itself', async (t) => {
  for (const line of [
    '[2026-11-30 06:25:05] Watchdog timeout (self.watchdog_last_time=1180123.1, self.watchdog_timeout=300)',
    '[2026-11-30 06:25:05 TP0] Watchdog timeout (self.watchdog_timeout=300)',
    '[2026-11-30 06:25:05 TP0] Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)',
  ]) {
    const text = await scanned(t, 'sglang.log', [
      ...SGLANG,
      line,
      '[2026-11-30 06:25:10] Received sigquit from a child process. It usually means the child failed.',
    ]);
    assert.match(text, /makes no progress: no step for 300 s, by its own watchdog/);
    assert.match(text, /Now +(?:TP0 made no step: )?on its hosts?, sudo dmesg -T .* py-spy dump --pid PID/s);
    assert.doesNotMatch(text, /most likely it is the program|flight-recorder dump/);
  }
});
