// Which GPUs a rank uses: by the driver's list of processes, else by its environment, else by what its container was given.

import type { GpuFacts } from '../host-gpus.ts';
import { devicesOf } from '../rank/environment.ts';
import { gpuByEnvironment, isWithin } from '../rank/gpu-of-rank.ts';
import { deviceGiven } from './device-names.ts';
import type { PodContainer, ProcessFact } from './facts.ts';

export interface RankOnHost {
  readonly process: ProcessFact;
  readonly rank: number;
  readonly localRank: number | null;
  readonly container: PodContainer | null;
  /** Rank → the processes that carry its number. */
  readonly pids: ReadonlyMap<number, readonly number[]>;
  readonly seen: ReadonlyMap<number, readonly string[]>;
  /** The scheduler gave its job no GPU: those of the host are not counted out to it. */
  readonly isGivenNone: boolean;
}

export function gpusOfRank(rank: RankOnHost, host: GpuFacts): readonly string[] {
  const { process, localRank, pids, seen, container, isGivenNone } = rank;
  const on = (numbers: readonly number[]) => [...new Set(numbers.flatMap((pid) => seen.get(pid) ?? []))].sort();
  const mine = on(pids.get(rank.rank) ?? []);
  const given = [...new Set(container?.devices.flatMap((each) => deviceGiven(each, host)?.device ?? []) ?? [])].sort();
  const instances = given.filter((device) => device.startsWith('gpu_instance/')).map(idOf);
  // The driver lists a process on the whole GPU, of which it has one instance.
  const [instance] = instances;
  if (instances.length === 1 && instance !== undefined) return [instance];
  const whole = given.filter((device) => device.startsWith('gpu/')).map(idOf);
  const devices = devicesOf(process.readable ? process.variables : { ...container?.variables, ...process.variables });
  const isGuess = isGivenNone && devices.cuda === null;
  const configured = isGuess ? undefined : gpuByEnvironment({ localRank, devices }, host, [...whole, ...instances])?.id;
  if (mine.length > 0) {
    // Pids of another namespace are other processes: where the list and the environment disagree, neither is believed.
    if (configured !== undefined) {
      const within = mine.filter((gpu) => isWithin(gpu, configured));
      if (within.length > 0) return within;
      return mine.some((gpu) => isWithin(configured, gpu)) ? [configured] : [];
    }
    const others = [...pids].filter(([other]) => other !== rank.rank).map(([, each]) => on(each));
    const alone = mine.filter((gpu) => !others.some((each) => each.includes(gpu)));
    if (alone.length > 0) return alone;
    // Others leave a context on a GPU that is not theirs: it is of whoever has no other.
    return mine.length === 1 && others.every((each) => !each.includes(mine[0] ?? '') || each.length > 1) ? mine : [];
  }
  if (configured !== undefined) return [configured];
  return whole.length === 1 ? whole : [];
}

const idOf = (device: string): string => device.slice(device.indexOf('/') + 1);
