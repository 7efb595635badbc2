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

const BATCH: readonly BatchForm[] = [
  // Version 2; several daemons on one node put the node's name before the scope.
  { manager: 'slurm', pattern: new RegExp(`/(?:[\\w.-]+_)?slurmstepd\\.scope/(?:job_(\\d{1,10})|(${SLUID}))${STEP}(?=/|$)`), job: 1, sluid: 2, step: 3, task: 4 }, // biome-ignore format: one row a form
  { manager: 'slurm', pattern: new RegExp(`/slurm(?:_[^/]+)?/uid_\\d+/job_(\\d{1,10})${STEP}(?=/|$)`), job: 1, step: 2, task: 3 }, // biome-ignore format: one row a form
  // As seen from inside of another group of the same scope.
  { manager: 'slurm', pattern: new RegExp(`/(?:job_(\\d{1,10})|(${SLUID}))/step_([^/]+)(?:/(?:user|slurm))?(?:/task_(\\d{1,7}))?(?=/|$)`), job: 1, sluid: 2, step: 3, task: 4 }, // biome-ignore format: one row a form
  { manager: 'pbs', pattern: /\/(?:pbs_jobs|pbspro)\.service\/jobs?(?:id)?\/([^/\s]{1,128})(?=\/|$)/, job: 1 },
  { manager: 'lsf', pattern: /\/lsf\/[^/]+\/job\.(\d{1,10}(?:\[\d{1,7}\])?)(?:\.[^/]*)?(?=\/|$)/, job: 1 },
  // Only with its own service of units: (imp-)shell-<rank of the node>-<job>, in the plain form of the id.
  { manager: 'flux', pattern: /\/(?:imp-)?shell-\d+-(ƒ?[0-9A-Za-z]{1,16})\.(?:service|scope)(?=\/|$)/, job: 1 },
];

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

function placeOf(path: string): GroupPlace {
  if (MONITORS.test(path)) return NO_PLACE;
  const pod = POD.exec(path)?.[1]?.replaceAll('_', '-') ?? null;
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
    if (match === null) continue;
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
