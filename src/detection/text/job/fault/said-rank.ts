// Said rank: of whom a program says that it failed, in the line that it writes before the traceback: "rank 3 on gx-12 failed".

import type { RankLabel } from '../../../../model/rank-label.ts';

/** Such a line is a short sentence. */
const LONGEST = 400;
const FAILED =
  /fail|crash|xception|\berror|ERROR|CRITICAL|FATAL|abort|\bdied\b|\braised\b|[Uu]nhandled|[Uu]ncaught|giving up|terminat/;
const RANK = /(?<![A-Za-z-])(global[_ ]|local[_ ])?[Rr]ank(?:[#=:_-]|: | #| )?(\d{1,7})(?![\d.])/gi;
/** Before the message of a line that is pairs of names and values. */
const PAIR = /(?:^|[\s[,])(global_|local_)?rank=["']?(\d{1,7})(?=["'\s,\]])/g;

/** Null where the line speaks of no failure, or of several ranks or none. */
export function saidRank(line: string): RankLabel | null {
  const head = line.slice(0, LONGEST);
  return FAILED.test(head) ? onlyOf(head, RANK) : null;
}

/** The rank that logfmt and its like name before a message. */
export function pairedRank(head: string): RankLabel | null {
  return head.includes('rank=') ? onlyOf(head.slice(0, LONGEST), PAIR) : null;
}

/** A number over the whole job goes before one within a host. */
function onlyOf(text: string, pattern: RegExp): RankLabel | null {
  const global = new Set<number>();
  const local = new Set<number>();
  for (const [, scope = '', number] of text.matchAll(pattern))
    (/^local/i.test(scope) ? local : global).add(Number(number));
  const [numbers, means] = global.size > 0 ? ([global, 'global'] as const) : ([local, 'local'] as const);
  const [only] = numbers;
  return only === undefined || numbers.size > 1 ? null : { number: only, means };
}
