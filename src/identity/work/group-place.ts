// Where a process belongs by its control groups: pod, container, job of a scheduler. One table of forms, each matched on whole
// parts of the path: from inside a container paths are relative, and what is above a part differs between hosts.

import type { BatchManager, BatchPlace, GroupPlace } from './facts.ts';

export const NO_PLACE: GroupPlace = { pod: null, container: null, runtime: null, batch: null };

const HEX = '[0-9a-f]{64}';
const SLUID = '[sS][0-9A-HJKMNP-TV-Z]{13}';
const STEP = '(?:/step_([^/]+))?(?:/(?:user|slurm))?(?:/task_(\\d{1,7}))?';
/** Ends with the part, or with what containerd's mismatched driver puts behind it. */
const END = '(?=[/:]|$)';

/** Helpers that run next to a container and are not work. */
const MONITORS = /(?:^|\/)(?:crio|libpod)-conmon-/;

/** The outermost pod: below it may be a cluster of its own (kind). */
const POD = new RegExp(`(?:/|-)pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32})(?:\\.slice)?${END}`); // biome-ignore format: one pattern

/** A user's own manager of units hands its groups to the user. */
const OF_USER = /\/user@/;

/** Forms of containers; `id` is the first group. Of all that match the innermost counts, by where it ends. */
const CONTAINERS: readonly { readonly runtime: string | null; readonly pattern: RegExp }[] = [
  { runtime: 'containerd', pattern: new RegExp(`[/:]cri-containerd[-:](${HEX})(?:\\.scope)?${END}`, 'g') },
  { runtime: 'cri-o', pattern: new RegExp(`/crio-(${HEX})(?:\\.scope)?${END}`, 'g') },
  { runtime: 'docker', pattern: new RegExp(`/docker(?:-|/)(${HEX})(?:\\.scope)?${END}`, 'g') },
  { runtime: 'podman', pattern: new RegExp(`/libpod-(${HEX})(?:\\.scope)?${END}`, 'g') },
  { runtime: 'nerdctl', pattern: new RegExp(`/nerdctl-(${HEX})(?:\\.scope)?${END}`, 'g') },
  { runtime: 'lxc', pattern: /\/lxc(?:\/|\.payload[./])([\w.-]{1,128})(?=\/|$)/g },
  // The kubelet's own driver writes the bare id below the pod, and others below a name of their own.
  { runtime: null, pattern: new RegExp(`/(${HEX})${END}`, 'g') },
];

interface BatchForm {
  readonly manager: BatchManager;
  readonly pattern: RegExp;
  /** Which groups of the pattern are job, SLUID, step, task. */
  readonly job: number;
  readonly sluid?: number;
  readonly step?: number;
  readonly task?: number;
}

/** From the root, or from above what we see of it, by slices of the manager of units alone: none of them is a user's to make groups in. */
const SLICES = '(?:/(?!user[.-])[^/]{1,255}\\.slice){0,16}';
const OF_ROOT = `^(?:/\\.\\.){0,64}${SLICES}`;
/** Slurm's daemon in a container of a pod. */
const IN_POD = `(?:(?:/kubepods(?:/[a-z]{1,32})?/pod[0-9a-f-]{32,36}|(?<=pod[0-9a-f_]{32,36}\\.slice))/(?:(?:cri-containerd|crio|docker)-)?${HEX}(?:\\.scope)?(?:/container)?${SLICES})?`; // biome-ignore format: one pattern
/** Version 2: several daemons on one node put the node's name before the scope. Version 1: by user. */
const SCOPE = '/(?:[\\w.-]{1,255}_)?slurmstepd\\.scope';
const BY_USER = '/slurm(?:_[^/]+)?/uid_\\d+';
/** What only Slurm makes and freezes, without what a job may have made below. */
const SLURM_OWN = new RegExp(
  `${OF_ROOT}(?:${SCOPE}/(?:job_\\d{1,10}|${SLUID})|${BY_USER}/job_\\d{1,10})${STEP}(?=/|$)`,
);

const BATCH: readonly BatchForm[] = [
  { manager: 'slurm', pattern: new RegExp(`${OF_ROOT}${IN_POD}${SCOPE}/(?:job_(\\d{1,10})|(${SLUID}))${STEP}(?=/|$)`), job: 1, sluid: 2, step: 3, task: 4 }, // biome-ignore format: one row a form
  { manager: 'slurm', pattern: new RegExp(`${OF_ROOT}${IN_POD}${BY_USER}/job_(\\d{1,10})${STEP}(?=/|$)`), job: 1, step: 2, task: 3 }, // biome-ignore format: one row a form
  // As seen from inside of another group of the same scope.
  { manager: 'slurm', pattern: new RegExp(`^(?:/\\.\\.){1,64}/(?:job_(\\d{1,10})|(${SLUID}))/step_([^/]+)(?:/(?:user|slurm))?(?:/task_(\\d{1,7}))?(?=/|$)`), job: 1, sluid: 2, step: 3, task: 4 }, // biome-ignore format: one row a form
  { manager: 'pbs', pattern: /\/(?:pbs_jobs|pbspro)\.service\/jobs?(?:id)?\/([^/\s]{1,128})(?=\/|$)/, job: 1 },
  { manager: 'lsf', pattern: /\/lsf\/[^/]+\/job\.(\d{1,10}(?:\[\d{1,7}\])?)(?:\.[^/]*)?(?=\/|$)/, job: 1 },
  // Only with its own service of units: (imp-)shell-<rank of the node>-<job>, in the plain form of the id.
  { manager: 'flux', pattern: /\/(?:imp-)?shell-\d+-(ƒ?[0-9A-Za-z]{1,16})\.(?:service|scope)(?=\/|$)/, job: 1 },
];

/** Below these users make groups of any name; Flux alone has its jobs there. */
const OF_USERS = /\/(?:user\.slice|user-[^/]*\.slice|user@[^/]*|docker[-/.]|libpod[-_]|nerdctl-|lxc[/.])/;

/** Texts of which every form has one: a process whose groups have none is of no pod, container or job. */
export const GROUP_MARKS = ['pod', 'job', 'slurmstepd.scope', 'docker', 'crio', 'containerd', 'nerdctl', '/lxc', '/lsf/', 'shell-'] as const; // biome-ignore format: one line

/** `text`: of /proc/<pid>/cgroup. The longest path that says something counts; what it leaves open the others may say. */
export function groupPlace(text: string): GroupPlace {
  const paths = text.split('\n').flatMap((line) => /^\d+:[^:]*:(\/.*)$/.exec(line)?.[1] ?? []);
  let place = NO_PLACE;
  for (const path of [...new Set(paths)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))) {
    const { pod, container, runtime, batch } = placeOf(path);
    place = {
      pod: place.pod ?? pod,
      ...(place.container === null ? { container, runtime } : { container: place.container, runtime: place.runtime }),
      batch: place.batch ?? batch,
    };
  }
  return place;
}

/** The part of a group's path that is of Slurm's job, step and task, which no user may freeze; null where it is in none. */
export function slurmGroup(path: string): string | null {
  return SLURM_OWN.exec(path)?.[0] ?? null;
}

function placeOf(path: string): GroupPlace {
  if (MONITORS.test(path)) return NO_PLACE;
  const found = POD.exec(path);
  const pod = found === null || OF_USER.test(path.slice(0, found.index)) ? null : (found[1] ?? '').replaceAll('_', '-');
  const inner = innermost(path);
  return { pod, container: inner?.id ?? null, runtime: inner?.runtime ?? null, batch: batchOf(path) };
}

function innermost(path: string): { readonly id: string; readonly runtime: string | null } | null {
  let found: { id: string; runtime: string | null; at: number } | null = null;
  for (const { runtime, pattern } of CONTAINERS) {
    for (const match of path.matchAll(pattern)) {
      const id = match[1] ?? '';
      const at = match.index + match[0].indexOf(id);
      if (found === null || at > found.at) found = { id, runtime, at };
    }
  }
  return found;
}

function batchOf(path: string): BatchPlace | null {
  for (const { manager, pattern, job, sluid, step, task } of BATCH) {
    const match = pattern.exec(path);
    if (match === null || (manager !== 'flux' && OF_USERS.test(path.slice(0, match.index + 1)))) continue;
    const group = (index: number | undefined): string | null => (index === undefined ? null : (match[index] ?? null));
    const number = group(task);
    return {
      manager,
      job: group(job),
      sluid: group(sluid),
      step: group(step),
      task: number === null ? null : Number(number),
    };
  }
  return null;
}
