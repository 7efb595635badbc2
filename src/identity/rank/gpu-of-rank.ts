// Which GPU a rank uses: by the driver's list of processes, else by its local rank and the devices that its environment
// leaves visible; null where that is a guess.

import type { Component } from '../../model/component.ts';
import type { GpuFacts } from '../host-gpus.ts';
import { migInstance } from '../mig-names.ts';
import type { DeviceVariables, RankEnvironment } from './environment.ts';
import { kernelGpuOf } from './kernel-gpu-of-rank.ts';

const EVERYTHING: ReadonlySet<string | null> = new Set([null, 'all', 'void']);

/**
 * A rank may leave a context on a second GPU, and pids of another namespace are other processes: where the list and the
 * environment disagree, neither is believed.
 */
export function gpuOfRank(rank: RankEnvironment & { readonly pid: number }, host: GpuFacts): Component | null {
  const { gpus, instances, kernel, users } = host;
  const configured = gpuByEnvironment(rank, host);
  const parts = [
    ...instances.map(({ component }) => component),
    ...kernel.flatMap((each) => [each.component, ...each.parts]),
  ];
  const seen = [...gpus, ...parts].filter(({ id }) => users.get(id)?.includes(rank.pid) === true);
  if (seen.length === 0) return configured;
  if (configured !== null) {
    const within = seen.filter((each) => isWithin(each.id, configured.id));
    return within.length === 1
      ? (within[0] ?? null)
      : seen.some((each) => isWithin(configured.id, each.id))
        ? configured
        : null;
  }
  return seen.length === 1 ? (seen[0] ?? null) : null;
}

/** A GPU is within itself, and its instance is within it. */
export function isWithin(id: string, whole: string): boolean {
  return id === whole || id.startsWith(`${whole}/`);
}

/**
 * GPUs of this host have UUID and "gpu <index>" among their aliases; driver indices follow PCI addresses. CUDA numbers devices by
 * speed unless set to go by address: with GPUs of one model that is the same, and `oneModel` says so. `given`: ids of the GPUs of
 * AMD and Intel that its container was given.
 */
export function gpuByEnvironment(
  rank: { readonly localRank: number | null; readonly devices: DeviceVariables },
  host: Pick<GpuFacts, 'gpus' | 'oneModel' | 'instances' | 'kernel'>,
  given: readonly string[] = [],
): Component | null {
  const { gpus, oneModel } = host;
  const { cuda, nvidia, byPciAddress, batch } = rank.devices;
  if (gpus.length === 0) return kernelGpuOf(rank, host.kernel, given);
  const instance = instanceOf(rank, host);
  if (instance !== undefined) return instance;
  if (rank.localRank === null) return null;
  const byAddress = [...gpus].sort((a, b) => (a.id < b.id ? -1 : 1));
  // In a container only these are there, and CUDA counts from 0 among them.
  const inside = EVERYTHING.has(nvidia) ? byAddress : named(nvidia ?? '', byAddress);
  if (inside === null) return null;
  const present = byAddress.filter((gpu) => inside.includes(gpu));
  if (batch !== null && EVERYTHING.has(nvidia)) return byScheduler(rank.localRank, cuda, batch, gpus);
  // Of split GPUs CUDA shows one instance, and only where there is no whole one: a number says nothing then.
  const isSplit = host.instances.some(({ component }) => present.some(({ id }) => isWithin(component.id, id)));
  const isCounted = (byPciAddress || oneModel) && !isSplit;
  if (cuda === null) return isCounted ? (present[rank.localRank] ?? null) : null;
  const listed = cuda.split(',').map((part) => part.trim());
  // A launcher that gives each rank one device leaves LOCAL_RANK as it is.
  const mine = listed.length === 1 ? listed[0] : listed[rank.localRank];
  if (mine === undefined) return null;
  if (/^\d{1,4}$/.test(mine)) return isCounted ? (present[Number(mine)] ?? null) : null;
  return byUuid(mine, present);
}

/** CUDA shows a process one instance only. Undefined where no list has an instance, null where it is not one that is known here. */
function instanceOf(
  { localRank, devices: { cuda, nvidia } }: { readonly localRank: number | null; readonly devices: DeviceVariables },
  host: Pick<GpuFacts, 'gpus' | 'instances'>,
): Component | null | undefined {
  for (const list of [cuda, nvidia]) {
    const listed = list?.split(',').map((part) => part.trim()) ?? [];
    if (!listed.some((each) => /^MIG-/i.test(each))) continue;
    // A launcher gives each rank the whole list, or one of it.
    const mine = listed.length === 1 ? listed[0] : list === cuda && localRank !== null ? listed[localRank] : undefined;
    return (mine === undefined ? undefined : migInstance(mine, host)) ?? null;
  }
  return undefined;
}

/**
 * A scheduler's list counts over the host. Where it shuts the others out, CUDA counts from 0 among these, else over the host as
 * well: where both are possible and differ, neither is taken.
 */
function byScheduler(
  localRank: number,
  cuda: string | null,
  batch: string,
  gpus: readonly Component[],
): Component | null {
  const given = named(batch, gpus);
  if (given === null) return null;
  if (given.length === 1) return given[0] ?? null;
  const listed = cuda?.split(',').map((part) => part.trim()) ?? [];
  const mine = cuda === null ? String(localRank) : listed.length === 1 ? listed[0] : listed[localRank];
  if (mine === undefined) return null;
  if (!/^\d{1,4}$/.test(mine)) return byUuid(mine, gpus);
  const inside = given[Number(mine)];
  const over = cuda === null ? undefined : given.find(({ aliases }) => aliases?.includes(`gpu ${mine}`));
  return inside !== undefined && over !== undefined && inside !== over ? null : (inside ?? over ?? null);
}

/** The devices of a list of indices or UUIDs; null when one of them is not known here. */
function named(list: string, gpus: readonly Component[]): readonly Component[] | null {
  const found: Component[] = [];
  for (const part of list.split(',').map((each) => each.trim())) {
    const gpu = gpus.find(({ aliases }) => aliases?.includes(`gpu ${part}`)) ?? byUuid(part, gpus);
    if (gpu === null) return null;
    found.push(gpu);
  }
  return found;
}

/** CUDA takes the beginning of a UUID as long as it is the only one. */
function byUuid(text: string, gpus: readonly Component[]): Component | null {
  if (!/^GPU-[0-9a-f-]{4,36}$/i.test(text)) return null;
  const found = gpus.filter(({ aliases }) => aliases?.some((alias) => alias.startsWith(text)));
  return found.length === 1 ? (found[0] ?? null) : null;
}
