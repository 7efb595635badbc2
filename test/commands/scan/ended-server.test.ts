// Inference servers that ended: that they run again comes first, then the host; a job's means of looking at a hang are none of theirs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const AGAIN =
  /Now +start (?:vLLM|SGLang) again where what supervises it has not \(kubectl get pods, docker ps, systemctl status\)/;

test('a worker of vLLM that did not answer its engine is one incident, in either order, on the host of its records', async (t) => {
  const said = [
    {
      asctime: '2026-11-29 21:14:00,310',
      levelname: 'ERROR',
      hostname: 'srv-17',
      message: 'EngineCore encountered a fatal error.',
    },
    {
      asctime: '2026-11-29 21:14:00,312',
      levelname: 'ERROR',
      hostname: 'srv-17',
      message: 'TimeoutError: RPC call to execute_model timed out.',
    },
  ].map((record) => JSON.stringify(record));
  for (const lines of [said, said.toReversed()]) {
    const text = await scannedLogs(t, { 'chat.jsonl': lines });
    assert.match(text, /\n1 incident out of /);
    assert.match(text, /To find out +why a worker of the engine did not answer /);
    assert.match(text, AGAIN);
    assert.match(text, /on srv-17, nvidia-smi; sudo dmesg -T/);
    assert.doesNotMatch(text, /TORCH_FR|faultline fr|flight-recorder/);
  }
});

test('of the schedulers of SGLang those that say nothing are named, with their GPUs', async (t) => {
  const at = (who: string): string => `[2026-11-29 04:00:31 ${who}] Watchdog timeout (self.watchdog_timeout=120)`;
  const text = await scannedLogs(t, { 'sglang.log': ['TP6', 'TP0', 'TP1', 'TP2', 'TP5', 'TP3'].map(at) });
  assert.match(text, /why TP4, 7 did not step: TP0…3, 5, 6 said that they wait/);
  assert.match(text, /GPU 4, 7 first/);
  assert.match(text, AGAIN);
  const all = await scannedLogs(t, { 'sglang.log': ['TP0', 'TP1', 'TP2', 'TP3'].map(at) });
  assert.doesNotMatch(all, /did not step/);
});

test('an XID of a server sends to the server first; one that never came up is not started again unchanged', async (t) => {
  const xid = await scannedLogs(t, {
    'dmesg-srv-3.log': ['[Sun Nov 29 19:01:17 2026] NVRM: Xid (PCI:0000:61:00): 13, pid=811, name=VLLM::Worker_TP, Graphics Exception: ESR 0x505648=0x1'], // biome-ignore format: one line
    'vllm-srv-3.log': ['(VllmWorker rank=1 pid=811) ERROR 11-29 19:01:18 [multiproc_executor.py:470] RuntimeError: CUDA error: an illegal memory access was encountered'], // biome-ignore format: one line
  });
  assert.match(xid, /Now +start vLLM again where /);
  const start = await scannedLogs(t, {
    'vllm.log': [
      '(EngineCore_0 pid=19) ERROR 11-28 12:02:25 [core.py:710] EngineCore failed to start.',
      '(EngineCore_0 pid=19) ERROR 11-28 12:02:25 [core.py:710] Traceback (most recent call last):',
      '(EngineCore_0 pid=19) ERROR 11-28 12:02:25 [core.py:710]   File "/app/vllm/v1/engine/core.py", line 691, in run_engine_core',
      "(EngineCore_0 pid=19) ERROR 11-28 12:02:25 [core.py:710] KeyError: 'layers.0.mlp'",
    ],
  });
  assert.doesNotMatch(start, /start vLLM again/);
  const training = await scannedLogs(t, {
    'train.log': ['[rank3]: RuntimeError: CUDA error: unspecified launch failure'],
  });
  assert.doesNotMatch(training, /again where what supervises/);
});
