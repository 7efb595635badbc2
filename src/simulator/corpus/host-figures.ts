// The host of an accuracy run: processors, memory, pressure and file systems, through the real system source.

import type { StatsFs } from 'node:fs';
import type { HostRound, NativeHostFigures } from '../../native.ts';
import { SystemSource } from '../../sources/system/system-source.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import { Counters } from './served/counters.ts';
import { type Actor, inForce, poll, type Stage } from './stage.ts';

const SHM = '/dev/shm';
const ROOT = '/';
const USUAL_USED: Readonly<Record<string, number>> = { [ROOT]: 0.35, [SHM]: 0.05 };
/** Share of CPU time in use from which hardly a CPU is idle, and the pressure that a kernel then reports. */
const NONE_IDLE = 0.95;
const WAITING = 0.7;
const USUAL = { utilization: 0.35, iowait: 0.01, steal: 0, load: 64, blocked: 0, used: 0.45 };
/** Of 128 processors, 100 a second each. */
const TICKS_PER_SECOND = 12_800;
const MEMORY_KIB = 2 * 1024 ** 3;
const SIZE = { blockBytes: 4096, blocks: 256 * 1024 ** 2, inodes: 64 * 1024 ** 2 };
/** What of this the source reads: a scenario that speaks of none of it is not read. */
const READ: readonly PlannedChange['type'][] = ['filesystem', 'pressure', 'cpu_load', 'host_memory'];
const PRESSURES = ['cpu some', 'cpu full', 'memory some', 'memory full', 'io some', 'io full'] as const;

export class HostFigures implements Actor {
  readonly #stage: Stage;
  readonly #isRead: boolean;
  readonly #counters = new Counters();
  #look: () => Promise<void> = async () => undefined;

  constructor(stage: Stage) {
    const { world, steps } = stage.plan;
    this.#stage = stage;
    this.#isRead =
      Object.keys(world.host.filesystems).length > 0 || steps.some(({ change }) => READ.includes(change.type));
  }

  start(): void {
    if (!this.#isRead) return;
    this.changed();
    this.restart(false);
    poll(this.#stage, 'system', this.#stage.plan.world.pollMs.system, () => this.#look());
  }

  restart(rebooted: boolean): void {
    if (!this.#isRead) return;
    if (rebooted) this.#counters.reset();
    const { world, settings } = this.#stage.plan;
    const filesystems = [ROOT, ...settings.filesystems];
    const figures: NativeHostFigures = {
      read: (done) => {
        done(this.#round());
        return true;
      },
    };
    const source = new SystemSource(
      { enabled: 'on', intervalMs: world.pollMs.system, filesystems, shm: SHM },
      {
        host: world.host.name,
        roots: { proc: '/proc', sys: '/sys' },
        filesystems,
        stateDirectory: null,
        inventory: null,
        figures,
        statfs: async (path) => this.#statfs(path),
        now: () => this.#stage.now(),
      },
    );
    this.#look = source.driven(this.#stage.emit);
  }

  changed(): void {
    if (!this.#isRead) return;
    const { inForce: changes } = this.#stage;
    const load = Object.assign({}, USUAL, ...inForce(changes, 'cpu_load'));
    const rates = new Map<string, number>([
      ['steal', load.steal * TICKS_PER_SECOND],
      ['iowait', load.iowait * TICKS_PER_SECOND],
      ['user', load.utilization * TICKS_PER_SECOND],
      ['idle', Math.max(0, 1 - load.utilization - load.iowait) * TICKS_PER_SECOND],
    ]);
    // Stolen time is a part of what is not idle.
    rates.set('user', Math.max(0, load.utilization - load.steal) * TICKS_PER_SECOND);
    // Where no CPU is idle some task waits for one.
    if (load.utilization >= NONE_IDLE) rates.set('cpu some', WAITING * 1e6);
    for (const { resource, some = 0, full = 0 } of inForce(changes, 'pressure')) {
      rates.set(`${resource} some`, Math.max(some, full) * 1e6);
      rates.set(`${resource} full`, full * 1e6);
    }
    this.#counters.setRates(rates, this.#stage.now());
  }

  #round(): HostRound {
    const { inForce: changes } = this.#stage;
    const nowMs = this.#stage.now();
    const load = Object.assign({}, USUAL, ...inForce(changes, 'cpu_load'));
    const used = inForce(changes, 'host_memory').at(-1)?.used ?? USUAL.used;
    const count = (name: string): number => Math.floor(this.#counters.value(name, nowMs));
    const ticks = [count('user'), 0, 0, count('idle'), count('iowait'), 0, 0, count('steal')];
    const memory = [MEMORY_KIB, MEMORY_KIB * (1 - used), MEMORY_KIB / 100, 0, 0];
    const numbers = [
      ...ticks,
      load.blocked,
      Math.floor(nowMs / 1000) - 86_400,
      load.load,
      ...memory,
      ...PRESSURES.map(count),
    ];
    return {
      numbers: Float64Array.from(numbers),
      disks: null,
      interfaces: null,
      interfaceDevices: [],
      bootId: '',
      failed: [],
      errors: new Float64Array(),
      hanging: [],
    };
  }

  #statfs(path: string): StatsFs {
    const changes = inForce(this.#stage.inForce, 'filesystem').filter((change) => change.path === path);
    const usual = this.#stage.plan.world.host.filesystems[path] ?? USUAL_USED[path] ?? 0.3;
    const used = changes.findLast((change) => change.used !== undefined)?.used ?? usual;
    const inodes = changes.findLast((change) => change.inodes !== undefined)?.inodes ?? 0.02;
    const free = Math.round(SIZE.blocks * (1 - used));
    const { blockBytes: bsize, blocks } = SIZE;
    const ffree = Math.round(SIZE.inodes * (1 - inodes));
    return { type: 0, bsize, blocks, bfree: free, bavail: free, files: SIZE.inodes, ffree } as StatsFs; // what the source reads of it
  }
}
