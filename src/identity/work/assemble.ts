// assemble: all that sources say of the work on this host → the jobs, with their names, ranks and devices. A function of the
// set of facts and of nothing else, so that the order of news never matters.

import { devicesOfWorks, workPod } from './devices.ts';
import type { Facts, PodFact } from './facts.ts';
import { type Group, join } from './join.ts';
import { logsOf } from './logs.ts';
import { type GroupName, nameGroups } from './name-groups.ts';
import { type GroupRanks, ranksOf } from './ranks.ts';
import { runFoldersOf } from './run-folders.ts';
import { seenOn } from './seen.ts';
import type { Work, WorkView } from './work.ts';

const JOB_NAMES = ['SLURM_JOB_NAME', 'PBS_JOBNAME', 'LSB_JOBNAME'] as const;

interface Known {
  /** By the uid of their control group. */
  readonly pods: ReadonlyMap<string, PodFact>;
  readonly users: ReadonlyMap<number, string>;
}

/** As many jobs as a node may have. */
const MAX_WORKS = 1024;
const MAX_CONFLICTS = 64;

/** `facts`: each list rising by its key. */
export function assemble(facts: Facts): Omit<WorkView, 'version'> {
  const joined = join(facts);
  const seen = seenOn(facts.gpus);
  const named = nameGroups(joined.groups.slice(0, MAX_WORKS), joined.context.batch).map((name) => {
    const found = ranksOf(name.group, new Set([name.id, ...name.aliases]), facts, joined, seen);
    return { ...name, found, ranks: found.ranks };
  });
  const { devices, conflicts } = devicesOfWorks(named, facts, joined);
  const known = { pods: joined.context.pods, users: new Map(facts.users.map(({ id, name }) => [id, name])) };
  const works = named.map(({ found, ...name }) => workOf(name, found, known)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const all = [...joined.conflicts, ...named.flatMap(({ found }) => found.conflicts), ...conflicts];
  return { works, devices, conflicts: all.slice(0, MAX_CONFLICTS) };
}

function workOf({ id, aliases, manager, group }: GroupName, { ranks, worldSize }: GroupRanks, known: Known): Work {
  const { scheduled, pods, processes } = group;
  const attempts = pods.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]));
  const folders = runFoldersOf(processes);
  const starts = pods.flatMap(({ startedMs }) => (startedMs === null ? [] : [startedMs]));
  const pids = new Set(ranks.map(({ pid }) => pid));
  const all = processes.flatMap(({ startedMs }) => startedMs ?? []);
  const ofRanks = processes.flatMap(({ pid, startedMs }) => (pids.has(pid) ? (startedMs ?? []) : []));
  return {
    id,
    aliases,
    manager,
    name:
      scheduled?.name ??
      pods.find(({ owner }) => owner !== null)?.owner?.name ??
      said(group, JOB_NAMES) ??
      processes.find(({ role }) => role !== '')?.role ??
      null,
    user: scheduled?.user ?? first(pods, ({ user }) => user) ?? userOf(group, known.users),
    account: scheduled?.account ?? said(group, ['SLURM_JOB_ACCOUNT']),
    queue: scheduled?.queue ?? first(pods, ({ queue }) => queue) ?? said(group, ['SLURM_JOB_PARTITION']),
    pods: podsOf(group, known.pods),
    ranks,
    worldSize,
    framework: first(processes, ({ framework }) => framework),
    logs: logsOf(group, ranks),
    ...(folders.length === 0 ? {} : { runFolders: folders }),
    step: stepOf(group),
    attempt: scheduled?.restarts ?? (attempts.length === 0 ? null : Math.max(...attempts)),
    startedMs: scheduled?.startedMs ?? earliest(starts) ?? earliest(ofRanks.length > 0 ? ofRanks : all),
    isOver: scheduled?.isOver === true && processes.length === 0 && pods.length === 0,
    knownBy: knownBy(group),
  };
}

function earliest(times: readonly number[]): number | null {
  return times.length === 0 ? null : times.reduce((one, other) => Math.min(one, other));
}

/** In the words of its own processes: of less weight than what its scheduler says. */
function said({ processes }: Group, names: readonly string[]): string | null {
  return first(
    processes,
    ({ variables }) => names.map((name) => variables[name]).find((text) => text !== undefined) ?? null,
  );
}

function podsOf({ pods, processes }: Group, byGroup: Known['pods']): Work['pods'] {
  const rows = pods.flatMap((pod) =>
    pod.containers.length === 0 ? [workPod(pod, null)] : pod.containers.map(({ name }) => workPod(pod, name)),
  );
  // Of a pod that no source knows, or knows no more, there are its processes.
  const known = new Set(pods.flatMap(({ uid, configHash }) => [uid, configHash]));
  const others = new Set(processes.flatMap(({ place: { pod } }) => (pod === null || known.has(pod) ? [] : [pod])));
  const around = [...others].map((uid) => {
    const pod = byGroup.get(uid);
    return pod === undefined ? { namespace: '', name: '', uid, container: null } : workPod(pod, null);
  });
  return [...rows, ...around];
}

/** The one step that all of its processes are in; helpers of the scheduler are in none. */
function stepOf({ processes }: Group): string | null {
  const steps = new Set(processes.flatMap(({ place }) => (place.batch?.step == null ? [] : [place.batch.step])));
  for (const special of ['extern', 'batch']) if (steps.size > 1) steps.delete(special);
  return steps.size === 1 ? ([...steps][0] ?? null) : null;
}

/** Root's processes start those of users. */
function userOf({ processes }: Group, names: Known['users']): string | null {
  const users = processes.map(({ owner }) => owner[0]);
  const user = users.find((each) => each !== 0) ?? users[0];
  return user === undefined ? null : (names.get(user) ?? String(user));
}

function knownBy({ scheduled, pods, processes, named }: Group): string[] {
  const by = new Set<string>();
  if (scheduled !== null) by.add(scheduled.knownBy);
  for (const pod of pods) by.add(pod.knownBy);
  if (processes.some(({ place }) => place.pod !== null || place.container !== null || place.batch !== null))
    by.add('control groups of its processes');
  if (processes.some(({ variables }) => Object.keys(variables).length > 0)) by.add('environment of its processes');
  if (named !== null) by.add(named.knownBy);
  if (by.size === 0) by.add('its processes');
  return [...by];
}

function first<F, V>(facts: readonly F[], of: (fact: F) => V | null): V | null {
  for (const fact of facts) {
    const value = of(fact);
    if (value !== null) return value;
  }
  return null;
}
