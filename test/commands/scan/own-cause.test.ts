// What cannot have brought a fault about is not a cause of it, and what a fault ended is its effect: one incident, and no host kept in service.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const AT = (second: number): string => `Nov 28 10:00:${String(second).padStart(2, '0')} nd-4 kernel:`;
const XID = `${AT(26)} NVRM: Xid (PCI:0000:5d:00): 95, pid=4711, name=VLLM::Worker_TP, Uncontained: LTC TAG (0x3,0x0). RST: Yes, D-RST: No`;

test('a machine check is not brought about by the lockup of the processor that met it', async (t) => {
  const text = await scannedLogs(t, {
    'kern.log': [
      `${AT(2)} watchdog: BUG: soft lockup - CPU#12 stuck for 26s! [kworker/12:1:881]`,
      `${AT(11)} mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 5: be00000000800400`,
      `${AT(11)} Kernel panic - not syncing: Fatal local machine check`,
    ],
  });
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Root cause +machine check on nd-4/);
  assert.doesNotMatch(text, /soft lockup on nd-4 could/);
});

test('a panic that names a machine check did not come of a lockup minutes before', async (t) => {
  const text = await scannedLogs(t, {
    'kern.log': [
      'Nov 28 09:55:02 nd-4 kernel: watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [python:881]',
      `${AT(11)} mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 5: be00000000800400`,
      `${AT(11)} Kernel panic - not syncing: Fatal local machine check`,
    ],
  });
  const [, check = ''] = text.split(/^(?=INCIDENT )/m);
  assert.match(check, /Root cause +machine check on nd-4/);
  assert.doesNotMatch(check, /could have brought it about/);
});

test('a worker that died a second after the fault of its GPU is the effect of it', async (t) => {
  const text = await scannedLogs(t, {
    'kern-nd-4.log': [XID],
    'vllm-nd-4.log': [
      '(APIServer pid=1) INFO 11-28 10:00:21 [loggers.py:127] Engine 000: Avg prompt throughput: 4002.2 tokens/s, Avg generation throughput: 1911.7 tokens/s, Running: 60 reqs, Waiting: 0 reqs',
      '(EngineCore_DP0 pid=271) ERROR 11-28 10:00:27 [multiproc_executor.py:230] Worker proc VllmWorker-2 died unexpectedly, shutting down executor.',
      '(EngineCore_DP0 pid=271) ERROR 11-28 10:00:28 [core.py:842] EngineCore encountered a fatal error.',
      '(EngineCore_DP0 pid=271) ERROR 11-28 10:00:28 [core.py:842] Traceback (most recent call last):',
      '(EngineCore_DP0 pid=271) ERROR 11-28 10:00:28 [core.py:842] RuntimeError: Executor failed.',
    ],
  });
  assert.equal(text.match(/^INCIDENT/gm)?.length, 1, text);
  assert.match(text, /Root cause +uncontained GPU memory error on nd-4 gpu 0000:5d:00\.0/);
  assert.match(text, /Effect +vllm-nd-4: rank crashed/);
  assert.doesNotMatch(text, /can stay in service/);
});
