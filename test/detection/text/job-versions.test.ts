// One fault in the words of several programs, and of several versions of one; and lines that only look like it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { jobRecord, START_MS } from './lines.ts';

const places = { host: 'node-1', rankOf: (_job: string, { number }: { number: number }) => number };
const PATIENCE_MS = 600_000;

/** Kinds that a log reports, and what is reported once it was silent for long. */
function reported(...lines: string[]): string[] {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), places);
  const found = lines.flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + i * 10)).faults);
  const last = decoder.settle(START_MS + lines.length * 10 + PATIENCE_MS);
  return [...found, ...last].map(({ kind }) => kind);
}

const WORDS: Readonly<Record<string, readonly (readonly [line: string, kind: string | null])[]>> = {
  'a queue pair that is not connected': [
    ['Failed to modify QP to RTR', 'net.rdma_setup_failed'],
    ['failed to modify QP state to RTR', 'net.rdma_setup_failed'],
    ['Failed to modify QP 4711 to RTS', 'net.rdma_setup_failed'],
    ['[node-3:2214] error modifing QP to RTR errno says Invalid argument', 'net.rdma_setup_failed'],
    ['E1128 12:00:00.331 812 rdma_endpoint.cpp:320] Failed to modify QP to RTR, check mtu, gid, peer lid, peer qp num: Connection timed out [110]', 'net.rdma_setup_failed'], // biome-ignore format: one line
    ['Infiniband modify_qp_to_rtr failed to transition to RTR state: (110) Connection timed out', 'net.rdma_setup_failed'], // biome-ignore format: one line
    ['ERROR: ibv_modify_qp(RTR) failed: Connection timed out', 'net.rdma_setup_failed'],
    ['ibv_modify_qp failed with error Invalid argument while it asks what the card can do', null],
    ['QP 4711 modified to RTR', null],
    ['Modifying QP to RTR', null],
    ['If it says Failed to modify QP to RTR, see that both ends use one GID index', null],
  ],
  "Ray's memory monitor": [
    ['(raylet) node_manager.cc:2963: System memory low at node with IP 192.0.2.76. Used memory (60.11GB) / total capacity (62.80GB) (0.957166) exceeds threshold 0.9, killing latest task with name load_shard and actor ID 5c5e to avoid running out of memory.', 'host.oom'], // biome-ignore format: one line
    ['Memory on the node (IP: 192.0.2.76, ID: 5c5e) where the lease (lease ID: 76b2, name=load_shard, pid=4711, memory used=9.05GB) was running was 241.02GB / 251.50GB (0.958330), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: ba84) because it was the most recently scheduled task', 'host.oom'], // biome-ignore format: one line
    ['ray.memory_monitor.RayOutOfMemoryError: More than 95% of the memory on node gx-7 is used (61.2 / 62.8 GB).', 'host.oom'], // biome-ignore format: one line
    ['memory_monitor.cc:63: MemoryMonitor initialized with usage threshold at 238921818112 bytes (0.95 system memory), total system memory bytes: 251496650752', null], // biome-ignore format: one line
    ['Memory on the node (IP: 192.0.2.76, ID: 5c5e) is 101.02GB / 251.50GB (0.40)', null],
  ],
  "NCCL's errors under other names": [
    ['RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)', 'job.rank_crashed'],
    ['[sglang]: [rank3]: RuntimeError: NCCL error: unhandled cuda error (run with NCCL_DEBUG=INFO for details)', 'job.rank_crashed'], // biome-ignore format: one line
    ['cupy_backends.cuda.libs.nccl.NcclError: NCCL_ERROR_SYSTEM_ERROR: unhandled system error', 'job.rank_crashed'],
    ['(VllmWorkerProcess pid=77) ERROR 11-28 12:02:25 multiproc_worker_utils.py:226] Exception in worker VllmWorkerProcess while processing method init_device: NCCL error: internal error - please report this issue to the NCCL developers, Traceback (most recent call last):', 'job.rank_crashed'], // biome-ignore format: one line
    ['[vllm]: INFO 11-28 12:02:25 pynccl.py:65] vLLM is using nccl==2.20.5', null],
  ],
  "Horovod's and XLA's waits": [
    [' 61% 761/1252 [36:43<1:25:55, 22.91s/it, loss=0.946]WARNING: One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds.', 'job.collective_desync'], // biome-ignore format: one line
    [' 61% 761/1252 [36:43<1:25:55, 22.91s/it, loss=0.946]', null],
    ['[id=7] This thread has been waiting for `first call to collective operation 3` for 20 seconds and may be stuck: Expected 8 threads to join the rendezvous, but only 6 of them arrived on time.', 'job.collective_desync'], // biome-ignore format: one line
    ['E1128 12:00:20.1 77 rendezvous.cc:47] Thread is unstuck! Warning above was a false-positive. Perhaps the timeout is too short: 10 seconds', null], // biome-ignore format: one line
  ],
  "submitit's word for its scheduler": [
    ['submitit WARNING (2026-11-28 12:18:45,881) - Caught signal SIGUSR2 on node-1: this job is preempted.', 'job.preempted'], // biome-ignore format: one line
    ['submitit INFO (2026-11-28 12:18:45,912) - Requeued job 4711 (2 remaining timeouts)', 'job.requeued'],
    ['submitit WARNING (2026-11-28 12:18:45,881) - Bypassing signal SIGTERM', null],
    ['submitit INFO (2026-11-28 12:18:45,881) - Job has not timed out. Ran 1 minutes out of requested 20 minutes.', null], // biome-ignore format: one line
  ],
};
for (const [what, lines] of Object.entries(WORDS))
  for (const [line, kind] of lines)
    test(`${what}: "${line.slice(0, 90)}" is ${kind ?? 'nothing'}`, () =>
      assert.deepEqual(reported(line), kind === null ? [] : [kind]));

test('XLA: a wait that is over seconds later is none', () => {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), places);
  const stuck =
    'E1128 12:00:10.1 77 rendezvous.cc:38] This thread has been waiting for `initialize clique for rank 6` for 10 seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time.';
  const over = 'E1128 12:00:17.2 77 rendezvous.cc:47] Thread is unstuck! Warning above was a false-positive.';
  const found = [stuck, over].flatMap((text, i) => decoder.decode(jobRecord(text, i, START_MS + i * 7_000)).faults);
  assert.deepEqual([...found, ...decoder.settle(START_MS + PATIENCE_MS)], []);
});
