// Other process: what the kernel reports of one process explains no other one, unless that one speaks of it.

import type { Facts } from '../../window/facts.ts';
import type { Doubting } from './doubt.ts';

const OTHER = 0.2;
/** A log within a container has numbers of its own: a kill at the same moment is hardly another one. */
const SAME_MOMENT_MS = 2000;
const OTHER_NUMBERS = 0.9;
const NONE: ReadonlySet<number> = new Set();

export const otherProcess: Doubting = (cause, effect) => {
  // A connection has two ends: that of one rank ends the ranks that wait for it.
  if (cause.kind.startsWith('net.')) return null;
  const own = pidsOf(effect);
  const ended = own.size === 0 ? own : pidsOf(cause);
  if (ended.size === 0) return null;
  for (const pid of ended) if (own.has(pid) || names(effect, pid)) return null;
  const together = effect.kind === 'job.rank_killed' && Math.abs(effect.onsetMs - cause.onsetMs) <= SAME_MOMENT_MS;
  const factor = cause.kind === 'host.oom' && together ? OTHER_NUMBERS : OTHER;
  return { code: 'other_process', factor, why: `it was process ${[...ended][0]}, not ${[...own][0]}` };
};

function pidsOf({ events }: Facts): ReadonlySet<number> {
  let pids: Set<number> | null = null;
  for (const { attributes } of events) {
    if (typeof attributes.pid !== 'number') continue;
    pids ??= new Set();
    pids.add(attributes.pid);
  }
  return pids ?? NONE;
}

/** "DataLoader worker (pid 4823) is killed by signal: Killed." */
function names({ events }: Facts, pid: number): boolean {
  const number = new RegExp(`\\b${pid}\\b`);
  return events.some(({ attributes: { message } }) => typeof message === 'string' && number.test(message));
}
