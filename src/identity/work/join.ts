// join: which facts are one job. A name alone never joins two; a process that is in both does, and the log that it writes.

import { BatchNames } from './batch-names.ts';
import { type Claim, type ClaimContext, calledKey, claimOf, isRank, podJob } from './claims.ts';
import { containerJobs } from './container-jobs.ts';
import type { Facts, PodFact, ProcessFact, ScheduledJobFact } from './facts.ts';
import { podsByGroup, podsWithUids } from './pods-by-group.ts';
import type { WorkConflict } from './work.ts';

/** The facts of one job, before it has a name. */
export interface Group {
  readonly key: string;
  readonly processes: ProcessFact[];
  readonly pods: PodFact[];
  readonly scheduled: ScheduledJobFact | null;
  /** What the configuration calls it, and what says so. */
  readonly named: { readonly job: string; readonly knownBy: string } | null;
}

export interface Joined {
  readonly groups: readonly Group[];
  readonly ofPid: ReadonlyMap<number, Group>;
  readonly context: ClaimContext;
  readonly conflicts: readonly WorkConflict[];
}

/** All lists rise by key: whatever is decided by what comes first is decided the same each time. */
export function join(facts: Facts): Joined {
  const conflicts: WorkConflict[] = [];
  const pods = podsWithUids(facts);
  const batch = new BatchNames(facts);
  const byPid = new Map(facts.processes.map((process) => [process.pid, process]));
  const holdsGpu = new Set([...facts.gpus.users.values()].flat().filter((pid) => byPid.has(pid)));
  const containers = containerJobs(facts, batch);
  const context = { batch, processes: byPid, pods: podsByGroup(pods), holdsGpu, containers };
  const claims = new Map(facts.processes.map((process) => [process.pid, claimOf(process, context, conflicts)]));
  const named = namedGroups(facts, claims, byPid, conflicts);

  const groups = new Map<string, Group>();
  const group = (key: string): Group => {
    const known = groups.get(key);
    if (known !== undefined) return known;
    const name = named.names.get(key) ?? null;
    const scheduled = key.startsWith('batch/') ? (batch.facts.get(key.slice('batch/'.length)) ?? null) : null;
    const found = { key, processes: [], pods: [], scheduled, named: name };
    groups.set(key, found);
    return found;
  };
  const ofPid = new Map<number, Group>();
  for (const process of facts.processes) {
    const claim = claims.get(process.pid);
    if (claim === undefined) continue;
    const found = group(named.moved.get(claim.key) ?? claim.key);
    found.processes.push(process);
    ofPid.set(process.pid, found);
  }
  for (const { manager, id } of facts.scheduled) group(`batch/${manager}/${id}`);
  for (const pod of pods) {
    const key = podJob(pod, batch);
    if (hasDevices(pod) || groups.has(key)) group(key).pods.push(pod);
  }
  const isWork = ({ key, processes, pods, scheduled, named: name }: Group): boolean =>
    scheduled !== null ||
    name !== null ||
    pods.some(hasDevices) ||
    (key.startsWith('batch/') && processes.some(({ place }) => place.batch !== null)) ||
    processes.some((process) => isRank(process) || holdsGpu.has(process.pid));
  const works = [...groups.values()].filter(isWork).sort((a, b) => (a.key < b.key ? -1 : 1));
  return { groups: works, ofPid, context, conflicts };
}

const hasDevices = ({ containers }: PodFact): boolean => containers.some(({ devices }) => devices.length > 0);

interface NamedGroups {
  /** Key → name of the configuration. */
  readonly names: ReadonlyMap<string, { readonly job: string; readonly knownBy: string }>;
  /** Key → the key that it is joined to. */
  readonly moved: ReadonlyMap<string, string>;
}

/** One log that two jobs of a scheduler write, or one job with two logs of two names: neither name is taken. */
function namedGroups(
  { named }: Facts,
  claims: ReadonlyMap<number, Claim>,
  processes: ReadonlyMap<number, ProcessFact>,
  conflicts: WorkConflict[],
): NamedGroups {
  const here = named.flatMap((fact) => {
    const [claim, process] = [claims.get(fact.pid), processes.get(fact.pid)];
    return claim === undefined || process === undefined ? [] : [{ ...fact, claim, user: process.owner[0] }];
  });
  const namesOf = Map.groupBy(here, ({ claim }) => claim.key);
  const names = new Map<string, { job: string; knownBy: string }>();
  const moved = new Map<string, string>();
  for (const [key, facts] of namesOf) {
    const all = [...new Set(facts.map(({ job }) => job))].sort();
    if (all.length > 1)
      conflicts.push({ about: calledKey(key), reason: `its processes belong to ${all.join(' and ')}` });
  }
  const single = here.filter(({ claim }) => new Set(namesOf.get(claim.key)?.map(({ job }) => job)).size === 1);
  for (const [job, facts] of Map.groupBy(single, (fact) => fact.job)) {
    const strong = [...new Set(facts.filter(({ claim }) => claim.strong).map(({ claim }) => claim.key))].sort();
    const users = new Set(facts.map(({ user }) => user));
    if (strong.length > 1 || users.size > 1) {
      const who =
        strong.length > 1
          ? strong.map(calledKey).join(' and ')
          : `users ${[...users].sort((a, b) => a - b).join(' and ')}`;
      conflicts.push({
        about: `job ${job}`,
        reason: `${who} are under this name of the configuration: they stay apart`,
      });
      continue;
    }
    const [first] = facts;
    if (first === undefined) continue;
    const target = strong[0] ?? [...facts].map(({ claim }) => claim.key).sort()[0] ?? '';
    names.set(target, { job, knownBy: first.knownBy });
    for (const { claim } of facts) if (claim.key !== target) moved.set(claim.key, target);
  }
  return { names, moved };
}
