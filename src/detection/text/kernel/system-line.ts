// Lines of the kernel itself: out-of-memory kills, hung tasks and lockups, each with a name that a user chose; panics.

import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';
import { oomLine } from './oom-line.ts';
import { processComponent } from './user-words.ts';

/** TASK_COMM_LEN is 16; worker threads append a little ("kworker/u256:3+flush-8:0"). Numbers are sought behind it, from the line's end. */
const NAME = '[^]{0,64}';

export function taskLine(text: string, context: KernelContext): Finding | null {
  return oomLine(text, context) ?? hungTask(text, context) ?? hungTaskBody(text, context) ?? softLockup(text, context);
}

/** "INFO: task ray::IDLE:136986 blocked for more than 120 seconds." */
const HUNG = new RegExp(
  `^INFO: task (${NAME}):(\\d{1,10}) blocked (?:in I/O wait )?for more than (\\d{1,6}) seconds\\.?\\s*$`,
);

function hungTask(text: string, context: KernelContext): Finding | null {
  const [, process = '', pid, seconds] = HUNG.exec(text) ?? [];
  if (pid === undefined) return null;
  return {
    kind: 'host.hung_task',
    component: processComponent(pid, context),
    attributes: { process: evidenceText(process), pid: Number(pid), blocked_s: Number(seconds) },
  };
}

/**
 * "task:python3.11      state:D stack:    0 pid:15277 ppid: 15257 ..." opens the body of the same report. Alone it may
 * also come from a dump that an operator asked for, so it weighs less.
 */
const BODY = new RegExp(
  `^task:(${NAME}) state:D stack: *\\d+ +pid: *(\\d{1,10})(?: +tgid: *\\d+)? +ppid: *\\d+(?: +(?:task_)?flags:0x[0-9a-f]+)*\\s*$`,
);

function hungTaskBody(text: string, context: KernelContext): Finding | null {
  const [, name = '', pid] = BODY.exec(text) ?? [];
  if (pid === undefined) return null;
  return {
    kind: 'host.hung_task',
    component: processComponent(pid, context),
    severity: 'warning',
    attributes: { process: evidenceText(name.trimEnd()), pid: Number(pid), state: 'D' },
  };
}

/** "watchdog: BUG: soft lockup - CPU#18 stuck for 27s! [python3:2254956]"; a mail folds it before the process. */
const LOCKUP = new RegExp(
  `^(?:(?:NMI )?watchdog: )?BUG: soft lockup - CPU#(\\d{1,5}) stuck for (\\d{1,6})s!(?: \\[(${NAME}):(\\d{1,10})\\])?\\s*$`,
);

function softLockup(text: string, context: KernelContext): Finding | null {
  const [, cpu, seconds, process = '', pid] = LOCKUP.exec(text) ?? [];
  if (cpu === undefined) return null;
  const held = pid === undefined ? {} : { process: evidenceText(process), pid: Number(pid) };
  return {
    kind: 'host.soft_lockup',
    component: hostOf(context),
    attributes: { cpu: Number(cpu), stuck_s: Number(seconds), ...held },
  };
}

/**
 * "rcu: INFO: rcu_sched self-detected stall on CPU", "INFO: rcu_preempt detected stalls on CPUs/tasks:" (kernel/rcu/tree_stall.h): a CPU
 * that does not let go, or cannot; "NMI watchdog: Watchdog detected hard LOCKUP on cpu 3" (kernel/watchdog.c): one that takes
 * no interrupts. An expedited wait of less than a hundred jiffies, of a second at most, is one of a kernel built to say so early.
 */
const STALL =
  /^(?:rcu: )?INFO: (rcu\w{0,16}) (?:self-)?detected (?:expedited )?stalls? on CPUs?(?:\/tasks)?\b(?!.{0,200}\} \d{1,2} jiffies s: )/;
const HARD = /^(?:(?:NMI )?[Ww]atchdog: )?Watchdog detected hard LOCKUP on cpu (\d{1,5})/;

/** No user's word is in these lines. */
export function stallLine(text: string, context: KernelContext): Finding | null {
  if (STALL.test(text))
    return { kind: 'host.soft_lockup', component: hostOf(context), attributes: { what: 'rcu_stall' } };
  const cpu = HARD.exec(text)?.[1];
  if (cpu === undefined) return null;
  const attributes = { what: 'hard_lockup', cpu: Number(cpu) };
  return { kind: 'host.soft_lockup', component: hostOf(context), severity: 'critical', attributes };
}

/** "Kernel panic - not syncing: Fatal exception" */
const PANIC = /^Kernel panic - not syncing(?:: ([\s\S]*))?$/;

export function panicLine(text: string, context: KernelContext): Finding | null {
  const found = PANIC.exec(text);
  if (found === null) return null;
  const reason = found[1] === undefined ? null : evidenceText(found[1].slice(0, 200));
  return { kind: 'host.panic', component: hostOf(context), attributes: { reason } };
}
