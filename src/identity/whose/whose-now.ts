// Whose now: which jobs have each device, process and name of a job, by one view of the work.

import type { Component } from '../../model/component.ts';
import { safeText } from '../../model/safe-text.ts';
import type { Whose, WhosePod } from '../../model/whose.ts';
import type { DeviceUse, Work, WorkPod, WorkView } from '../work/work.ts';

/** Component text → the jobs that it works for. */
export type WhoseNow = ReadonlyMap<string, readonly Whose[]>;

/** What every job of the host is found under: `host`. */
export const HOST_KEY = 'host';
const LONGEST = 128;
const MOST_ALIASES = 8;

/** Devices, `process/<pid>`, `job/<id>` of each of its names, and `rank/<id>/<n>`; all of the host under `HOST_KEY`. */
export function whoseNow({ works, devices }: Pick<WorkView, 'works' | 'devices'>): WhoseNow {
  const now = new Map<string, Whose[]>();
  const add = (key: string, one: Whose): void => {
    const known = now.get(key);
    if (known === undefined) now.set(key, [one]);
    else known.push(one);
  };
  const byId = new Map(works.map((work) => [work.id, work]));
  for (const use of devices) add(use.device, ofDevice(use, byId.get(use.work ?? '')));
  for (const work of works) {
    const whole = ofWork(work);
    add(HOST_KEY, { ...whole, by: 'host' });
    for (const name of [work.id, ...work.aliases]) add(`job/${name}`, whole);
    for (const { rank, pid, pod } of work.ranks) {
      const one: Whose = { ...whole, ranks: [rank], pods: podsOf(work, pod) };
      for (const name of [work.id, ...work.aliases]) add(`rank/${name}/${rank}`, one);
      if (pid !== null) add(`process/${pid}`, { ...one, by: 'process' });
    }
  }
  return now;
}

/** What is part of a GPU, or on its way to it, works for whom the GPU works; other parts of a host for all that is on it. */
export function whoseKeys({ type, id }: Component): readonly string[] {
  switch (type) {
    case 'gpu':
      return [`gpu/${id}`, `gpu_instance/${id}/*`];
    case 'gpu_instance':
      return [`gpu_instance/${id}`];
    case 'nvlink':
      return [`gpu/${id.slice(0, Math.max(id.lastIndexOf('/'), 0))}`];
    case 'pcie':
      return [`gpu/${id}`, `nic/${id}`];
    case 'nic':
    case 'process':
    case 'job':
    case 'rank':
      return [`${type}/${id}`];
    case 'host':
    case 'psu':
    case 'fan':
    case 'cpu':
    case 'dimm':
    case 'disk':
    case 'nvswitch':
      return [HOST_KEY];
    default:
      return [];
  }
}

function ofWork(work: Work): Whose {
  return {
    job: short(work.id),
    aliases: work.aliases.slice(0, MOST_ALIASES).map(short),
    manager: short(work.manager),
    name: shortOrNull(work.name),
    user: shortOrNull(work.user),
    account: shortOrNull(work.account),
    queue: shortOrNull(work.queue),
    attempt: work.attempt,
    pods: work.pods.map(podOf),
    ranks: work.ranks.map(({ rank }) => rank),
    by: 'job',
  };
}

function ofDevice({ ranks, pod }: DeviceUse, work: Work | undefined): Whose {
  const pods = pod === null ? [] : [podOf(pod)];
  if (work !== undefined) return { ...ofWork(work), ranks, pods, by: 'device' };
  const unknown = { job: null, aliases: [], manager: null, name: null, user: null, account: null, queue: null };
  return { ...unknown, attempt: null, ranks, pods, by: 'device' };
}

/** `pod`: how a rank names its own, by uid or by name. */
function podsOf(work: Work, pod: string | null): WhosePod[] {
  if (pod === null) return [];
  return work.pods.filter(({ uid, name, namespace }) => [uid, name, `${namespace}/${name}`].includes(pod)).map(podOf);
}

function podOf({ namespace, name, uid, container }: WorkPod): WhosePod {
  return { namespace: short(namespace), name: short(name), uid: short(uid), container: shortOrNull(container) };
}

function short(text: string): string {
  return safeText((text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text).toWellFormed());
}

function shortOrNull(text: string | null): string | null {
  return text === null ? null : short(text);
}
