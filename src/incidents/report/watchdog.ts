// Watchdog: what its own watchdog or monitor ended hung before: why is found on its hosts, or the next time while it still hangs.

import { indexText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { PLUGIN_ENDED } from './failed-work.ts';
import { HOST, OWNER } from './kind-step.ts';
import { closedByPlace } from './meeting-place.ts';
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

/** Of processes that have ended no dump can be asked. Null where no watchdog, no monitor of heartbeats and no address of the other side says so. */
export function endedByOther({ root, events }: Incident): Ended | null {
  const own = events.find(({ id }) => id === root.eventId);
  const { message, task } = own?.attributes ?? {};
  const closed = closedByPlace({ root, events });
  if (closed !== null) return closed;
  if (root.kind === 'pod.device_unhealthy' && own?.attributes.what === 'plugin_ended') return OF_PLUGIN;
  if (root.kind !== 'job.hang') return null;
  if (message === 'no heartbeat' && typeof task === 'number') return ofTask(task);
  if (message === 'not at the barrier' && typeof task === 'number')
    return { ...ofTask(task), find: `why task ${task} did not come to the barrier: the others waited for it` };
  if (NO_ANSWER.test(String(message))) return { ...WATCHED, find: 'why a worker of the engine did not answer' };
  if (message !== 'Watchdog timeout' && message !== 'no heartbeat') return null;
  const said = saidBy(own?.attributes.said_by);
  const silent = silentSchedulers(said);
  if (silent.length > 0)
    return {
      ...WATCHED,
      find: `why TP${indexText(silent)} did not step: TP${indexText(numbersOf(said).map(String))} said that they wait`,
      now: WATCHED.now.replace('.', `, GPU ${indexText(silent)} first.`),
    };
  return WATCHED;
}

/** vLLM: what a worker is asked for by its engine. */
const NO_ANSWER = /RPC call to \w{1,64} timed out|Engine iteration timed out/;

/** Schedulers of SGLang, each once. */
function saidBy(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(', ') : [];
}

const FEWEST = 3;
/** What is between those that said it, or makes them as many as GPUs of one host are given to a model: 2, 4, 8. */
function silentSchedulers(said: readonly string[]): readonly string[] {
  const numbers = numbersOf(said);
  if (numbers.length === 0 || numbers.some(Number.isNaN)) return [];
  const last = Math.max(...numbers);
  const all = numbers.length < FEWEST ? last + 1 : 2 ** Math.ceil(Math.log2(last + 1));
  const silent = Array.from({ length: all }, (_, number) => number).filter((number) => !numbers.includes(number));
  return silent.length < numbers.length ? silent.map(String) : [];
}

function numbersOf(said: readonly string[]): number[] {
  return said.map((each) => Number(/^TP(\d{1,3})$/.exec(each)?.[1] ?? Number.NaN)).sort((a, b) => a - b);
}

const OF_PLUGIN: Ended = { find: 'why the device plugin of that node ended', now: PLUGIN_ENDED, call: HOST };

const WATCHED: Ended = {
  find: 'what it hung on, until its watchdog ended it',
  now: 'on @, nvidia-smi; sudo dmesg -T | grep -iE "xid|mlx5" at TIME and before. Hardware that failed hangs it as often as its program does: keep work off @ then. Where it hangs again, py-spy dump --pid PID of each rank before its watchdog ends it',
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
