// A change with its devices resolved, so that playing it cannot fail.

import { didYouMean } from '../../helpers/did-you-mean.ts';
import { canonicalPciAddress, parseComponent } from '../../model/component.ts';
import { isKind } from '../../model/kind.ts';
import type { GpuSelector } from './changes/gpu-readings.ts';
import type { NicSelector } from './changes/network.ts';
import { NIC_COUNTERS } from './changes/nic-counters.ts';
import { CHANGE_NAMES, type Change } from './changes.ts';
import type { Finding, Path } from './validate.ts';
import type { PlannedWorld } from './world.ts';

type Resolved<V> = V extends { readonly gpu: unknown }
  ? Omit<V, 'gpu'> & { readonly gpus: readonly number[] }
  : V extends { readonly nic: unknown }
    ? Omit<V, 'nic'> & { readonly nics: readonly number[] }
    : V;

/** Every change with its name as `type`; GPUs and network cards as indexes. */
export type PlannedChange = {
  [K in keyof Change]-?: { readonly type: K } & Resolved<NonNullable<Change[K]>>;
}[keyof Change];

export interface PlannedStep {
  readonly id: string | null;
  /** From the moment the daemon is ready, which is when the timeline begins. */
  readonly atMs: number;
  /** The change ends by itself after this long; null: it stays. */
  readonly forMs: number | null;
  readonly change: PlannedChange;
  /** The watched host that it happens on; left out: the first one, or all for what no host has. */
  readonly host?: string;
}

/** Null, with a finding, when the change names something that the world lacks. */
export function planChange(step: Change, world: PlannedWorld, path: Path, findings: Finding[]): PlannedChange | null {
  const type = CHANGE_NAMES.find((name) => step[name] !== undefined);
  const value: object | undefined = type === undefined ? undefined : step[type];
  if (type === undefined || value === undefined) return null;
  const problems = [
    ...checkNames(type, value, world),
    ...checkBmc(type, value, world),
    ...checkEvent(step.event),
    ...checkEvent(step.sel),
    ...checkParts(type, value, world),
  ];
  if ('nic' in value) {
    const { nic, ...rest } = value;
    const nics = selectNics(nic as NicSelector, world); // the schema lets only selectors through
    const known = world.host.nics.map(({ name }) => name).join(', ') || 'none; world.hosts[].nics has them';
    if (nics === null) problems.push(['nic', `${world.host.name} has no network card ${String(nic)}. Known: ${known}`]);
    for (const [key, text] of problems) findings.push({ code: 'FL5108', path: [...path, type, key], text });
    return problems.length > 0 ? null : ({ type, ...rest, nics } as unknown as PlannedChange); // Resolved, by construction
  }
  if ('gpu' in value && type !== 'process') {
    const { gpu, ...rest } = value;
    const gpus = selectGpus(gpu as GpuSelector, world); // the schema lets only selectors through
    if (gpus === null) problems.push(['gpu', `${world.host.name} has no GPU ${String(gpu)}`]);
    else if (world.host.gpuVendor === 'amd' && type !== 'gpu_missing')
      problems.push(['gpu', `of AMD's GPUs no source reads this; write kernel_line, or gpu_missing with bus: false`]);
    for (const [key, text] of problems) findings.push({ code: 'FL5108', path: [...path, type, key], text });
    return problems.length > 0 ? null : ({ type, ...rest, gpus } as unknown as PlannedChange); // Resolved, by construction
  }
  for (const [key, text] of problems) findings.push({ code: 'FL5108', path: [...path, type, key], text });
  return problems.length > 0 ? null : ({ type, ...value } as PlannedChange); // name and value belong together
}

function checkNames(type: string, value: object, world: PlannedWorld): [string, string][] {
  const problems: [string, string][] = [];
  if ('pdu' in value) {
    const pdu = world.pdus.find((candidate) => candidate.name === value.pdu);
    const known = world.pdus.map((candidate) => candidate.name).join(', ') || 'none';
    if (pdu === undefined) problems.push(['pdu', `no PDU ${value.pdu} in world.pdus. Known: ${known}`]);
    else if ('phase' in value && Number(value.phase) > pdu.phases) {
      problems.push(['phase', `${pdu.name} has ${pdu.phases} phases, no phase ${value.phase}`]);
    }
  }
  if ('job' in value && !world.jobs.some((job) => job.id === value.job)) {
    const known = world.jobs.map((job) => job.id).join(', ') || 'none';
    problems.push(['job', `no job ${value.job} in world.jobs. Known: ${known}`]);
  }
  const list = type === 'requests' ? 'traced' : 'services';
  if ('service' in value && !world[list].some(({ name }) => name === value.service)) {
    const known = world[list].map(({ name }) => name).join(', ') || 'none';
    problems.push(['service', `no service ${value.service} in world.${list}. Known: ${known}`]);
  }
  if ('package' in value && value.package !== 'all' && Number(value.package) >= world.host.packages.length) {
    problems.push([
      'package',
      `${world.host.name} has ${world.host.packages.length} CPU packages, no ${value.package}`,
    ]);
  }
  return problems;
}

function checkEvent(event: Change['event'] | Change['sel']): [string, string][] {
  if (event === undefined) return [];
  const problems: [string, string][] = [];
  if (event.kind !== undefined && !isKind(event.kind))
    problems.push(['kind', `${event.kind} is not an event kind; docs/reference/kinds.md lists them`]);
  if (event.component === undefined || event.component === 'unknown') return problems;
  if (parseComponent(event.component) === null)
    problems.push(['component', `${event.component} is not a component; write type/id, for example nic/0000:1b:00.0`]);
  return problems;
}

const ON_BMC: readonly string[] = [
  'psu_input_lost',
  'psu_failed',
  'fan_failed',
  'host_power_limit',
  'inlet_temperature',
  'bmc_silent',
  'psu_removed',
  'host_health',
  'sel',
] satisfies readonly (keyof Change)[];

function checkBmc(type: string, value: object, { host }: PlannedWorld): [string, string][] {
  if (!ON_BMC.includes(type)) return [];
  const [key = ''] = Object.keys(value);
  if (host.bmc === null) return [[key, `${host.name} has no bmc in world.hosts`]];
  const parts: [string, string[], number][] = [
    ['supply', ['supply', 'supplies'], host.bmc.supplies],
    ['fan', ['fan', 'fans'], host.bmc.fans],
  ];
  return parts.flatMap(([name, [one, many], count]): [string, string][] => {
    const number = name in value ? Number((value as Record<string, unknown>)[name]) : 0; // it has that key
    return number > count ? [[name, `${host.name} has ${count} ${count === 1 ? one : many}, no ${one} ${number}`]] : [];
  });
}

/** What a counter, a link or a branch is asked for that the world lacks. */
function checkParts(type: string, value: object, { pdus, host, jobs }: PlannedWorld): [string, string][] {
  const problems: [string, string][] = [];
  if (type === 'rank_end' && 'job' in value && 'rank' in value) {
    const ranks = jobs.find((job) => job.id === value.job)?.ranks ?? [];
    if (!ranks.includes(Number(value.rank)))
      problems.push(['rank', `of ${value.job} no rank ${value.rank} runs here. Known: ${ranks.join(', ') || 'none'}`]);
  }
  if (type === 'nic_counter' && 'counter' in value && !NIC_COUNTERS.has(String(value.counter))) {
    const near = didYouMean(String(value.counter), [...NIC_COUNTERS.keys()]);
    const hint = near === null ? `Known: ${[...NIC_COUNTERS.keys()].join(', ')}` : `Did you mean ${near}`;
    problems.push(['counter', `no counter ${String(value.counter)} is read. ${hint}`]);
  }
  if (type === 'gpu_nvlink' && 'link' in value) {
    const most = Math.max(0, ...host.gpus.map(({ nvlinks }) => nvlinks));
    if (Number(value.link) >= most)
      problems.push([
        'link',
        `GPUs of ${host.name} have ${most} NVLinks, no link ${String(value.link)}; world.hosts[].gpus.nvlinks has them`,
      ]);
  }
  if (
    type === 'part_missing' &&
    'part' in value &&
    value.part === 'disk' &&
    'number' in value &&
    Number(value.number) > 2
  )
    problems.push(['number', `${host.name} has 2 disks, no disk ${String(value.number)}`]);
  const pdu = 'pdu' in value ? pdus.find(({ name }) => name === value.pdu) : undefined;
  for (const [key, count] of [
    ['outlet', pdu?.outlets],
    ['branch', pdu?.branches],
  ] as const) {
    if (pdu === undefined || count === undefined || !(key in value)) continue;
    const number = Number((value as Record<string, unknown>)[key]); // it has that key
    if (number > count) problems.push([key, `${pdu.name} has ${count} of them, no ${key} ${number}`]);
  }
  return problems;
}

/** Null when one of them is not there. */
function selectNics(selector: NicSelector, { host }: PlannedWorld): number[] | null {
  if (selector === 'all') return host.nics.map(({ index }) => index);
  const found: number[] = [];
  for (const one of Array.isArray(selector) ? selector : [selector]) {
    const address = typeof one === 'string' ? canonicalPciAddress(one) : null;
    const nic = host.nics.find(({ index, name, address: own }) => index === one || name === one || own === address);
    if (nic === undefined) return null;
    found.push(nic.index);
  }
  return found;
}

/** Null when one of them is not there. */
function selectGpus(selector: GpuSelector, world: PlannedWorld): number[] | null {
  const gpus = world.host.gpus;
  if (selector === 'all') return gpus.map((gpu) => gpu.index);
  const found: number[] = [];
  for (const one of Array.isArray(selector) ? selector : [selector]) {
    const address = typeof one === 'string' ? canonicalPciAddress(one) : null;
    const gpu = gpus.find((candidate) => candidate.index === one || candidate.address === address);
    if (gpu === undefined) return null;
    found.push(gpu.index);
  }
  return found;
}
