// Which GPU a rank uses: by the driver's list of processes, else by its local rank and the devices that its environment
// leaves visible; null where that is a guess.

import type { Component } from '../../model/component.ts';
import type { GpuFacts } from '../host-gpus.ts';
import type { DeviceVariables, RankEnvironment } from './environment.ts';

const EVERYTHING: ReadonlySet<string | null> = new Set([null, 'all', 'void']);

/**
 * A rank may leave a context on a second GPU, and pids of another namespace are other processes: where the list and the
 * environment disagree, neither is believed.
 */
export function gpuOfRank(
  rank: RankEnvironment & { readonly pid: number },
  host: Pick<GpuFacts, 'gpus' | 'oneModel' | 'users'>,
): Component | null {
  const { gpus, oneModel, users } = host;
  const configured = gpuByEnvironment(rank, gpus, oneModel);
  const seen = gpus.filter(({ id }) => users.get(id)?.includes(rank.pid) === true);
  if (seen.length === 0) return configured;
  if (configured !== null) return seen.includes(configured) ? configured : null;
  return seen.length === 1 ? (seen[0] ?? null) : null;
}

/**
 * `gpus`: of this host, with UUID and "gpu <index>" among their aliases; driver indices follow PCI addresses. CUDA numbers
 * devices by speed unless set to go by address: with GPUs of one model that is the same, and `oneModel` says so.
 */
export function gpuByEnvironment(
  rank: { readonly localRank: number | null; readonly devices: DeviceVariables },
  gpus: readonly Component[],
  oneModel: boolean,
): Component | null {
  const { cuda, nvidia, byPciAddress, batch } = rank.devices;
  if (rank.localRank === null || gpus.length === 0) return null;
  const byAddress = [...gpus].sort((a, b) => (a.id < b.id ? -1 : 1));
  // In a container only these are there, and CUDA counts from 0 among them.
  const inside = EVERYTHING.has(nvidia) ? byAddress : named(nvidia ?? '', byAddress);
  if (inside === null) return null;
  const present = byAddress.filter((gpu) => inside.includes(gpu));
  if (batch !== null && EVERYTHING.has(nvidia)) return byScheduler(rank.localRank, cuda, batch, gpus);
  if (cuda === null) return byPciAddress || oneModel ? (present[rank.localRank] ?? null) : null;
  const listed = cuda.split(',').map((part) => part.trim());
  // A launcher that gives each rank one device leaves LOCAL_RANK as it is.
  const mine = listed.length === 1 ? listed[0] : listed[rank.localRank];
  if (mine === undefined) return null;
  if (/^\d{1,4}$/.test(mine)) return byPciAddress || oneModel ? (present[Number(mine)] ?? null) : null;
  return byUuid(mine, present);
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
