// What schedulers, pools of workers, tools and stores of objects print of a fault, by their sources; and their lines of an ordinary day.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobLineDecoder } from '../../../src/detection/text/job.ts';
import { jobRecord, START_MS } from './lines.ts';

const PATIENCE_MS = 600_000;

const WORDS: Readonly<Record<string, readonly (readonly [line: string, kind: string | null])[]>> = {
  Dask: [
    ['distributed.nanny - WARNING - Worker exceeded 95% memory budget. Restarting', 'host.oom'],
    ["distributed.scheduler.KilledWorker: Attempted to run task 'sum-part-9' on 4 different workers, but all those workers died while running it. The last worker that attempt to run the task was tcp://192.0.2.9:40001.", 'job.rank_killed'], // biome-ignore format: one line
    ["2026-11-28 12:10:01,118 - distributed.scheduler - ERROR - Task 'sum-part-9' marked as failed because 3 workers died while trying to run it", 'job.rank_killed'], // biome-ignore format: one line
    ["2026-11-28 12:10:01,118 - distributed.scheduler - WARNING - Worker failed to heartbeat for 312s; removing: <WorkerState 'tcp://192.0.2.9:40001', status: running>", 'job.hang'], // biome-ignore format: one line
    ['distributed.comm.core.CommClosedError: in <TCP (closed) Worker->Scheduler local=tcp://192.0.2.4:1 remote=tcp://192.0.2.1:8786>: Stream is closed', 'net.connection_reset'], // biome-ignore format: one line
    ['2026-11-28 12:10:01,118 - distributed.worker.memory - WARNING - Worker is at 81% memory usage. Pausing worker.  Process memory: 12.1 GiB -- Worker memory limit: 14.9 GiB', null], // biome-ignore format: one line
    ['2026-11-28 12:10:01,118 - distributed.core - INFO - Event loop was unresponsive in Nanny for 3.40s.', null],
  ],
  Spark: [
    ['26/11/28 12:12:01 ERROR YarnScheduler: Lost executor 3 on gx-3: Container killed by YARN for exceeding physical memory limits. 24.1 GB of 24 GB physical memory used.', 'job.rank_killed'], // biome-ignore format: one line
    ['26/11/28 12:12:01 ERROR TaskSchedulerImpl: Lost executor 3 on gx-3: Executor heartbeat timed out after 130041 ms', 'job.hang'], // biome-ignore format: one line
    ['26/11/28 12:12:01 ERROR TaskSchedulerImpl: Lost executor 3 on gx-3: Remote RPC client disassociated. Likely due to containers exceeding thresholds, or network issues.', 'job.rank_crashed'], // biome-ignore format: one line
    ['26/11/28 12:12:01 INFO ExecutorAllocationManager: Executors 3,4 removed due to idle timeout.', null],
    ['26/11/28 12:12:01 INFO TaskSchedulerImpl: Executor 3 on gx-3 killed by driver.', null],
  ],
  HTCondor: [
    ['\tError from slot1@gx-4: Docker job has gone over memory limit of 4096 Mb', 'host.oom'],
    ['\t(0) Abnormal termination (signal 11)', 'job.rank_crashed'],
    ['\t(1) Normal termination (return value 3)', 'job.rank_crashed'],
    ['\t(1) Normal termination (return value 0)', null],
    ['004 (4711.001.000) 11/28 12:33:01 Job was evicted.', 'job.preempted'],
    ['024 (4711.001.000) 2026-11-28 12:33:01 Job reconnection failed', 'job.node_failed'],
    ['006 (4711.001.000) 2026-11-28 12:33:01 Image size of job updated: 41118203', null],
    ['023 (4711.001.000) 2026-11-28 12:33:01 Job reconnected to slot1@gx-4', null],
    ['\tJob has exceeded request_disk', 'job.failed'],
    ['\tTransfer input files failure at access point gx-0 while receiving files from gx-4. Details: reading from file /a', 'job.failed'], // biome-ignore format: one line
    ['009 (4711.001.000) 2026-11-28 12:33:01 Job was aborted by the user.', 'job.cancelled'],
    ['013 (4711.001.000) 2026-11-28 12:33:01 Job was released.', null],
  ],
  'what begins a job': [
    ["{standard_task_runner.py:217} ERROR - ('TI 0199 was killed before it finished (likely due to running out of memory)', 'For more information, see https://')", 'job.rank_killed'], // biome-ignore format: one line
    ['[2026-11-28, 12:40:01 UTC] {local_task_job_runner.py:243} INFO - Task exited with return code 0', null],
    ['[2026-11-28T12:40:01.1Z] || ERROR: crashed: resources failed with non-zero exit code: container failed with non-zero exit code: 139 (exit code 139)', 'job.rank_crashed'], // biome-ignore format: one line
    ['I 11-28 12:40:01.118203 controller.py:412] The user job failed. Please check the logs below.', 'job.failed'],
    ['I 11-28 12:40:01 controller.py:387] Cluster is preempted or failed. Recovering...', 'job.preempted'],
    ['Error: failed to run torchrun --nproc_per_node=4 t.py on gx-5, is localhost: False, exception: Encountered a bad command exit code!', 'job.rank_crashed'], // biome-ignore format: one line
    ['[2026-11-28 12:24:18,002] [ERROR] blacklisted slots count == 8 -> stop running', 'job.failed'],
    ['I 11-28 12:40:01 replica_managers.py:811] Replica 12 is preempted.', 'job.preempted'],
    ['I 11-28 12:40:01 replica_managers.py:811] Replica 12 is ready.', null],
    [
      'I 11-28 12:40:01 utils.py:411] Legacy controller process has exited abnormally, and the job is gone',
      'job.failed',
    ],
    ['Status message: Job entrypoint command failed with exit code 2, last available logs (truncated to 20,000 chars):', 'job.failed'], // biome-ignore format: one line
  ],
  'stores of objects': [
    ['2026-11-28T12:10:00.118203Z  WARN lookup{req=3 ino=1 name="a"}: mountpoint_s3::fuse: lookup failed: inode error: file does not exist', null], // biome-ignore format: one line
    ['2026-11-28T12:10:00.118203Z  WARN write{req=9 ino=4 fh=2}: mountpoint_s3::fuse: write failed: put request failed: Client error: Internal S3 client error', 'storage.io_error'], // biome-ignore format: one line
    [
      'FlushFile: input/output error, FinalizeUpload failed for object a: context deadline exceeded',
      'storage.io_error',
    ],
    ['LookUpInode: no such file or directory, child "a" not found', null],
  ],
  Ollama: [
    ['time=2026-11-28T12:46:01.118Z level=ERROR source=server.go:807 msg="llama runner terminated" error="exit status 2"', 'job.rank_crashed'], // biome-ignore format: one line
    ['time=2026-11-28T12:46:01.118Z level=INFO source=sched.go:517 msg="Load failed" model=/m/a error="llama-server process has terminated: exit status 1: unable to allocate CUDA0 buffer"', 'job.gpu_oom'], // biome-ignore format: one line
    ['time=2026-11-28T12:46:01.118Z level=WARN source=runner.go:317 msg="truncating input prompt" limit=4096 prompt=8122', null], // biome-ignore format: one line
    ['time=2026-11-28T12:46:01.118Z level=ERROR source=server.go:807 msg="llama runner terminated" error="signal: killed"', null], // biome-ignore format: one line
    ['time=2026-11-28T12:46:01.118Z level=INFO source=sched.go:518 msg="Load failed" error="timed out waiting for llama-server to start: context deadline exceeded"', 'job.bootstrap_timeout'], // biome-ignore format: one line
    ['time=2026-11-28T12:46:01.118Z level=INFO source=server.go:1350 msg="waiting for llama runner to start responding"', null], // biome-ignore format: one line
  ],
  "CUDA's tools": [
    ['========= Invalid __shared__ read of size 2 bytes', 'job.rank_crashed'],
    ['========= Program hit cudaErrorIllegalAddress (error 700) due to "an illegal memory access was encountered" on CUDA API call to cudaDeviceSynchronize.', 'job.rank_crashed'], // biome-ignore format: one line
    ['========= ERROR SUMMARY: 0 errors', null],
    ['CUDA Exception: Warp Out-of-range Address', 'job.rank_crashed'],
    ['[Switching focus to CUDA kernel 0, grid 1, block (12,0,0), thread (31,0,0), device 0, sm 4, warp 2, lane 31]', null], // biome-ignore format: one line
  ],
  'frameworks of training': [
    ['horovod.common.exceptions.HorovodInternalError: Mismatched data types: One rank had type float32, but another rank had type float16.', 'job.collective_mismatch'], // biome-ignore format: one line
    ['Requeuing SLURM job 4712 failed with error code 2', 'job.failed'],
    ['[rank: 3] Received SIGTERM: 15', 'job.cancelled'],
    ['Bypassing SIGTERM: 15', null],
    ['Requeuing SLURM job 4712...', null],
    ['[NeMo E 2026-11-28 12:32:50 nemo_logging:417] The loss returned in `training_step` is inf.', 'job.nan'],
    ['[titan] 2026-11-28 12:36:18,001 - root - WARNING - 1 ROCM OOM errors thrown.', 'job.gpu_oom'],
    ['[titan] 2026-11-28 12:36:18,001 - root - WARNING - 3 CUDA memory allocation retries.', null],
    ['tensorflow.python.framework.errors_impl.UnavailableError: Collective ops is aborted by: failed to connect to all addresses', 'job.peer_failure'], // biome-ignore format: one line
    ["Unable to initialize backend 'rocm': DEADLINE_EXCEEDED: GetKeyValue() timed out with key: rocm:local_topology/rocm/3", 'job.bootstrap_timeout'], // biome-ignore format: one line
    ["Unable to initialize backend 'tpu': NOT_FOUND: no libtpu.so", null],
    ['E1128 12:51:00.118402 4411 cuda_dnn.cc:501] Loaded runtime CuDNN library: 8.9.4 but source was compiled with: 9.1.1.', 'gpu.driver_unsupported'], // biome-ignore format: one line
    ['I1128 12:51:00.118402 4411 cuda_dnn.cc:465] Loaded cuDNN version 90100', null],
    ['(WorkerDict pid=4411) WARN: grad_norm is not finite: inf', 'job.nan'],
    ['TimeoutError: ChainedFuture completed 0/4 futures but timed out after 1200.00 seconds.', 'job.checkpoint_failed'],
    ['OSError: Not enough disk space. Needed: 1.2 TiB (download: 305 GiB, generated: 900 GiB, post-processed: Unknown size)', 'host.disk_full'], // biome-ignore format: one line
  ],
  'libraries and launchers': [
    ['Timeout (0:30:00)!', 'job.hang'],
    ['node-1:1:2 [0] bootstrap.cc:335 NCCL WARN Bootstrap Root : mismatch in info from procs, nranks 8 vs 4', 'job.rank_crashed'], // biome-ignore format: one line
    ['[step=12] Checkpointer failed: one or more items may not be finalized.', 'job.checkpoint_failed'],
    ['[process=0][thread=save_finalize][step=12] Finished async save.', null],
    ['RuntimeError: Scheduler rank 5 initialization failed: no memory', 'job.rank_crashed'],
    ['ERROR text_generation_launcher: Shard status channel disconnected', 'job.rank_crashed'],
    ["ERROR  : 'newgidmap' execution failed. Check that 'newgidmap' is setuid root", 'job.failed'],
    ["\tError from slot1@gx-9: Failed to execute '/a/b': Permission denied", 'job.failed'],
    ['Status message: Job supervisor actor failed to start within 60.0 seconds.', 'job.failed'],
    ['W 11-28 12:40:01 recovery_strategy.py:88] Resources unavailable: failed to launch in any region', 'job.failed'],
    ['Timeout (connect): 30', null],
    ['Fatal Python error: init_import_site: Failed to import the site module', 'job.rank_crashed'],
    ['ERROR  : Failed to create mount namespace: disabled', 'job.failed'],
    ['INFO   : Failed to create no name space, as none was asked for', null],
    ['MPI_INIT has failed because at least one MPI process is unreachable', 'job.rank_crashed'],
    ['node-1:1:2 [3] graph/topo.cc:1502 NCCL WARN Could not find any path from gpu 3 to net.', 'job.rank_crashed'],
    ['node-1:1:2 [3] NCCL WARN NET/IB : mlx5_3:1 async fatal event on CQ (0x7f) handle=3 cqe=128: CQ error', 'job.rank_crashed'], // biome-ignore format: one line
    ['RuntimeError: [/p/third_party/gloo/gloo/transport/tcp/pair.cc:799] Pair is not connected (192.0.2.4)', 'net.connection_reset'], // biome-ignore format: one line
    ['api.py:960] Error waiting on exit barrier. Elapsed: 300.2 seconds', 'job.peer_failure'],
    ['api.py:944] Done waiting for other agents. Elapsed: 0.2 seconds', null],
    ['pyarrow.lib.ArrowInvalid: Parquet file size is 0 bytes, the file is corrupted', 'job.rank_crashed'],
    ['WARNING:data: pyarrow.lib.ArrowInvalid: Parquet file size is 0 bytes', null],
    ['gcsfs.retry.HttpError: We encountered an internal error. Please try again., 503', 'job.rank_crashed'],
    ['gcsfs.retry.HttpError: an internal error, will retry in 2 s', null],
    ['fsspec.exceptions.FSTimeoutError', 'storage.io_error'],
    ['socket.gaierror: [Errno -2] Name or service not known', 'job.bootstrap_timeout'],
    ['A child process terminated abruptly, the process pool is not usable anymore', 'job.rank_killed'],
    ['application called MPI_Abort(comm=0x84000002, 7) - process 3', 'job.rank_crashed'],
    ['application called MPI_Abort(MPI_COMM_WORLD, 0) - process 0', null],
    ['node-1:1:2 [3] NCCL WARN NET/IB : mlx5_2:1 Got non-fatal async event: port error(10)', 'nic.port_down'],
    ['node-1:1:2 [3] NCCL WARN NET/IB : mlx5_2:1 Got non-fatal async event: port active(9)', null],
    ["a.out: src/pool.cpp:88: void pool::give(int, char*): Assertion `n > 0' failed.", 'job.rank_crashed'],
    ["terminate called after throwing an instance of 'std::runtime_error'", null],
    ['  what():  [TM][ERROR] CUDA runtime error: out of memory /w/allocator.h:231 ', 'job.gpu_oom'],
    ['srun: error: Aborting, step missing and io error on node 2', 'job.node_failed'],
    ['1793793600.1 exception type="cancel" severity=0 note="" userid=1001', 'job.cancelled'],
    ['1793793600.1 exception type="exec" severity=0 note="node failure on gx-9 (rank 3)" userid=0', 'job.node_failed'],
    ['TERM_ZOMBIE: job exited while LSF is not available.', 'job.node_failed'],
    ['01/02/2026 12:32:01|  main|gx-4|W|job 77 exceeds job hard limit "h_vmem" of queue "all.q@gx-4" (2.00000 > limit:1.00000) - sending SIGKILL', 'host.oom'], // biome-ignore format: one line
    ['01/02/2026 12:32:01|  main|gx-4|W|job 77 exceeds job soft limit "s_rt" of queue "all.q@gx-4" (2.00000 > limit:1.00000) - sending SIGUSR1', null], // biome-ignore format: one line
    ['11/28/2026 13:30:01;0010;Server@pbs0;Job;88123.pbs0;Exit_status=267 resources_used.cput=02:00:00', 'job.rank_crashed'], // biome-ignore format: one line
    ['11/28/2026 13:30:01;0010;Server@pbs0;Job;88123.pbs0;Exit_status=265 resources_used.cput=02:00:00', 'job.rank_killed'], // biome-ignore format: one line
    ['11/28/2026 13:30:01;0010;Server@pbs0;Job;88123.pbs0;Exit_status=271 resources_used.cput=02:00:00', null],
  ],
};

/** Kinds that a log of one line reports, and what is reported once it was silent for long. */
function reported(line: string): string[] {
  const decoder = new JobLineDecoder('llama');
  const { faults } = decoder.decode(jobRecord(line, 0, START_MS));
  return [...faults, ...decoder.settle(START_MS + PATIENCE_MS)].map(({ kind }) => kind);
}

for (const [of, lines] of Object.entries(WORDS)) {
  test(`${of}: its faults, and its lines of an ordinary day`, () => {
    for (const [line, kind] of lines) assert.deepEqual(reported(line), kind === null ? [] : [kind], line);
  });
}
