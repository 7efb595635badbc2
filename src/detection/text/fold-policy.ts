// Which events of kernel and job logs count as repeats of one another: one fault prints many lines, and a storm must not flood.

import type { EventInput } from '../../model/record.ts';

export interface FoldPolicy {
  /** A repeat comes within this time of the one before it. */
  readonly windowMs: number;
  /** One event covers this at most; left out: ten minutes. */
  readonly spanMs?: number;
  /** False where further lines report the same single happening (a GPU is lost once): they add facts, not to the count. */
  readonly counts: boolean;
  /** The kernel reports one happening in two lines, of which one has this attribute: there were as many as of the more frequent one. */
  readonly half?: string;
  /** Attributes that together name a part of the component: how many parts it happened in is counted. */
  readonly parts?: readonly string[];
  /** The last line says whether it has this attribute, and when: what was over begins again with a line without it. */
  readonly end?: string;
  /** Who says it, listed in `said_by`: what one line of it names, null where it names none. */
  readonly saidBy?: (event: EventInput) => string | null;
  /** Attributes that distinguish two happenings of one kind on one component. */
  readonly keys: readonly string[];
}

/** SGLang's "[2026-11-28 12:02:25 DP0 TP4] ": which of its schedulers says so. */
const SCHEDULER = /^[^\]]{0,64}?\b((?:DP\d{1,4} )?(?:PP\d{1,4} )?TP\d{1,4})\b/;

function schedulerOf({ evidence: [first] = [] }: EventInput): string | null {
  return first !== undefined && 'text' in first ? (SCHEDULER.exec(first.text)?.[1] ?? null) : null;
}

const DEFAULT: FoldPolicy = { windowMs: 1000, counts: true, keys: ['xid', 'pid', 'gpu_instance'] };

const POLICIES: Partial<Record<EventInput['kind'], FoldPolicy>> = {
  // A program that is wrong faults all over the GPU, a broken unit in itself alone.
  'gpu.app_fault': { ...DEFAULT, parts: ['gpc', 'tpc', 'sm'] },
  // A queue that hangs, and the reset for it.
  'gpu.fault': { ...DEFAULT, half: 'driver_reset' },
  // One reset is given up in several lines.
  'gpu.reset_failed': { windowMs: 10_000, counts: false, keys: [] },
  // One line per channel, in bursts.
  'gpu.preemptive_cleanup': { windowMs: 5000, counts: true, keys: ['xid', 'pid'] },
  // Asked again by the next process, every 6 to 45 s; the pid says which one asked, not who is to blame.
  'gpu.gsp_timeout': { windowMs: 60_000, counts: true, keys: [] },
  'gpu.lost': { windowMs: 60_000, counts: false, keys: [] },
  'gpu.init_failure': { windowMs: 10_000, counts: false, keys: [] },
  // Every row is a fact of its own: eight in one bank end the part's life.
  'gpu.memory.row_remap_pending': { windowMs: 1000, counts: true, keys: ['physical_address'] },
  'gpu.memory.row_remap_failed': { windowMs: 1000, counts: true, keys: ['physical_address'] },
  // Uncontained errors were seen 800,000 times in 29 wordings on one host.
  'gpu.memory.uncontained': { windowMs: 5000, counts: true, keys: ['xid'] },
  'gpu.memory.dbe': { windowMs: 5000, counts: true, keys: ['xid'] },
  // Every transition is news.
  'gpu.recovery_action': { windowMs: 1000, counts: true, keys: ['from', 'to'] },
  'nvlink.fatal': { windowMs: 5000, counts: true, keys: ['xid'] },
  'nvlink.nonfatal': { windowMs: 5000, counts: true, keys: ['xid'] },
  'nvswitch.fatal': { windowMs: 5000, counts: true, keys: ['sxid', 'link'] },
  'nvswitch.nonfatal': { windowMs: 60_000, counts: true, keys: ['sxid', 'link'] },
  // A weak link reports thousands a second.
  'pcie.corrected': { windowMs: 60_000, counts: true, keys: [] },
  'pcie.uncorrected': { windowMs: 10_000, counts: true, half: 'received_by', keys: [] },
  'pcie.uncorrected_fatal': { windowMs: 10_000, counts: true, half: 'received_by', keys: [] },
  'pcie.link_down': { windowMs: 5000, counts: false, keys: [] },
  'memory.ce': { windowMs: 60_000, counts: true, keys: [] },
  'memory.ce_storm': { windowMs: 60_000, counts: true, keys: [] },
  'memory.ue': { windowMs: 5000, counts: true, keys: ['page'] },
  // A dump of the firmware's state has dozens of lines; the process that asks next waits for the same card; its driver may load it again, minutes later.
  'nic.firmware_fault': { windowMs: 180_000, counts: false, end: 'recovered', keys: [] },
  'nic.command_timeout': { windowMs: 60_000, counts: true, keys: [] },
  'nic.access_reg_failed': { windowMs: 60_000, counts: true, keys: [] },
  // Every CPU of a package reports it.
  'cpu.thermal_throttle': { windowMs: 60_000, counts: false, keys: [] },
  // A UPS says that the mains failed, and seconds later that it runs on its batteries.
  'power.source_transfer': { windowMs: 30_000, counts: true, half: 'said_again', keys: ['ups'] },
  // That it is low, and that its host shuts down for it.
  'power.battery_worn': { windowMs: 86_400_000, counts: false, keys: ['ups'] },
  'power.battery_low': { windowMs: 60_000, counts: false, keys: ['ups'] },
  'storage.io_error': { windowMs: 60_000, counts: true, keys: ['device'] },
  'storage.stall': { windowMs: 10_000, counts: true, keys: ['device', 'server', 'part'] },
  'storage.readonly': { windowMs: 60_000, counts: false, keys: ['device'] },
  // Up to three lines about one kill.
  'host.oom': { windowMs: 10_000, counts: false, keys: [] },
  // That no server answers, then by how much the clock is off, then that messages are refused for their time.
  'host.clock_wrong': { windowMs: 3_600_000, spanMs: 3_600_000, counts: false, keys: [] },
  // The kernel looks every 120 s by default (kernel.hung_task_timeout_secs); the body of each report begins with the task's state.
  'host.hung_task': { windowMs: 150_000, counts: true, half: 'state', keys: [] },
  // One line for each module.
  'driver.unloaded': { windowMs: 60_000, counts: false, keys: [] },
  // A report has dozens of lines.
  'host.kernel_oops': { windowMs: 60_000, counts: false, keys: [] },
  // Each scheduler of a server has a watchdog of its own.
  'job.hang': { windowMs: 60_000, counts: true, saidBy: schedulerOf, keys: [] },
  'host.soft_lockup': { windowMs: 60_000, counts: true, keys: ['cpu'] },
};

/** Every line of a job's log that reports one end of one rank, or of one place where it cannot continue. */
const TOLD_ONCE: FoldPolicy = { windowMs: 60_000, counts: false, keys: [] };
for (const kind of [
  'job.collective_timeout',
  'job.collective_desync',
  'job.collective_mismatch',
  'job.bootstrap_timeout',
  'job.rank_crashed',
  'job.rank_killed',
  'job.gpu_oom',
  'job.peer_failure',
  'job.checkpoint_failed',
  'job.cancelled',
  'job.preempted',
  'job.requeued',
  'job.ended',
  'net.rdma_retry_exceeded',
  'net.rdma_setup_failed',
  'net.connection_reset',
  'nic.port_down',
  'host.shm_full',
  'host.disk_full',
  'host.down',
  'gpu.driver_unsupported',
  'gpu.memory.uncorrectable',
  'config.flight_recorder_off',
] as const)
  POLICIES[kind] ??= TOLD_ONCE;

export function foldPolicy(kind: EventInput['kind']): FoldPolicy {
  return POLICIES[kind] ?? DEFAULT;
}
