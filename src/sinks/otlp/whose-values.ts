// Whose values: the jobs that an event or incident hit, by OpenTelemetry's names where it has some, and by the names of others as aliases.

import type { Component } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import { schedulerId, type Whose } from '../../model/whose.ts';
import { short, type Values } from './values.ts';

/** Each scheduler's own attribute: the conventions have none for batch jobs. */
const JOB_ID: Readonly<Record<string, string>> = {
  slurm: 'slurm.job.id',
  pbs: 'pbs.job.id',
  lsf: 'lsf.job.id',
  flux: 'flux.job.id',
};
const MOST_RANKS = 256;

export function schedulerAttribute(manager: string | null): string | null {
  return manager !== null && Object.hasOwn(JOB_ID, manager) ? (JOB_ID[manager] ?? null) : null;
}

/**
 * What was hit of exactly one job is under the names of the field; `faultline.jobs` names all of them. A pod, container or rank
 * is named alone only where it is the only one.
 */
export function whoseValues(whose: readonly Whose[] = []): Values {
  const [one, ...others] = whose;
  if (one === undefined) return {};
  const named = whose.map(({ job, pods }) => job ?? pods[0]?.name ?? '').filter((name) => name !== '');
  const all: Values = { 'faultline.jobs': named.map((name) => short(name, 128)) };
  return others.length > 0 ? all : { ...all, ...jobValues(one), ...podValues(one), ...rankValues(one) };
}

function jobValues({ job, aliases, manager, name, user, account, queue, attempt }: Whose): Values {
  if (job === null) return {};
  const id = schedulerId(job, aliases, manager) ?? job;
  const own = schedulerAttribute(manager);
  return {
    'faultline.job.id': short(job, 128),
    'faultline.job.manager': manager ?? undefined,
    ...(own === null ? {} : { [own]: short(id, 128) }),
    'gen_ai.training.job_id': short(id, 128),
    'faultline.job.name': name ?? undefined,
    'user.name': user ?? undefined,
    'faultline.job.account': account ?? undefined,
    'faultline.job.queue': queue ?? undefined,
    'faultline.job.attempt': attempt ?? undefined,
  };
}

function podValues({ pods }: Whose): Values {
  const [one, ...others] = pods;
  if (one === undefined) return {};
  if (others.length > 0) return { 'faultline.job.pods': pods.map(({ namespace, name }) => `${namespace}/${name}`) };
  return {
    'k8s.namespace.name': one.namespace === '' ? undefined : one.namespace,
    'k8s.pod.name': one.name === '' ? undefined : one.name,
    'k8s.pod.uid': one.uid === '' ? undefined : one.uid,
    'k8s.container.name': one.container ?? undefined,
  };
}

function rankValues({ ranks }: Whose): Values {
  const [one, ...others] = ranks;
  if (one === undefined) return {};
  if (others.length > 0) return { 'faultline.job.ranks': ranks.slice(0, MOST_RANKS) };
  return { 'job.rank': one, 'gen_ai.training.rank': one };
}

/** By a name that only GPUs of that vendor have. */
const VENDORS: readonly (readonly [string, RegExp])[] = [
  ['amd', /^(?:GPU-[0-9a-f]{16}|amdgpu_xcp_\d+)$/],
  ['nvidia', /^(?:GPU|MIG)-/],
];

/** `gpu.id` and `gpu.vendor`, as others call what is `hw.id` here. */
export function gpuValues(component: Component | null, attributes: Attributes = {}): Values {
  if (component === null) return {};
  const { type, id, aliases = [] } = component;
  if (type !== 'gpu' && type !== 'gpu_instance' && type !== 'nvlink') return {};
  const vendor =
    typeof attributes.xid === 'number'
      ? 'nvidia'
      : VENDORS.find(([, form]) => aliases.some((alias) => form.test(alias)))?.[0];
  return { 'gpu.id': short(id, 128), ...(vendor === undefined ? {} : { 'gpu.vendor': vendor }) };
}

const HINT_OF_REASON: Readonly<Record<string, string>> = {
  FailedMount: 'mount_failure',
  FailedAttachVolume: 'mount_failure',
  BackOff: 'backoff',
  CrashLoopBackOff: 'backoff',
  ImagePullBackOff: 'backoff',
};

/** `k8s.event.hint`, as others sum up what Kubernetes reports; nothing for what is not of Kubernetes. */
export function hintValues(kind: string, { reason }: Attributes = {}): Values {
  const byReason = typeof reason === 'string' && Object.hasOwn(HINT_OF_REASON, reason) ? HINT_OF_REASON[reason] : null;
  const [family, what = ''] = kind.split('.');
  if (kind === 'host.not_ready' || kind === 'host.pressure') return { 'k8s.event.hint': 'node_unhealthy' };
  if (family !== 'pod') return {};
  return { 'k8s.event.hint': byReason ?? (what === 'evicted' ? 'pod_evicted' : what) };
}
