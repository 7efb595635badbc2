// Watchdog: what its own watchdog or monitor ended hung before: why is found on its hosts, or the next time while it still hangs.

import type { Incident } from '../../model/incident.ts';
import { OWNER } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** The service itself says which task gave no sign; that its program failed, it does not know. */
export function silentTask({ root, events }: Incident): Special | null {
  const { message, task } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  if (root.kind !== 'job.rank_crashed' || message !== 'no heartbeat' || typeof task !== 'number') return null;
  const { now, call } = ofTask(task);
  return { does: `find out why task ${task} stopped`, now, call };
}

interface Ended {
  readonly find: string;
  readonly now: string;
  readonly call: string;
}

/** Of processes that have ended no dump can be asked. Null where no watchdog, and no monitor of heartbeats, says so. */
export function endedByWatchdog({ root, events }: Incident): Ended | null {
  const own = events.find(({ id }) => id === root.eventId);
  const { message, task } = own?.attributes ?? {};
  if (root.kind !== 'job.hang') return null;
  if (message === 'no heartbeat' && typeof task === 'number') return ofTask(task);
  if (message !== 'Watchdog timeout' && message !== 'no heartbeat') return null;
  const text = own?.evidence.flatMap((each) => ('text' in each ? [each.text] : []))[0] ?? '';
  const rank = RANK.exec(text)?.[1];
  if (rank === undefined) return WATCHED;
  const count = own?.count ?? 1;
  const others = count > 1 ? ` (first of ${count} reports)` : '';
  return { ...WATCHED, now: `${rank} made no step${others}: ${WATCHED.now}` };
}

/** "[2026-11-28 12:02:25 DP0 TP4] ": which of its schedulers says so. */
const RANK = /^[^\]]{0,64}?\b((?:DP\d{1,4} )?(?:PP\d{1,4} )?TP\d{1,4})\b/;

const WATCHED: Ended = {
  find: 'what it hung on: its watchdog ended it',
  now: 'on @, sudo dmesg -T | grep -iE "xid|mlx5|blocked for more" at TIME and before: with nothing there start it again; a GPU or link that failed hangs it as often as its program does. Where it hangs again, give it a longer watchdog, and as soon as it hangs py-spy dump --pid PID of each rank',
  call: OWNER,
};

/** JAX's coordination service ends all the others: the one that is silent is looked at. */
function ofTask(task: number): Ended {
  return {
    find: `why task ${task} stopped: the others ended because of it`,
    now: `see the end of the log of task ${task} (process ${task} of the job), and on its host uptime; sudo dmesg -T | grep -iE "xid|out of memory|blocked for more" at TIME and before. No error there: the scheduler's record (preempted, evicted, node lost), and the network between it and task 0. Then start all of it again from the last checkpoint`,
    call: OWNER,
  };
}
