// Lines of the kernel itself: out-of-memory kills, hung tasks, lockups, crashed processes, panics.

import type { Component } from '../../../model/component.ts';
import type { Severity } from '../../../model/severity.ts';
import { Cursor } from '../cursor.ts';
import { type KernelContext, messageStart } from './context.ts';
import type { Finding } from './driver-line.ts';
import { oomLine } from './oom-line.ts';

/** TASK_COMM_LEN is 16; worker threads append a little ("kworker/u256:3+flush-8:0"). */
const MAX_NAME = 64;

export interface SystemFinding extends Finding {
  readonly severity?: Severity;
}

export function systemLine(text: string, context: KernelContext): SystemFinding | null {
  return (
    oomLine(text, context) ??
    hungTask(text, context) ??
    hungTaskBody(text, context) ??
    softLockup(text, context) ??
    segfault(text, context) ??
    panic(text, context)
  );
}

export function processComponent(pid: number, context: KernelContext): Component {
  return { type: 'process', id: String(pid), host: context.host };
}

/** "INFO: task ray::IDLE:136986 blocked for more than 120 seconds." */
function hungTask(text: string, context: KernelContext): Finding | null {
  const start = messageStart(text, 'INFO: task ', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'INFO: task '.length);
  const task = cursor.until(' blocked for more than ', MAX_NAME);
  const seconds = cursor.integer(6);
  if (task === null || seconds === null) return null;
  const colon = task.lastIndexOf(':');
  const pid = new Cursor(task, colon + 1).integer(10);
  if (colon < 1 || pid === null) return null;
  return {
    kind: 'host.hung_task',
    component: processComponent(pid, context),
    attributes: { process: task.slice(0, colon), pid, blocked_s: seconds },
  };
}

/**
 * "task:python3.11      state:D stack:    0 pid:15277 ppid: 15257 ..." opens the body of the same report. Alone it may
 * also come from a dump that somebody asked for, so it weighs less.
 */
function hungTaskBody(text: string, context: KernelContext): SystemFinding | null {
  const start = messageStart(text, 'task:', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'task:'.length);
  const process = cursor.until(' state:D', MAX_NAME)?.trimEnd();
  if (process === undefined || process === '' || !cursor.skipPast(' pid:')) return null;
  const pid = cursor.spaces().integer(10);
  if (pid === null) return null;
  return {
    kind: 'host.hung_task',
    component: processComponent(pid, context),
    severity: 'warning',
    attributes: { process, pid, state: 'D' },
  };
}

/** "watchdog: BUG: soft lockup - CPU#18 stuck for 27s! [python3:2254956]" */
function softLockup(text: string, context: KernelContext): Finding | null {
  const words = 'BUG: soft lockup - CPU#';
  let start = messageStart(text, `watchdog: ${words}`, context);
  start = start < 0 ? messageStart(text, words, context) : start + 'watchdog: '.length;
  if (start < 0) return null;
  const cursor = new Cursor(text, start + words.length);
  const cpu = cursor.integer(5);
  const seconds = cursor.skipPast('stuck for ') ? cursor.integer(6) : null;
  const task = cursor.skipPast('[') ? cursor.until(']', MAX_NAME) : null;
  const colon = task?.lastIndexOf(':') ?? -1;
  const pid = task === null || colon < 1 ? null : new Cursor(task, colon + 1).integer(10);
  return {
    kind: 'host.soft_lockup',
    component: { type: 'host', id: context.host },
    attributes: { cpu, stuck_s: seconds, process: task === null || colon < 1 ? null : task.slice(0, colon), pid },
  };
}

/** "pt_main_thread[2536443]: segfault at 7f79 ip ... error 4 in libnccl.so.2[...]", "traps: python3[77] general protection ..." */
function segfault(text: string, context: KernelContext): Finding | null {
  const traps = text.startsWith('traps: ') ? 'traps: '.length : 0;
  let close = text.indexOf(']: segfault at ');
  if (close < 0 && traps > 0) close = text.indexOf('] general protection fault');
  const open = close < 0 ? -1 : text.lastIndexOf('[', close);
  if (open < 1) return null;
  const cursor = new Cursor(text, open + 1);
  const pid = cursor.integer(10);
  if (pid === null || cursor.position !== close) return null;
  const before = text.slice(traps, open);
  const process = (context.anchored ? before : before.slice(before.lastIndexOf(' ') + 1)).slice(0, MAX_NAME);
  const library = cursor.skipPast(' in ') ? cursor.until('[', 96) : null;
  return {
    kind: 'process.segfault',
    component: processComponent(pid, context),
    attributes: { process, pid, ...(library === null ? {} : { library }) },
  };
}

/** "Kernel panic - not syncing: Fatal exception" */
function panic(text: string, context: KernelContext): Finding | null {
  const words = 'Kernel panic - not syncing';
  const start = messageStart(text, words, context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + words.length);
  const reason = cursor.take(': ') ? cursor.rest().slice(0, 200) : null;
  return { kind: 'host.panic', component: { type: 'host', id: context.host }, attributes: { reason } };
}
