// Whose now: which jobs have each device, process and name of a job, by one view of the work.

import type { Component } from '../../model/component.ts';
import { safeText } from '../../model/safe-text.ts';
import { type Whose, type WhosePod, withDevices } from '../../model/whose.ts';
import type { DeviceUse, Work, WorkPod, WorkView } from '../work/work.ts';

export interface WhoseOf {
  readonly whose: readonly Whose[];
  /** The same text for the same jobs, cheap to make and to compare. */
  readonly text: string;
}

/** Component text → the jobs that it works for. */
export type WhoseNow = ReadonlyMap<string, WhoseOf>;

/** What every job of the host is found under: `host`. */
export const HOST_KEY = 'host';
const LONGEST = 128;
const MOST_ALIASES = 8;

/** Devices, `process/<pid>`, `pod/<uid>`, `job/<id>` of each of its names, and `rank/<id>/<n>`; all of the host under `HOST_KEY`. */
export function whoseNow({ works, devices }: Pick<WorkView, 'works' | 'devices'>): WhoseNow {
  const now = new Map<string, { whose: Whose[]; text: string }>();
  const add = (key: string, one: Whose, text: string): void => {
    const known = now.get(key);
    if (known === undefined) now.set(key, { whose: [one], text });
    else {
      known.whose.push(one);
      known.text += `\n${text}`;
    }
  };
  const used = Map.groupBy(devices, ({ work }) => work);
  const wholes = new Map(works.map((work) => [work.id, wholeOf(work, used.get(work.id) ?? [])]));
  for (const { device, work, ranks, pod } of devices) {
    const whole = wholes.get(work ?? '') ?? UNKNOWN;
    const pods = pod === null ? [] : [podOf(pod)];
    add(
      device,
      { ...whole.whose, ranks, pods, devices: [device], by: 'device' },
      `${whole.text} ${ranks.join()} ${JSON.stringify(pods)}`,
    );
  }
  for (const work of works) {
    const { whose, text } = wholes.get(work.id) ?? UNKNOWN;
    if (work.isOver !== true) add(HOST_KEY, { ...whose, by: 'host' }, text);
    const names = [work.id, ...work.aliases];
    for (const name of names) add(`job/${name}`, whose, text);
    for (const pod of work.pods) add(`pod/${pod.uid}`, { ...whose, pods: [podOf(pod)] }, text);
    for (const { rank, pid, pod } of work.ranks) {
      const { devices: _ofAll, ...job } = whose;
      const ofRank = used.get(work.id)?.filter(({ ranks }) => ranks.includes(rank)) ?? [];
      const one: Whose = { ...job, ranks: [rank], pods: podsOf(work, pod), ...withDevices(namesOf(ofRank)) };
      const own = `${text} ${rank} ${pod ?? ''} ${one.devices?.join() ?? ''}`;
      for (const name of names) add(`rank/${name}/${rank}`, one, own);
      if (pid !== null) add(`process/${pid}`, { ...one, by: 'process' }, own);
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

/** Of GPUs: which cards it could use says little of a job. */
function namesOf(uses: readonly DeviceUse[]): string[] {
  return [...new Set(uses.map(({ device }) => device))].filter((device) => device.startsWith('gpu')).sort();
}

function ofWork(work: Work, uses: readonly DeviceUse[]): Whose {
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
    ...withDevices(namesOf(uses)),
    by: 'job',
  };
}

function wholeOf(work: Work, uses: readonly DeviceUse[]): { readonly whose: Whose; readonly text: string } {
  const whose = ofWork(work, uses);
  return { whose, text: JSON.stringify(whose) };
}

/** A pod or process without a known job. */
const UNKNOWN: { readonly whose: Whose; readonly text: string } = {
  whose: {
    job: null,
    aliases: [],
    manager: null,
    name: null,
    user: null,
    account: null,
    queue: null,
    attempt: null,
    pods: [],
    ranks: [],
    by: 'device',
  },
  text: '',
};

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
