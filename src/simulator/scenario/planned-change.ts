// A change with its devices resolved, so that playing it cannot fail.

import { canonicalPciAddress, parseComponent } from '../../model/component.ts';
import { isKind } from '../../model/kind.ts';
import { CHANGE_NAMES, type Change, type GpuSelector } from './changes.ts';
import type { Finding, Path } from './validate.ts';
import type { PlannedWorld } from './world.ts';

type Resolved<V> = V extends { readonly gpu: unknown } ? Omit<V, 'gpu'> & { readonly gpus: readonly number[] } : V;

/** Every change with its name as `type`; GPUs as indexes. */
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
}

/** Null, with a finding, when the change names something that the world lacks. */
export function planChange(step: Change, world: PlannedWorld, path: Path, findings: Finding[]): PlannedChange | null {
  const type = CHANGE_NAMES.find((name) => step[name] !== undefined);
  const value: object | undefined = type === undefined ? undefined : step[type];
  if (type === undefined || value === undefined) return null;
  const problems = [...checkNames(value, world), ...checkBmc(type, value, world), ...checkEvent(step.event)];
  if ('gpu' in value) {
    const { gpu, ...rest } = value;
    const gpus = selectGpus(gpu as GpuSelector, world); // the schema lets only selectors through
    if (gpus === null) problems.push(['gpu', `${world.host.name} has no GPU ${String(gpu)}`]);
    for (const [key, text] of problems) findings.push({ code: 'FL5108', path: [...path, type, key], text });
    return problems.length > 0 ? null : ({ type, ...rest, gpus } as unknown as PlannedChange); // Resolved, by construction
  }
  for (const [key, text] of problems) findings.push({ code: 'FL5108', path: [...path, type, key], text });
  return problems.length > 0 ? null : ({ type, ...value } as PlannedChange); // name and value belong together
}

function checkNames(value: object, world: PlannedWorld): [string, string][] {
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
  if ('service' in value && !world.services.some(({ name }) => name === value.service)) {
    const known = world.services.map(({ name }) => name).join(', ') || 'none';
    problems.push(['service', `no service ${value.service} in world.services. Known: ${known}`]);
  }
  if ('package' in value && value.package !== 'all' && Number(value.package) >= world.host.packages.length) {
    problems.push([
      'package',
      `${world.host.name} has ${world.host.packages.length} CPU packages, no ${value.package}`,
    ]);
  }
  return problems;
}

function checkEvent(event: Change['event']): [string, string][] {
  if (event === undefined) return [];
  const problems: [string, string][] = [];
  if (!isKind(event.kind))
    problems.push(['kind', `${event.kind} is not an event kind; docs/reference/kinds.md lists them`]);
  if (event.component !== 'unknown' && parseComponent(event.component) === null)
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
