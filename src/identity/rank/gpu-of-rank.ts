// Which GPU a rank uses: by the driver's list of processes, else by its local rank and the devices that its environment
// leaves visible; null where that is a guess.

import type { Component } from '../../model/component.ts';
import type { GpuFacts } from '../host-gpus.ts';
import type { RankEnvironment } from './environment.ts';

const EVERYTHING: ReadonlySet<string | null> = new Set([null, 'all', 'void']);

/**
 * A rank may leave a context on a second GPU, and pids of another namespace are other processes: where the list and the
 * environment disagree, neither is believed.
 */
export function gpuOfRank(rank: RankEnvironment & { readonly pid: number }, host: GpuFacts): Component | null {
  const { gpus, oneModel, users } = host;
  const configured = byEnvironment(rank, gpus, oneModel);
  const seen = gpus.filter(({ id }) => users.get(id)?.includes(rank.pid) === true);
  if (seen.length === 0) return configured;
  if (configured !== null) return seen.includes(configured) ? configured : null;
  return seen.length === 1 ? (seen[0] ?? null) : null;
}

/**
 * `gpus`: of this host, with UUID and "gpu <index>" among their aliases; driver indices follow PCI addresses. CUDA numbers
 * devices by speed unless set to go by address: with GPUs of one model that is the same, and `oneModel` says so.
 */
function byEnvironment(rank: RankEnvironment, gpus: readonly Component[], oneModel: boolean): Component | null {
  const { cuda, nvidia, byPciAddress } = rank.devices;
  if (rank.localRank === null || gpus.length === 0) return null;
  const byAddress = [...gpus].sort((a, b) => (a.id < b.id ? -1 : 1));
  // In a container only these are there, and CUDA counts from 0 among them.
  const inside = EVERYTHING.has(nvidia) ? byAddress : named(nvidia ?? '', byAddress);
  if (inside === null) return null;
  const present = byAddress.filter((gpu) => inside.includes(gpu));
  if (cuda === null) return byPciAddress || oneModel ? (present[rank.localRank] ?? null) : null;
  const listed = cuda.split(',').map((part) => part.trim());
  // A launcher that gives each rank one device leaves LOCAL_RANK as it is.
  const mine = listed.length === 1 ? listed[0] : listed[rank.localRank];
  if (mine === undefined) return null;
  if (/^\d{1,4}$/.test(mine)) return byPciAddress || oneModel ? (present[Number(mine)] ?? null) : null;
  return byUuid(mine, present);
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
