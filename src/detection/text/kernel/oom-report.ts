// Report of a kill for want of memory: what the kernel prints before it of the memory of the host, of a limit, and of who held it.

import type { Attributes } from '../../../model/event.ts';
import { evidenceText } from '../evidence.ts';

/** What the report had up to now. Sizes are in KiB, those of tasks and of all memory in pages. */
export interface OomReport {
  readonly beganMs: number;
  lines: number;
  /** Memory of all zones, by which the size of a page is known. */
  presentKib: number;
  pages: number | null;
  reservedPages: number;
  sharedPages: number;
  usageKib: number | null;
  limitKib: number | null;
  /** The largest first. */
  readonly largest: Task[];
}

interface Task {
  readonly pid: number;
  readonly name: string;
  readonly pages: number;
}

/** A report of a host of thousands of tasks is printed within seconds. */
const LONGEST_MS = 30_000;
/** Rows of the table of tasks; a log that never comes to the kill is not read to its end for it. */
const MOST_LINES = 65_536;
const MOST_TASKS = 3;
const USUAL_PAGE_KIB = 4;
const PAGES_KIB: ReadonlySet<number> = new Set([4, 16, 64]);

const BEGINS = / invoked oom-killer: /;
const ZONE = /^Node \d{1,4} \w{1,16} free:\d+kB .{0,200}\bpresent:(\d{1,12})kB /;
const SHARED = /\bshmem:(\d{1,12})(?: |$)/;
const PAGES = /^(\d{1,12}) pages RAM\s*$/;
const RESERVED = /^(\d{1,12}) pages reserved\s*$/;
const LIMIT = /^memory: usage (\d{1,15})kB, limit (\d{1,15})kB, failcnt \d+\s*$/;
/** Of a group without a limit. */
const NO_LIMIT_KIB = 2 ** 43;
/** `[  48211]  1000 48211 100663296 50331648 …  0 python3`: pid, uid, tgid, total_vm, rss, further numbers, and the name, which may hold anything. */
const TASK =
  /^\[ {0,6}(\d{1,10})\] +\d{1,10} +\d{1,10} +\d{1,15} +(\d{1,15})(?: +\d{1,15}){2,6} +-?\d{1,5} ([\s\S]{1,16})$/;

/** Takes a line of the kernel; returns the report that is open behind it. */
export function oomReport(open: OomReport | null, text: string, timeMs: number): OomReport | null {
  if (open === null) return BEGINS.test(text) ? opened(timeMs) : null;
  if (BEGINS.test(text)) return opened(timeMs);
  if (Math.abs(timeMs - open.beganMs) > LONGEST_MS || open.lines >= MOST_LINES) return null;
  open.lines += 1;
  readInto(open, text.trimStart());
  return open;
}

function opened(beganMs: number): OomReport {
  return {
    beganMs,
    lines: 0,
    presentKib: 0,
    pages: null,
    reservedPages: 0,
    sharedPages: 0,
    usageKib: null,
    limitKib: null,
    largest: [],
  };
}

function readInto(report: OomReport, text: string): void {
  if (text.startsWith('[')) {
    const [, pid, pages, name = ''] = TASK.exec(text) ?? [];
    if (pid !== undefined) keepLargest(report.largest, { pid: Number(pid), name: name.trim(), pages: Number(pages) });
    return;
  }
  const [, usage, limit] = LIMIT.exec(text) ?? [];
  if (usage !== undefined) {
    report.usageKib = Number(usage);
    report.limitKib = Number(limit) >= NO_LIMIT_KIB ? null : Number(limit);
    return;
  }
  const zone = ZONE.exec(text)?.[1];
  if (zone !== undefined) report.presentKib += Number(zone);
  else if (PAGES.test(text)) report.pages = Number(PAGES.exec(text)?.[1]);
  else if (RESERVED.test(text)) report.reservedPages = Number(RESERVED.exec(text)?.[1]);
  // The first such line is of the host, those below "Node 0" of its parts, in kB.
  else if (report.presentKib === 0 && report.sharedPages === 0 && !text.startsWith('Node '))
    report.sharedPages = Number(SHARED.exec(text)?.[1] ?? 0);
}

function keepLargest(largest: Task[], task: Task): void {
  const at = largest.findIndex(({ pages }) => task.pages > pages);
  if (at < 0 && largest.length >= MOST_TASKS) return;
  largest.splice(at < 0 ? largest.length : at, 0, task);
  largest.length = Math.min(largest.length, MOST_TASKS);
}

/** As attributes of the kill: `ram_kib`, `shmem_kib`, `usage_kib` and `limit_kib` of the group, and `largest`, "python3 (48211) 192 GiB, …". */
export function reportFacts(report: OomReport | null): Attributes {
  if (report === null) return {};
  const { pages, reservedPages, sharedPages, usageKib, limitKib, largest } = report;
  const pageKib = pageOf(report);
  const facts: Attributes = {
    ...(pages === null ? {} : { ram_kib: (pages - reservedPages) * pageKib }),
    ...(sharedPages === 0 ? {} : { shmem_kib: sharedPages * pageKib }),
    ...(usageKib === null ? {} : { usage_kib: usageKib }),
    ...(limitKib === null ? {} : { limit_kib: limitKib }),
  };
  if (largest.length === 0) return facts;
  const texts = largest.map(({ name, pid, pages: held }) => `${name} (${pid}) ${gib(held * pageKib)}`);
  return { ...facts, largest: evidenceText(texts.join(', ')) };
}

function pageOf({ pages, presentKib }: OomReport): number {
  const size = pages === null || pages === 0 ? 0 : 2 ** Math.round(Math.log2(presentKib / pages));
  return PAGES_KIB.has(size) ? size : USUAL_PAGE_KIB;
}

function gib(kib: number): string {
  const value = kib / 2 ** 20;
  return value >= 100 ? `${Math.round(value)} GiB` : `${Number(value.toFixed(1))} GiB`;
}
