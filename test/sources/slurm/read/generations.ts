// The same job as each generation of Slurm's data parser writes it: an array's task that failed with exit code 3, over two nodes with
// four GPUs each. Types of fields as SchedMD publishes them: 38 by src/plugins/openapi/v0.0.38/openapi.json of 22.05.8, 39 and 40 by
// PARSER_ARRAY(JOB_INFO) of src/plugins/data_parser of 23.02.7 and 23.11.10, 41 to 45 by
// testsuite/python/data/openapi_specs/openapi_spec_vNN.json (schemas job_info, slurm_step_id, process_exit_code_verbose).

/** Fields that never changed. */
const STEADY = {
  job_id: 993,
  name: 'train',
  user_name: 'ada',
  account: 'vision',
  partition: 'h100',
  qos: 'normal',
  nodes: 'gpu[01-02]',
  batch_host: 'gpu01',
  batch_flag: true,
  gres_detail: ['gpu:h100:4(IDX:0-3)', 'gpu:h100:4(IDX:4-7)'],
  tres_alloc_str: 'cpu=64,mem=512G,node=2,billing=64,gres/gpu=8',
  restart_cnt: 1,
  state_reason: 'NonZeroExitCode',
  standard_output: '/scratch/ada/%x-%A_%a.out',
  standard_error: '',
  current_working_directory: '/home/ada/run',
} as const;

const set = (number: number) => ({ set: true, infinite: false, number });

/** 22.05: plain numbers, the raw status of wait(2), a state as one word. */
const V38 = {
  ...STEADY,
  user_id: 1001,
  array_job_id: 991,
  array_task_id: 3,
  het_job_id: 0,
  job_state: 'FAILED',
  exit_code: 768,
  tasks: 16,
  submit_time: 1_795_000_000,
  start_time: 1_795_000_060,
  end_time: 1_795_000_660,
  preempt_time: 0,
};

/** 23.02: some numbers are objects, the raw status among them; the output is a whole path with some patterns replaced. */
const V39 = {
  ...V38,
  exit_code: set(768),
  standard_output: '/scratch/ada/train-991_3.out',
  array_job_id: set(991),
  array_task_id: set(3),
  het_job_id: set(0),
  tasks: set(16),
  start_time: 1_795_000_060,
};

/** 23.11: states are a list, the exit code has parts. */
const V40 = {
  ...V39,
  job_state: ['FAILED'],
  exit_code: {
    status: ['ERROR'],
    return_code: set(3),
    signal: { id: { set: false, infinite: false, number: 0 }, name: '' },
  },
  submit_time: set(1_795_000_000),
  start_time: set(1_795_000_060),
  end_time: set(1_795_000_660),
  preempt_time: set(0),
};

/** 24.05 and 24.11. */
const V42 = { ...V40, failed_node: '', stderr_expanded: '', job_resources: { nodes: { list: 'gpu[01-02]' } } };

/** 25.05: the output as it was written, and besides with its patterns replaced. */
const V43 = { ...V42, standard_output: '/scratch/ada/%x-%A_%a.out', stdout_expanded: '/scratch/ada/train-991_3.out' };

/** 25.11: an id that sorts, within that of the step. */
export const SLUID = 's03FC4K8QZ5X4R';
const V44 = {
  ...V43,
  step_id: {
    sluid: SLUID,
    job_id: set(993),
    step_het_component: { set: false, infinite: false, number: 0 },
    step_id: '',
  },
};

/** 26.05: empty lists of flags as texts. */
const V45 = { ...V44, flags: '' };

export const GENERATIONS: Readonly<Record<string, object>> = {
  '22.05, v0.0.38': V38,
  '23.02, v0.0.39': V39,
  '23.11, v0.0.40': V40,
  '24.05, v0.0.41': V40,
  '24.11, v0.0.42': V42,
  '25.05, v0.0.43': V43,
  '25.11, v0.0.44': V44,
  '26.05, v0.0.45': V45,
};

export const documentWith = (...jobs: readonly object[]): string => JSON.stringify({ meta: {}, errors: [], jobs });

/** The text form of 22.05, which has no --json for scontrol. */
export const TEXT = `JobId=993 ArrayJobId=991 ArrayTaskId=3 JobName=train
   UserId=ada(1001) GroupId=ada(1001) MCS_label=N/A
   Priority=4294901755 Nice=0 Account=vision QOS=normal
   JobState=FAILED Reason=NonZeroExitCode Dependency=(null)
   Requeue=1 Restarts=1 BatchFlag=1 Reboot=0 ExitCode=3:0
   DerivedExitCode=0:0
   RunTime=00:10:00 TimeLimit=UNLIMITED TimeMin=N/A
   SubmitTime=2026-11-18T11:06:40 EligibleTime=2026-11-18T11:06:40
   AccrueTime=2026-11-18T11:06:40
   StartTime=2026-11-18T11:07:40 EndTime=2026-11-18T11:17:40 Deadline=N/A
   PreemptEligibleTime=2026-11-18T11:07:40 PreemptTime=None
   SuspendTime=None SecsPreSuspend=0 LastSchedEval=2026-11-18T11:07:40 Scheduler=Main
   Partition=h100 AllocNode:Sid=login1:24082
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList=gpu[01-02]
   BatchHost=gpu01
   NumNodes=2 NumCPUs=64 NumTasks=16 CPUs/Task=4 ReqB:S:C:T=0:0:*:*
   TRES=cpu=64,mem=512G,node=2,billing=64,gres/gpu=8
   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*
   JOB_GRES=gpu:h100:8
     Nodes=gpu01 CPU_IDs=0-31 Mem=262144 GRES=gpu:h100:4(IDX:0-3)
     Nodes=gpu02 CPU_IDs=0-31 Mem=262144 GRES=gpu:h100:4(IDX:4-7)
   MinCPUsNode=4 MinMemoryNode=0 MinTmpDiskNode=0
   Features=(null) DelayBoot=00:00:00
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
   Command=/home/ada/run/job.sh
   WorkDir=/home/ada/run
   StdErr=/scratch/ada/train-991_3.out
   StdIn=/dev/null
   StdOut=/scratch/ada/train-991_3.out
   Power=
   TresPerNode=gres:gpu:4
   

`;
