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
    assert.match(text, /To find out +what it hung on, until its watchdog ended it/);
    assert.match(
      text,
      /Now +start SGLang again where .* on its host, nvidia-smi; sudo dmesg -T .* py-spy dump --pid PID/s,
    );
    assert.doesNotMatch(text, /most likely it is the program|flight-recorder dump/);
  }
});

test('what slurmd itself says of a step that did not end names the step, and the node is drained already', async (t) => {
  const text = await scannedLogs(t, {
    'slurmd-gx-31.log': [
      '[2026-11-29T21:05:11.110] error: *** JOB 77310 STEPD TERMINATED ON gx-31 AT 2026-11-29T21:05:10 DUE TO JOB NOT ENDING WITH SIGNALS ***',
    ],
    'sinfo.txt': [
      'Sun Nov 29 21:09:02 2026',
      'NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              ',
      'gx-31          1    train*    draining 224    2:56:2 206300        0      1     h200 Kill task failed    ',
    ],
  });
  assert.match(text, /seen [\d-]+ 21:05:11\n/);
  assert.match(text, /Do +see which process of step 77310 did not end on gx-31/);
  assert.match(text, /gx-31 takes no new work already/);
  assert.doesNotMatch(text, /no other log says so|state=drain/);
});
