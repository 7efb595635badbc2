// What frameworks and servers printed in older versions, and print in newer ones, by catalog/job/*-other.json; and their lines of an ordinary day.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { WallTimes } from '../../../src/model/wall-times.ts';
import { jobRecord, START_MS } from './lines.ts';

const places = { host: 'node-1', rankOf: (_job: string, { number }: { number: number }) => number };
const PATIENCE_MS = 600_000;

/** Kinds that a log of one line reports, and what is reported once it was silent for long. */
function reported(line: string): string[] {
  const decoder = new JobLineDecoder('llama', 'auto', new WallTimes(), places);
  const found = decoder.decode(jobRecord(line, 0, START_MS)).faults;
  return [...found, ...decoder.settle(START_MS + PATIENCE_MS)].map(({ kind }) => kind);
}

const WORDS: Readonly<Record<string, readonly (readonly [line: string, kind: string | null])[]>> = {
  'Ray before 2.0': [
    ['A worker died or was killed while executing task 00000000dfa1f0c0ef0a6c2201000000.', 'job.rank_crashed'],
    ['(raylet) [2026-11-28 12:00:00,331 E 6521 6521] agent_manager.cc:134: The raylet exited immediately because the Ray agent failed.', 'job.rank_killed'], // biome-ignore format: one line
    ["[2026-11-28 12:00:00,331 E 6521 6521] service_based_gcs_client.cc:235: Couldn't reconnect to GCS server. The last attempted GCS server address was 192.0.2.1:38761", 'net.connection_reset'], // biome-ignore format: one line
    ['Exception: The current node has not been updated within 30 seconds, this could happen because of some of the Ray processes failed to startup.', 'job.bootstrap_timeout'], // biome-ignore format: one line
    ['[2026-11-28 12:00:00,331 W 6521 6521] (gcs_server) gcs_heartbeat_manager.cc:121: Node timed out: 75b2eec8a61c75b2eec8a61c', 'job.node_failed'], // biome-ignore format: one line
    ['[2026-11-28 12:00:00,331 I 6521 6521] (gcs_server) gcs_node_manager.cc:42: Registering node info, node id = 75b2eec8a61c, address = 192.0.2.7', null], // biome-ignore format: one line
    ['(autoscaler +5m10s) Removing 1 nodes of type gpu (idle).', null],
  ],
  'Ray since 2.0': [
    ['[2026-11-28 12:00:00,331 C 6521 6521] core_worker.cc:181: Failed to register worker 01000000ffffffffffffffff to Raylet. IOError: [RayletClient] Unable to register worker with raylet. No such file or directory', 'job.bootstrap_timeout'], // biome-ignore format: one line
    ['[2026-11-28 12:00:00,331 W 6521 6521] (gcs_server) gcs_health_check_manager.cc:120: Node 75b2eec8a61c is dead because the health check failed.', 'job.node_failed'], // biome-ignore format: one line
    ['(raylet) [2026-11-28 12:00:00,331 E 6521 6560] logging.cc:365: *** SIGBUS received at time=1732795200 on cpu 3 ***', 'job.rank_crashed'], // biome-ignore format: one line
    ['(raylet) Failed to connect to GCS. Please check `gcs_server.out` for more details.', 'job.bootstrap_timeout'],
    ['(raylet) [2026-11-28 12:00:00,331 E 6 7] (raylet) file_system_monitor.cc:105: /tmp/ray/session_1 is over 95% full, available space: 7340032; capacity: 67108864. Object creation will fail.', 'host.disk_full'], // biome-ignore format: one line
    ['[2026-11-28 12:00:00,331 I 6521 6521] (raylet) file_system_monitor.cc:95: /tmp/ray is 71% full, available space: 120 GB', null], // biome-ignore format: one line
    ['[2026-11-28 12:00:00,331 I 6521 6521] core_worker.cc:859: Exit signal received, this process will exit after all outstanding tasks have finished, exit_type=INTENDED_SYSTEM_EXIT', null], // biome-ignore format: one line
  ],
  'Ray Serve, Train and Tune': [
    ['(ServeController pid=812) WARNING 2026-11-28 12:00:00,331 controller 812 deployment_state.py:1234 - Replica default#LLM#AbCdEf failed health check, stopping it.', 'job.hang'], // biome-ignore format: one line
    ["(ServeController pid=812) WARNING 2026-11-28 12:00:00,331 controller 812 - Replica LLM#AbCdEf of deployment default_LLM in application 'default' failed health check, stopping it.", 'job.hang'], // biome-ignore format: one line
    ["(ServeController pid=812) ERROR 2026-11-28 12:00:00,331 controller 812 deployment_state.py:658 - Exception in replica 'default#LLM#AbCdEf', the replica will be stopped.", 'job.rank_crashed'], // biome-ignore format: one line
    ["2026-11-28 12:00:00,331\tERROR trial_runner.py:921 -- Trial train_fn_5c5e_00000: Error processing event.", 'job.rank_crashed'], // biome-ignore format: one line
    ["(ServeController pid=812) INFO 2026-11-28 12:00:00,331 controller 812 -- Adding 2 replicas to Deployment(name='LLM', app='default').", null], // biome-ignore format: one line
    ["(ServeController pid=812) WARNING 2026-11-28 12:00:00,331 controller 812 -- Deployment 'LLM' in application 'default' has 1 replicas that have taken more than 30s to initialize.", null], // biome-ignore format: one line
    ['(TrainController pid=4711) [State Transition] INITIALIZING -> SCHEDULING.', null],
  ],
  'inference servers': [
    ['ERROR 11-28 12:02:25 async_llm_engine.py:61] Engine background task failed with an exception', 'job.rank_crashed'], // biome-ignore format: one line
    ["ERROR 11-28 12:02:25 engine.py:366] Error executing method 'determine_num_available_blocks'. This might cause deadlock in distributed execution.", 'job.rank_crashed'], // biome-ignore format: one line
    ['[2026-11-28 12:00:00 TP1] Scheduler hit an exception', 'job.rank_crashed'],
    ['[2026-11-28 12:00:00 TP0] Decode out of memory. Try to lower your batch size.', 'job.gpu_oom'],
    ['[2026-11-28 12:00:00 TP0] Decode out of memory happened. #retracted_reqs: 2, #new_token_ratio: 0.4 -> 0.6', null],
    ['INFO 11-28 12:02:25 [launcher.py:80] Shutting down FastAPI HTTP server.', null],
    ['I1128 12:00:00.123456 88 model_lifecycle.cc:838] "successfully loaded \'llama\'"', null],
    ['2026-11-28T12:00:00.123456Z  INFO text_generation_launcher: Shard ready in 20.3s rank=0', null],
  ],
  'frameworks of training': [
    ['[E ProcessGroupNCCL.cpp:475] [Rank 3] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.', 'job.collective_timeout'], // biome-ignore format: one line
    ['[W socket.cpp:601] [c10d] The client socket has failed to connect to [gx-01]:29500 (errno: 113 - No route to host).', 'job.bootstrap_timeout'], // biome-ignore format: one line
    ['[W socket.cpp:601] [c10d] The client socket has failed to connect to [gx-01]:29500 (errno: 22 - Invalid argument).', null], // biome-ignore format: one line
    ['2026-11-28 12:00:00.123456: E tensorflow/compiler/xla/refcounting_hash_map.h:0] This thread has been waiting for 5000ms for and may be stuck: participant AllReduceParticipantData', 'job.collective_desync'], // biome-ignore format: one line
    ['Exception: Timed out waiting for tasks to start. Please check connectivity between servers.', 'job.bootstrap_timeout'], // biome-ignore format: one line
    ['RuntimeError: Invalid magic number; corrupt file?', 'job.checkpoint_failed'],
    ['Handling auto-requeue signal: 10', 'job.requeued'],
    ['SLURM auto-requeueing enabled. Setting signal handlers.', null],
    ['[rank0]:[I1128 12:00:00.1 ProcessGroupNCCL.cpp:1375] [PG 0 (default_pg) Rank 3] Heartbeat monitor thread started', null], // biome-ignore format: one line
  ],
  'Slurm and PBS': [
    ['slurmstepd: error: *** STEP 4411.0 CANCELLED AT 2015-11-28T12:00:00 DUE TO NODE gx-12 FAILURE ***', 'job.node_failed'], // biome-ignore format: one line
    ['slurmd[gx-12]: error: *** STEP 4411.0 CANCELLED AT 2012-11-28T12:00:00 DUE TO NODE FAILURE ***', 'job.node_failed'], // biome-ignore format: one line
    ['slurmd[gx-12]: *** JOB 4411 CANCELLED AT 2012-11-28T12:00:00 DUE TO TIME LIMIT ***', 'job.cancelled'],
    ['slurmd[gx-12]: Job 4411 exceeded memory limit (4194304>2097152), being killed', 'host.oom'],
    ['salloc: error: Nodes gx-12 are still not ready', 'job.bootstrap_timeout'],
    ['slurm_load_partitions: Unable to contact slurm controller (connect failure)', 'job.failed'],
    ["slurmstepd: error: couldn't chdir to `/scratch/u': Stale file handle: going to /tmp instead", 'storage.io_error'],
    ["slurmstepd: error: couldn't chdir to `/home/u': No such file or directory: going to /tmp instead", null],
    ['PBS: job killed: walltime 3630 exceeded limit 3600', 'job.cancelled'],
    ['srun: Nodes gx-12 are ready for job', null],
    ['srun: job 4411 queued and waiting for resources', null],
  ],
};

for (const [what, lines] of Object.entries(WORDS))
  for (const [line, kind] of lines)
    test(`${what}: "${line.slice(0, 90)}" is ${kind ?? 'nothing'}`, () =>
      assert.deepEqual(reported(line), kind === null ? [] : [kind]));
