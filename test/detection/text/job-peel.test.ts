// What collectors, launchers and loggers put before a line, one or several of them in any order: the line says the same behind all of them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { peel } from '../../../src/detection/text/job/peel.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { readLine } from '../../../src/sources/saved-text/form/read-line.ts';
import { jobRecord, START_MS } from './lines.ts';

const THROWN = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';

const PREFIXES = [
  'INFO 2026-11-19T20:16:36.096625454Z ',
  '[resource.labels.containerName: vllm] ',
  '(EngineCore_DP0 pid=270) ',
  '(VllmWorker rank=1 pid=273) ',
  'ERROR 11-19 12:16:36 [v1/engine/core.py:842] ',
  '[ERROR|trainer.py:812] 2026-11-29 02:06:38,331 >> ',
  '2026-11-29 02:06:38.331 | ERROR    | trainer.loop:step:88 - ',
  '2026-11-29 02:06:38 | ERROR | ',
  '2026-11-29T02:06:38.331Z\tERROR\tworker/main.py:12\t',
  '[2026-11-29 02:06:38,331][root][ERROR] - ',
  '02:06:38 [ERROR] ',
  'ERROR:root:',
  'stderr: ',
  'E1119 12:16:36.488085    5711 dump.go:53] ',
  '2026-11-09 15:39:31.043 +08:00 ',
  '[1,13]<stderr>:',
  'vllm-1  | ',
  '3: ',
  'worker-1: ',
  '[rank3]: ',
  ' 94%|█████████▍| 837/888 [9:42:50<34:08, 40.17s/it]',
  'Train Epoch     #12:  61% 761/1252 [36:43<1:25:55, 22.91s/it, loss=0.946]',
  '[vllm]: ',
];

for (const prefix of PREFIXES) {
  test(`"${prefix.trim()}" comes off`, () => assert.equal(peel(`${prefix}${THROWN}`).body, THROWN));
  test(`"${prefix.trim()}" comes off behind and before others`, () => {
    for (const other of ['(EngineCore_DP0 pid=270) ', '2026-11-29T02:06:38.331Z ', '[1,13]<stderr>:'])
      for (const text of [
        `${other}${prefix}${THROWN}`,
        ...(prefix.startsWith(' ') || (prefix === '3: ' && /^\d/.test(other)) ? [] : [`${prefix}${other}${THROWN}`]),
      ])
        assert.equal(peel(text).body, THROWN, text);
  });
}

const LOGGERS = [
  '2026-11-29 02:06:38.331 | worker | ',
  '2026-11-29 02:06:38,331 - worker - ERROR - ',
  '2026-11-29 02:06:38,331 ERROR worker: ',
  '2026-11-29 02:06:38 [rank3] ERROR train.loop:123: ',
  '2026-11-29 02:06:38 (MainThread) [ERROR] ',
  '2026-11-29 02:06:38 [INFO] (root) ',
  '2026-11-29 02:06:38 | INFO | fairseq_cli.train | ',
  '11/29/2026 02:06:38 - ERROR - __main__ - ',
  '[11/29/26 02:06:38] ERROR    ',
  '[2026-11-29 02:06:38 root] (main.py 203): INFO ',
  '[2026-11-29 02:06:38 trainer.py:33] ERROR ',
  '2026/11/29 02:06:38 ',
  '2026/11/29 02:06:38 [rank3]: ',
  '29-Nov-2026 02:06:38 ',
  '1129 02:06:38 | ',
  '[11-29 02:06:38] [trainer] ',
  '[rank3][2026-11-29 02:06:38] ',
  '[ERROR] 2026-11-29 02:06:38 (trainer.py:33) ',
  '[INFO:trainer] ',
  '<ERROR> ',
  '[E] ',
  '[worker-0] | ',
  'U | 2026-11-29, 02:06:38.331 | worker | ',
  '[stderr] ',
  '| ',
  '\u2502 ',
];

for (const head of LOGGERS)
  test(`"${head.trim()}" of a logger comes off`, () => assert.equal(peel(`${head}${THROWN}`).message, THROWN));

test('what begins a message is not the head of a logger', () => {
  for (const text of [
    THROWN,
    'srun: error: gx-11: task 3: Exited with exit code 1',
    '[Rank 5] Watchdog caught collective operation timeout',
    '[PG ID 0 PG GUID 0(default_pg) Rank 5] Watchdog caught collective operation timeout',
  ]) {
    assert.equal(peel(text).message, text);
    assert.equal(peel(`2026/11/29 02:06:38 ${text}`).message, text);
  }
});

test('a level alone may be the first word of a message', () => {
  for (const text of ['ERROR: worker: could not start', 'error: worker: could not start'])
    assert.equal(peel(text).message, text);
});

test('a head that never ends takes no time', () => {
  for (const part of ['| ', '- ', '[a] ', 'ERROR ', '[ERROR] ', 'a - ', '02:06:38 ', '(a) ', '\t']) {
    const begun = performance.now();
    peel(`2026/11/29 02:06:38 ${part.repeat(4000)}`);
    assert.ok(performance.now() - begun < 200, part);
  }
});

test('a line that is appended to a bar is read as one of its own, and the bar still counts the step', () => {
  const decoder = new JobLineDecoder('llama');
  const bar = (done: number) => ` ${done}%|${'█'.repeat(9)}| ${done}/100 [00:${done}<00:50,  1.00s/it]`;
  const watchdog =
    '[rank7]:[E ProcessGroupNCCL.cpp:1182] [Rank 7] NCCL watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered';
  const lines = [
    "{'loss': 0.1, 'grad_norm': 0.7, 'learning_rate': 2e-07, 'epoch': 3.7}",
    bar(11),
    `${bar(12)}${watchdog}`,
    bar(13),
  ];
  const faults = lines.flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + 1000 * i)).faults);
  assert.deepEqual(
    faults.map(({ kind }) => kind),
    ['job.rank_crashed'],
  );
});

/** Before lines of the kernel: names and numbers of grep, OpenWrt's logread, a page that quotes and indents. */
const KERNEL = 'NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.';
const HEADS = [
  'messages:Jun 17 20:18:08 node-1 kernel: ',
  '/var/log/syslog.1:412:Jun 17 20:18:08 node-1 kernel: ',
  'kern.log-412-[   12.345678] ',
  '123:Jun 17 20:18:08 node-1 kernel: ',
  'Sun Apr 27 05:48:33 2026 kern.info kernel: [10079.572058] ',
  'Dec 21 06:54:12 node-1 kern.crit kernel: ',
  '   Jun 17 20:18:08 node-1 kernel: [12.345678] ',
  '    [   12.345678] ',
  '> Jun 17 20:18:08 node-1 kernel: ',
  '- [   12.345678] ',
  '`[   12.345678] ',
];
for (const head of HEADS)
  test(`"${head}" is before a line of the kernel`, () => {
    const { writer, message, host } = readLine(`${head}${KERNEL}`);
    assert.deepEqual([writer, message], ['kernel', KERNEL]);
    assert.ok(host === null || host === 'node-1', `${host}`);
  });

test('seconds of the calendar are not a time since boot, nor is the number of a rank', () => {
  assert.equal(readLine('[1699999999.123456] [node-1:1234:0] ib_mlx5_log.c:171 UCX ERROR').writer, 'unknown');
  assert.equal(
    readLine("     [1] finished collective #2, but didn't join collective #3").message.trim(),
    "[1] finished collective #2, but didn't join collective #3",
  );
});
