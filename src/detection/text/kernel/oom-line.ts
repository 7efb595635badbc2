// Out-of-memory kills: whichever of the kernel's three lines about one kill arrives names the process.

import type { Component } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import { evidenceText } from '../evidence.ts';
import type { KernelContext } from './context.ts';
import type { Finding } from './finding.ts';
import { reportFacts } from './oom-report.ts';
import { processComponent } from './user-words.ts';

/** The kernel cuts a process name at 15 bytes; a little room for kernels that do not. */
const NAME = '[^]{0,32}';
/**
 * Of the user whose process it was: at the end of the summary and, since Linux 5.3, behind the sizes in the line of the kill. Read nowhere
 * else: a process may be called "x,uid=1001 ", which would name another user.
 */
const SUMMARY_UID = /,uid=(\d{1,10})\s*$/;
const KILL_UID = / UID:(\d{1,10})(?: pgtables:\d{1,15}(?:kB)?(?: oom_score_adj:-?\d{1,5})?)?\s*$/;
const SIZES = / total-vm:\d+kB, anon-rss:(\d{1,12})kB(?:, [\w-]+:\d+(?:kB)?| [\w-]+:-?\d+(?:kB)?)*/.source;
/**
 * "Out of memory: Killed process 456 (python) total-vm:…", "Memory cgroup out of memory: Killed process …", the older
 * "Kill process 456 (python) score 50 or sacrifice child", and "Killed process 123, UID 48, (httpd)". The name may hold
 * anything, ")" too: what the kernel writes behind it ends it.
 */
const KILL = new RegExp(
  '^(Out of memory(?: \\(oom_kill_allocating_task\\))?|Memory cgroup out of memory): Kill(?:ed)? process (\\d{1,10})' +
    `(?:, UID \\d{1,10},)? \\((${NAME})\\)(?:,?${SIZES}| score \\d+ or sacrifice child|)\\.?\\s*$`,
);
const KILL_ALONE = new RegExp(`^(Killed) process (\\d{1,10})(?:, UID \\d{1,10},)? \\((${NAME})\\),?${SIZES}\\s*$`);
/** "oom_reaper: reaped process 345646 (vector), now anon-rss:0kB, …": reports the kill when the other lines are lost. */
const REAPED = new RegExp(
  `^oom_reaper: reaped process (\\d{1,10}) \\((${NAME})\\), now anon-rss:\\d+kB(?:, [a-z]+-rss:\\d+(?:kB)?)*\\s*$`,
);
/** "oom-kill:constraint=CONSTRAINT_MEMCG,…,oom_memcg=/a,task_memcg=/a/b,task=node,pid=863987,uid=0"; without pid no kill. */
const SUMMARY = new RegExp(`^oom-kill:constraint=(\\w{1,48}),[^]*,task=(${NAME}),pid=(\\d{1,10}),uid=\\d{1,10}\\s*$`);
/**
 * The line holds paths of any length that users choose. Near the kernel's limit (LOG_LINE_MAX, 976 bytes in some versions)
 * the record ends where a path does, and that path could end like the line; the line of the kill itself is then enough.
 */
const MAX_SUMMARY = 900;
const MAX_PATH = 512;
/** The user's number, and what the kernel writes behind it. */
const MOST_END = 64;

/**
 * Up to Linux 4.19 the first line of a kill names the task that was chosen, and the second the process that was ended: a child of it,
 * or the process of which the task is a thread.
 */
const CHOSEN = /^(?:Out of memory(?: \(oom_kill_allocating_task\))?|Memory cgroup out of memory): Kill process \d/;
const ENDED = /^Killed process \d/;

export function isChosen(text: string): boolean {
  return CHOSEN.test(text);
}

export function isEnded(text: string): boolean {
  return ENDED.test(text);
}

export function oomLine(text: string, context: KernelContext): Finding | null {
  return killLine(text, context) ?? summaryLine(text, context) ?? reaperLine(text, context);
}

/** "GC Thread#9 invoked oom-killer: gfp_mask=0x100cca(…), order=0, oom_score_adj=0"; the name is of whoever asked for memory. */
const CALLED = new RegExp(`^(${NAME}) invoked oom-killer: gfp_mask=0x[0-9a-f]{1,16}\\b`);

/** The call for a kill: which process it took, later lines say, if they are there. */
export function oomCall(text: string, host: Component): Finding | null {
  const caller = CALLED.exec(text)?.[1];
  return caller === undefined
    ? null
    : {
        kind: 'host.oom',
        component: host,
        attributes: { called_by: evidenceText(caller), victim: 'not in what was read' },
      };
}

/** At the end, where no name can stand. Of kernels before 4.8 it is in none of the sizes. */
const SHARED = /,? shmem-rss:(\d{1,12})kB(?:,? [\w-]+:-?\d+(?:kB)?)*\s*$/;

function sharedOf(text: string): Record<string, number> {
  const shared = Number(SHARED.exec(text)?.[1] ?? 0);
  return shared === 0 ? {} : { shmem_rss_kib: shared };
}

function killLine(text: string, context: KernelContext): Finding | null {
  const [, words, pid, process, resident] = KILL.exec(text) ?? KILL_ALONE.exec(text) ?? [];
  if (words === undefined || pid === undefined) return null;
  const facts = reportFacts(context.oom);
  // Nothing of the report is behind this line.
  context.oom = null;
  return oom(pid, process, context, {
    ...(words.startsWith('Memory') ? { constraint: 'CONSTRAINT_MEMCG' } : {}),
    ...(words.startsWith('Out of memory') ? { scope: 'host' } : {}),
    ...facts,
    ...(resident === undefined ? {} : { anon_rss_kib: Number(resident), ...sharedOf(text) }),
    ...userOf(text, KILL_UID),
  });
}

function summaryLine(text: string, context: KernelContext): Finding | null {
  const [, constraint, process, pid] = SUMMARY.exec(text) ?? [];
  if (constraint === undefined || pid === undefined || Buffer.byteLength(text) > MAX_SUMMARY) return null;
  const memcg = groupOf(text.slice(0, text.lastIndexOf(`,task=${process},pid=${pid},`)));
  return oom(pid, process, context, {
    constraint,
    ...(constraint === 'CONSTRAINT_MEMCG' ? {} : { scope: 'host' }),
    ...reportFacts(context.oom),
    ...(memcg === null ? {} : { memcg: evidenceText(memcg) }),
    ...userOf(text, SUMMARY_UID),
  });
}

/** At the end of the line, behind all that users may choose. */
function userOf(text: string, end: RegExp): { readonly uid?: number } {
  const uid = end.exec(text.slice(-MOST_END))?.[1];
  return uid === undefined ? {} : { uid: Number(uid) };
}

/**
 * The group of the killed task, as it is at the end of the text. A folder's name may read like the kernel's words, but
 * the group lies within the one whose limit was hit, so that both paths begin alike.
 */
function groupOf(text: string): string | null {
  const opening = /,(?:oom_memcg=(?=\/)|global_oom,task_memcg=(?=\/)|task_memcg=(?=\/))/.exec(text);
  if (opening === null) return null;
  const path = text.slice(opening.index + opening[0].length);
  if (!opening[0].startsWith(',oom_memcg')) return path.length > MAX_PATH ? null : path;
  const word = ',task_memcg=';
  for (let at = path.indexOf(word); at >= 0; at = path.indexOf(word, at + 1)) {
    const own = path.slice(at + word.length);
    if (own.startsWith(path.slice(0, at)) && own.length <= MAX_PATH) return own;
  }
  return null;
}

function reaperLine(text: string, context: KernelContext): Finding | null {
  const [, pid, process] = REAPED.exec(text) ?? [];
  return pid === undefined ? null : oom(pid, process, context, {});
}

function oom(
  pid: string,
  process: string | undefined,
  context: KernelContext,
  attributes: Record<string, AttributeValue>,
): Finding {
  return {
    kind: 'host.oom',
    component: processComponent(pid, context),
    attributes: {
      pid: Number(pid),
      ...(process === undefined ? {} : { process: evidenceText(process) }),
      ...attributes,
    },
  };
}
