// Work labels: for whom a device, rank or job works, in the few labels that each of its series carries.

import type { DeviceUse, Work, WorkPod, WorkView } from '../../identity/work/work.ts';
import { schedulerId } from '../../model/whose.ts';

/** Only what is so for all that share the device; null for the rest. Never a pid or the id of a container. */
export interface WorkLabels {
  readonly pod: string | null;
  readonly namespace: string | null;
  readonly container: string | null;
  /** The scheduler's id of the job, else its name. */
  readonly hpcJob: string | null;
  /** slurm, pbs, … where `hpcJob` is the id of a scheduler. */
  readonly manager: string | null;
  /** Of a series of one rank. */
  readonly rank: number | null;
}

const LONGEST = 128;

/** Component text → its labels; what works for no job, or for several that have nothing in common, is not in it. */
export function workLabels({ works, devices }: Pick<WorkView, 'works' | 'devices'>): Map<string, WorkLabels> {
  const labels = new Map<string, WorkLabels>();
  const add = (key: string, all: readonly WorkLabels[]): void => {
    const common = commonOf(all);
    if (common !== null) labels.set(key, common);
  };
  const byId = new Map(works.map((work) => [work.id, work]));
  for (const [device, uses] of Map.groupBy(devices, (use) => use.device))
    add(
      device,
      uses.map(({ work, pod }) => labelsOf(byId.get(work ?? ''), pod)),
    );
  for (const work of works) {
    const pods = work.pods.length === 0 ? [null] : work.pods;
    for (const name of [work.id, ...work.aliases]) {
      add(
        `job/${name}`,
        pods.map((pod) => labelsOf(work, pod)),
      );
      for (const { rank, pod } of work.ranks) {
        const own = work.pods.filter((each) => pod !== null && isNamed(each, pod));
        const places = own.length === 0 ? [null] : own;
        add(
          `rank/${name}/${rank}`,
          places.map((place) => ({ ...labelsOf(work, place), rank })),
        );
      }
    }
  }
  return labels;
}

/** The component that another one is part of, and works with; itself for most. */
export function workingPart(component: string): readonly string[] {
  const [type, id = ''] = [component.slice(0, component.indexOf('/')), component.slice(component.indexOf('/') + 1)];
  if (type === 'nvlink') return [`gpu/${id.slice(0, Math.max(id.lastIndexOf('/'), 0))}`];
  return type === 'pcie' ? [`gpu/${id}`, `nic/${id}`] : [component];
}

export function labelsOf(work: Work | undefined, pod: WorkPod | null): WorkLabels {
  // Kubernetes' own jobs are named by their pods, as every other exporter does.
  const ofJob = work === undefined || work.manager === 'kubernetes' ? null : schedulerId(work.id, work.aliases, work.manager); // biome-ignore format: one line
  return {
    pod: shortOrNull(pod?.name),
    namespace: shortOrNull(pod?.namespace),
    container: shortOrNull(pod?.container),
    hpcJob: shortOrNull(ofJob),
    manager: ofJob === null ? null : (work?.manager ?? null),
    rank: null,
  };
}

export function shortOrNull(text: string | null | undefined): string | null {
  if (text === null || text === undefined || text === '') return null;
  return (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text).toWellFormed();
}

function isNamed({ uid, name, namespace }: WorkPod, given: string): boolean {
  return given === uid || given === name || given === `${namespace}/${name}`;
}

function commonOf(all: readonly WorkLabels[]): WorkLabels | null {
  const [first, ...others] = all;
  if (first === undefined) return null;
  const same = <K extends keyof WorkLabels>(name: K): WorkLabels[K] | null =>
    others.every((other) => other[name] === first[name]) ? first[name] : null;
  const [namespace, hpcJob] = [same('namespace'), same('hpcJob')];
  // A pod's name alone says nothing without its namespace, nor a container's without its pod.
  const pod = namespace === null ? null : same('pod');
  const container = pod === null ? null : same('container');
  const manager = hpcJob === null ? null : same('manager');
  const common: WorkLabels = { pod, namespace, container, hpcJob, manager, rank: same('rank') };
  return Object.values(common).every((value) => value === null) ? null : common;
}

/** What a device is of all that has it. */
export function shareOf({ sharedBy }: DeviceUse): number {
  return 1 / Math.max(sharedBy, 1);
}
