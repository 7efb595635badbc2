// Victims: what the log of a job says that lost a peer, or waited for it, is of the fault that ended work on another host in those moments, where
// there is only one such fault.

import { causesOf, effectsOf } from '../../../correlation/graph/cause-graph.ts';
import { groupPlace } from '../../../identity/work/group-place.ts';
import type { FaultEvent } from '../../../model/event.ts';
import type { Incident } from '../../../model/incident.ts';
import { hasRole, type Kind } from '../../../model/kind.ts';
import { isOfSwitch } from '../../../model/switch-side.ts';
import { logOfHost } from '../../../model/unnamed-host.ts';
import { logOf } from '../found-events.ts';
import { type Group, isRooted, placeOf, rootOf, shortOf } from './groups.ts';

/** A rank meets what is gone within moments; the time of its log may be of a clock that is off by some. */
const SOON_MS = 120_000;
const CLOCKS_MS = 5000;

/** What a rank says that waits for one on another host, or talks to it. */
const OF_A_PEER: ReadonlySet<Kind> = new Set<Kind>(['net.connection_reset', 'net.rdma_retry_exceeded', 'job.peer_failure', 'job.collective_timeout', 'job.bootstrap_timeout', 'job.rank_killed', 'job.hang']); // biome-ignore format: one list
/** Behind a traceback that says no more than that a peer, a GPU or the network failed. */
const NO_OWN_FAULT =
  /\bNCCL\b|CUDA error: (?!out of memory|invalid)|Connection (?:reset|refused|closed)|remote process|remote peer/i;

/** Which hosts the log of a job names, by the log. */
export type HostsOfJobs = ReadonlyMap<string, readonly string[]>;

/** Groups of a fault with what its victims say. `undated`: logs that have the time of their file, so that all of a scan may be what they are of. */
export function ofOneFault(
  incidents: readonly Incident[],
  undated: ReadonlySet<string>,
  hostsOfJobs: HostsOfJobs,
): Group[] {
  const faults = incidents.filter((one) => isRooted(one) && one.unconfirmed === null && endedWork(one));
  const groups = new Map<Incident, Incident[]>();
  for (const victim of incidents) {
    const root = rootOf(victim);
    if (root === undefined || victim.made !== undefined || !isVictims(root, victim)) continue;
    const fromMs = Math.min(root.timeMs, root.interval.earliestMs);
    const isOf = (one: Incident): boolean =>
      undated.has(logOf(root)) ? isCause(one, root) : isBehind(one, root, fromMs);
    const ranOn = (hostsOfJobs.get(logOf(root)) ?? []).map(shortOf);
    const [fault, ...more] = faults.filter((one) => one !== victim && isOf(one) && !isElsewhere(one, ranOn));
    if (fault === undefined || more.length > 0 || isOfAnotherJob(fault, victim)) continue;
    groups.set(fault, [...(groups.get(fault) ?? []), victim]);
  }
  return [...groups].map(([lead, others]) => ({ lead, others }));
}

/** Its root is only what a job's log says of the job itself. */
function isVictims({ kind, source, component, evidence }: FaultEvent, victim: Incident): boolean {
  if (source !== 'job-log' || (victim.rootKnown && victim.unconfirmed === null)) return false;
  if (component !== null && component.type !== 'job' && component.type !== 'rank') return false;
  if (OF_A_PEER.has(kind)) return true;
  if (kind !== 'job.rank_crashed' && kind !== 'job.failed') return false;
  return evidence.some((one) => 'text' in one && NO_OWN_FAULT.test(one.text));
}

/** Of a host that the job, which names several, did not run on; a switch or a server is on none of them. */
function isElsewhere(fault: Incident, ranOn: readonly string[]): boolean {
  const root = rootOf(fault);
  if (ranOn.length < 2 || root === undefined || isOfSwitch(root) || !OF_ITS_HOST.test(fault.root.kind)) return false;
  return !ranOn.includes(placeOf(fault)) && logOfHost(placeOf(fault)) === null;
}
const OF_ITS_HOST = /^(?:gpu|nic|nvlink|nvswitch|pcie|host|cpu|memory|process|driver|fabric_manager)\./;

function isBehind(fault: Incident, { kind }: FaultEvent, fromMs: number): boolean {
  const afterMs = fromMs - fault.openedMs;
  if (afterMs < -CLOCKS_MS || afterMs > SOON_MS) return false;
  return causesOf(kind).has(fault.root.kind) || OF_A_PEER.has(kind);
}

function endedWork({ root, chain, events }: Incident): boolean {
  if (endsWork(root.kind) || chain.some(({ kind }) => ENDED.has(kind))) return true;
  // A node that runs short names the pod that it evicts for it.
  return events.some(({ kind, attributes }) => kind === 'host.pressure' && typeof attributes.pod === 'string');
}

/** What ends a pod ends a rank. */
const ENDED: ReadonlySet<Kind> = new Set<Kind>(['pod.evicted', 'pod.oom_killed', 'pod.removed']);

/** Nothing but the time of its file says when it was: of what came before that. */
function isCause(fault: Incident, { kind, timeMs }: FaultEvent): boolean {
  return fault.openedMs <= timeMs && causesOf(kind).has(fault.root.kind);
}

/** Such as a lost GPU, a killed process, a host that is down: no reaction of programs, and nothing planned. */
function endsWork(kind: Kind): boolean {
  if (/^(?:job|pod|net)\./.test(kind) || hasRole(kind, 'explains')) return false;
  const effects = effectsOf(kind);
  return effects.has('job.rank_crashed') || effects.has('job.rank_killed') || effects.has('job.collective_timeout');
}

/** Each names a job, and they are two. */
function isOfAnotherJob(fault: Incident, victim: Incident): boolean {
  const [own, other] = [fault, victim].map(jobsOf);
  if (own === undefined || other === undefined || own.size === 0 || other.size === 0) return false;
  return [...own].every((job) => !other.has(job)) && [...own, ...other].every((job) => NUMBER.test(job));
}

/** A job that is called by its number is called so by its scheduler; other names are those of logs. */
const NUMBER = /^\d+$/;

function jobsOf({ events }: Incident): ReadonlySet<string> {
  const jobs = events.flatMap(({ component, attributes: { job, memcg } }) => {
    const grouped = typeof memcg === 'string' ? groupPlace(`0::${memcg}`).batch?.job : undefined;
    if (typeof grouped === 'string') return [grouped];
    if (component?.type === 'job') return [component.id];
    if (component?.type === 'rank') return [component.id.slice(0, component.id.lastIndexOf('/'))];
    return typeof job === 'string' && job !== '' ? [job] : [];
  });
  return new Set(jobs.map((job) => job.replace(/^(?:slurm-)?(\d+)(?:[._].*)?$/, '$1')));
}
