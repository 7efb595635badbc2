// Place: what of this host an alert is about, by its labels and what identity knows. What is of another host, or says nothing, is null.

import { networkInterfaces } from 'node:os';
import type { Work } from '../../identity/work/work.ts';
import { type Component, canonicalPciAddress } from '../../model/component.ts';

export interface Placing {
  readonly host: string;
  /** Jobs on this host. */
  readonly jobs: () => readonly Work[];
  /** By any name; the same component where nothing is known of it. */
  readonly resolve: (component: Component) => Component | null;
  /** Own addresses, for labels that name them. */
  readonly addresses?: () => readonly string[];
}

const ADDRESSES_MS = 10_000;
/** Those of node_exporter, dcgm-exporter, kube-state-metrics and Slurm exporters. */
const HOST_LABELS = [
  'node',
  'Hostname',
  'hostname',
  'nodename',
  'kubernetes_node',
  'exported_node',
  'host',
  'instance',
];
const GPU_LABELS = ['UUID', 'uuid', 'gpu_uuid', 'pci_bus_id', 'pci_bdf', 'bdf', 'gpu', 'gpu_id', 'minor_number'];
const JOB_LABELS = ['slurm_job_id', 'slurm_job', 'job_id', 'jobid', 'hpc_job'];
const POD_LABELS = ['pod', 'exported_pod', 'pod_name'];

export function placeOf(labels: ReadonlyMap<string, string>, placing: Placing): Component | null {
  const job = jobOf(labels, placing);
  const named = HOST_LABELS.flatMap((label) => labels.get(label) ?? []);
  // One of an exporter that scrapes for others names its own address as the instance: the first label counts.
  const here = named[0] !== undefined && isHere(named[0], placing);
  if (!here) return named.length === 0 || job !== null ? job : null;
  return gpuOf(labels, placing) ?? job ?? { type: 'host', id: placing.host, host: placing.host };
}

function isHere(text: string, { host, addresses = ownAddresses }: Placing): boolean {
  const name = text.replace(/^\[([^\]]*)\](:\d+)?$/, '$1').replace(/^([^:]*):\d+$/, '$1').toLowerCase(); // biome-ignore format: one line
  const own = host.toLowerCase();
  if (name === own || name.split('.')[0] === own || own.split('.')[0] === name) return true;
  return addresses().includes(name);
}

let known = { addresses: [] as readonly string[], atMs: Number.NEGATIVE_INFINITY };

/** Loopback is every host's. The system is asked for each interface: not for every alert of a thousand. */
function ownAddresses(): readonly string[] {
  const nowMs = performance.now();
  if (nowMs - known.atMs >= ADDRESSES_MS) known = { addresses: askAddresses(), atMs: nowMs };
  return known.addresses;
}

function askAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list = []) =>
    list.flatMap(({ address, internal }) => (internal ? [] : [address])),
  );
}

function gpuOf(labels: ReadonlyMap<string, string>, { host, resolve }: Placing): Component | null {
  for (const label of GPU_LABELS) {
    const value = labels.get(label);
    if (value === undefined) continue;
    const address = canonicalPciAddress(value);
    const id = address ?? (/^\d{1,3}$/.test(value) ? `gpu ${value}` : value);
    const found = resolve({ type: 'gpu', id, host });
    if (found !== null && canonicalPciAddress(found.id) !== null) return found;
  }
  return null;
}

function jobOf(labels: ReadonlyMap<string, string>, { host, jobs }: Placing): Component | null {
  const ids = JOB_LABELS.flatMap((label) => labels.get(label) ?? []);
  const pods = POD_LABELS.flatMap((label) => labels.get(label) ?? []);
  if (ids.length + pods.length === 0) return null;
  const namespace = labels.get('namespace') ?? labels.get('exported_namespace') ?? null;
  const job = jobs().find(
    (one) =>
      ids.some((id) => one.id === id || one.aliases.includes(id)) ||
      one.pods.some((pod) => pods.includes(pod.name) && (namespace === null || pod.namespace === namespace)),
  );
  return job === undefined ? null : { type: 'job', id: job.id, host };
}
