// Words of faults that another message quotes, warns of or looks for report nothing; where a program prints them they do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entriesOf } from '../../../src/detection/text/job/framework.ts';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { ServerFaults } from '../../../src/detection/text/service/server-faults.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { jobRecord, START_MS } from './lines.ts';

const places = { host: 'node-1', rankOf: (_job: string, { number }: { number: number }) => number };

function reported(...lines: string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), places);
  return lines.flatMap((text, i) =>
    decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults.map(({ kind }) => kind),
  );
}

/** How lines of a log quote another one. */
const QUOTES: readonly ((line: string) => string)[] = [
  (line) => `INFO watcher: looking for "${line}" in train.log`,
  (line) => `# ${line}`,
  (line) => `> ${line}`,
  (line) => `+ grep -c '${line}' train.log`,
  (line) => `Hint: a run that prints ${line} needs another setting`,
  (line) => `2026-11-29 02:06:38,331 - INFO - the previous run ended with ${line}`,
  (line) => `bad_markers = ["KeyError", "${line}"]`,
  (line) => `The troubleshooting guide says of \`${line}\` that it is harmless`,
  (line) => `if the log has ${line} restart the pod`,
];

for (const { framework, example, on, kept, ignored, not_finite, then } of entriesOf('faults')) {
  if (kept !== undefined || ignored === true || not_finite !== undefined) continue;
  test(`${framework}: "${example.slice(0, 60)}" says nothing where another line quotes it`, () => {
    for (const quote of QUOTES) {
      const line = quote(example.trim());
      if (on === 'server') {
        const server = new ServerFaults();
        const found = [line, ...(then === undefined ? [] : ['KeyError: 7'])].flatMap((text) => server.line(text) ?? []);
        assert.deepEqual(found, [], line);
      } else assert.deepEqual(reported(line), [], line);
    }
  });
}

/** Other wordings of the same errors, from the programs that print them. */
const PRINTED: readonly (readonly [line: string, kinds: readonly string[]])[] = [
  ["tee: /logs/train.log: No space left on device", ['host.disk_full']],
  ["cp: error writing '/scratch/a.bin': No space left on device", ['host.disk_full']],
  ['rsync: [receiver] write failed on "/scratch/a.bin": No space left on device (28)', ['host.disk_full']],
  ['time="2026-11-29T02:06:38Z" level=error msg="write /var/lib/a: no space left on device"', ['host.disk_full']],
  ['safetensors_rust.SafetensorError: Error while serializing: IoError(Os { code: 28, kind: StorageFull, message: "No space left on device" })', ['host.disk_full']],
  ["2026-11-29 02:06:38,331 ERROR ckpt: could not save: [Errno 28] No space left on device: '/ckpt/a'", ['host.disk_full']],
  ['ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device', ['host.disk_full']],
  ["json.dump failed: OSError(28, 'No space left on device')", ['host.disk_full']],
  ['2026-11-28 12:00:00.1: E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:152] failed call to cuInit: CUDA_ERROR_SYSTEM_NOT_READY: system not yet initialized', ['fabric_manager.error']],
  ['Error: No space left on device (os error 28)', ['host.disk_full']],
  ['dd: error writing: Disk quota exceeded', ['host.disk_full']],
  ['[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeout: WorkXCCL(SeqNum=7, OpType=ALLREDUCE) ran for 600060 milliseconds before timing out.', ['job.collective_timeout']],
  ["  what():  [PG 0 Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE) ran for 600060 milliseconds before timing out.", ['job.collective_timeout']],
  ['[rank3]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 3] Timeout at NCCL work: 7, last enqueued NCCL work: 7, last completed NCCL work: 6.', ['job.collective_timeout']],
  ['{"log":"[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)\\n","stream":"stderr"}', ['job.collective_timeout']],
  ['Exception: Capture cuda graph failed: Detected mismatch between collectives on ranks. Rank 3 is running collective: SequenceNumber=18', ['job.collective_mismatch']],
  ['F1128 12:00:01.000000 1 client.h:80] Terminating process because the coordinator detected missing heartbeats. This most likely indicates that another task died; see the other task logs for more details.', ['job.peer_failure']],
  ['ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 3 (pid: 81) of binary: /usr/bin/python', ['job.rank_killed']],
  ['[2026-11-28 12:00:54,190] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: -11) local_rank: 0 (pid: 81) of binary: /usr/bin/python', ['job.rank_crashed']],
  ['ERROR 11-28 12:02:25 multiproc_worker_utils.py:120] Worker VllmWorkerProcess pid 48211 died, exit code: -9', ['job.rank_killed']],
  ['ray.exceptions.OutOfMemoryError: Memory on the node (IP: 192.0.2.9, ID: 5c) where the task was running was 122.44GB / 128.00GB (0.956), which exceeds the memory usage threshold of 0.95.', ['host.oom']],
  ['RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized', ['fabric_manager.error']],
  ["node-1:3468:3905 [4] init.cc:1000 NCCL WARN Cuda failure 802 'system not yet initialized'", ['fabric_manager.error']],
  ['ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).', ['host.shm_full', 'job.rank_crashed']],
  ['2026-11-28 12:00:00 - trainer - ERROR - RuntimeError: DataLoader worker (pid 629) is killed by signal: Segmentation fault. ', ['job.rank_crashed']],
  ['worker-1: [2026-11-28 12:00:00] node-1:3468:3905 [4] net_ib.cc:1905 NCCL WARN NET/IB : Got completion from peer 192.0.2.236<54862> with status=12 opcode=0 len=0 vendor err 129', ['net.rdma_retry_exceeded']],
  ['NET/IB : Got completion from peer 192.0.2.236<54862> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0)', ['net.rdma_retry_exceeded']],
]; // biome-ignore format: one line each

for (const [line, kinds] of PRINTED)
  test(`"${line.slice(0, 70)}" is ${kinds[0]}`, () => assert.deepEqual(reported(line), kinds));

test('the sentence that PRRTE breaks in two is read as one', () => {
  const noticed = 'prterun noticed that process rank 9 with PID 77 on node node-1 exited on';
  assert.deepEqual(reported(noticed, 'signal 9 (Killed).'), ['job.rank_killed']);
  assert.deepEqual(reported('signal 9 (Killed).'), []);
});

const HARMLESS = [
  'WARNING: /dev/shm is 64 MB; No space left on device errors follow if num_workers is raised',
  'Troubleshooting: No space left on device: raise TMPDIR',
  'avoids "No space left on device" by removing old checkpoints',
  'retention: 3 checkpoints removed, no space left on device is not expected',
  'INFO tests: [Errno 28] is simulated for the next write',
  'loaded 12 patterns: Watchdog caught collective operation timeout: WorkNCCL, NCCL WARN, CUDA out of memory',
  'INFO exporter - alerts for Received a dump signal due to a collective timeout from this local rank are on',
  'monitor: grep -E "failed \\(exitcode: -9\\)|exitcode" found 0 lines; failed (exitcode: -9) is a kill',
  'a job whose mpirun noticed that process rank 9 with PID 77 on node node-1 exited on signal 9 was restarted by hand',
  "the run of yesterday died when NCCL WARN Cuda failure 'out of memory' came",
  'resumed after slurmstepd: error: *** STEP 4411.0 ON node-1 CANCELLED AT 2026-11-28T12:01:10 DUE TO PREEMPTION ***',
  'the doc says that the worker group successfully finished line means success',
  'checks that RuntimeError: DataLoader worker (pid 629) is killed by signal: Killed is handled',
];

for (const line of HARMLESS) test(`"${line.slice(0, 70)}" reports nothing`, () => assert.deepEqual(reported(line), []));
