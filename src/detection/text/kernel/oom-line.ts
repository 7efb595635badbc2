// Out-of-memory kills: whichever of the kernel's three lines about one kill arrives names the process.

import type { AttributeValue } from '../../../model/event.ts';
import { Cursor } from '../cursor.ts';
import { type KernelContext, messageStart } from './context.ts';
import type { Finding } from './driver-line.ts';

/** The kernel cuts a process name at 15 bytes; a little room for wide characters. */
const MAX_NAME = 32;
const MAX_PATH = 512;

export function oomLine(text: string, context: KernelContext): Finding | null {
  return killLine(text, context) ?? summaryLine(text, context) ?? reaperLine(text, context);
}

/**
 * "Out of memory: Killed process 456 (python) total-vm:…", "Memory cgroup out of memory: Killed process …", the older
 * "Kill process 456 (python) score 50 or sacrifice child", and "Killed process 123, UID 48, (httpd)".
 */
function killLine(text: string, context: KernelContext): Finding | null {
  let start = -1;
  let group = false;
  for (const words of ['Out of memory', 'Memory cgroup out of memory', 'Killed process ']) {
    start = messageStart(text, words, context);
    group = words.startsWith('Memory');
    if (start >= 0) break;
  }
  if (start < 0) return null;
  const cursor = new Cursor(text, start);
  if (!cursor.skipPast('Killed process ') && !cursor.skipPast('Kill process ')) return null;
  const pid = cursor.integer(10);
  const process = pid === null || !cursor.skipPast('(') ? null : nameUpToParen(cursor);
  if (pid === null) return null;
  const attributes: Record<string, AttributeValue> = {};
  if (group) attributes.constraint = 'CONSTRAINT_MEMCG';
  const resident = cursor.skipPast('anon-rss:') ? cursor.integer(12) : null;
  if (resident !== null) attributes.anon_rss_kib = resident;
  return oom(pid, process, attributes, context);
}

/** A name may itself hold ")": the last one within reach ends it. */
function nameUpToParen(cursor: Cursor): string | null {
  const end = cursor.text.slice(cursor.position, cursor.position + MAX_NAME).lastIndexOf(')');
  if (end < 0) return null;
  const name = cursor.text.slice(cursor.position, cursor.position + end);
  cursor.position += end + 1;
  return name;
}

/** "oom-kill:constraint=CONSTRAINT_MEMCG,…,oom_memcg=/a,task_memcg=/a/b,task=node,pid=863987,uid=0"; without pid no kill. */
function summaryLine(text: string, context: KernelContext): Finding | null {
  const start = messageStart(text, 'oom-kill:constraint=', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'oom-kill:constraint='.length);
  const constraint = cursor.until(',', 48);
  const memcg = cursor.skipPast('task_memcg=') ? cursor.until(',task=', MAX_PATH) : null;
  if (memcg === null && !cursor.skipPast(',task=')) return null;
  const process = cursor.until(',pid=', MAX_NAME);
  const pid = process === null ? null : cursor.integer(10);
  if (pid === null) return null;
  const attributes: Record<string, AttributeValue> = {};
  if (constraint !== null) attributes.constraint = constraint;
  if (memcg !== null) attributes.memcg = memcg;
  return oom(pid, process, attributes, context);
}

/** "oom_reaper: reaped process 345646 (vector), now anon-rss:0kB, …": tells of the kill when the other lines are lost. */
function reaperLine(text: string, context: KernelContext): Finding | null {
  const words = 'oom_reaper: reaped process ';
  const start = messageStart(text, words, context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + words.length);
  const pid = cursor.integer(10);
  if (pid === null) return null;
  return oom(pid, cursor.skipPast('(') ? nameUpToParen(cursor) : null, {}, context);
}

function oom(
  pid: number,
  process: string | null,
  attributes: Record<string, AttributeValue>,
  context: KernelContext,
): Finding {
  return {
    kind: 'host.oom',
    component: { type: 'process', id: String(pid), host: context.host },
    attributes: { pid, ...(process === null ? {} : { process }), ...attributes },
  };
}
