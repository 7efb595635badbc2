// Steers the stand-in NVML: a symlink to it, and next to the link the control file that it obeys (native/fake/README.md).

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedHost } from '../scenario/world.ts';
import { writeAtomically } from './atomic-write.ts';
import { type GpuState, gpuStates } from './gpu-state.ts';

export class FakeDriver {
  /** What the daemon loads. */
  readonly library: string;
  readonly #host: PlannedHost;
  readonly #control: string;
  readonly #random: RandomStream;
  readonly #jitter: number;
  readonly #xids = new Map<number, { serial: number; number: number }>();

  constructor(folder: string, realLibrary: string, host: PlannedHost, random: RandomStream, jitterShare: number) {
    mkdirSync(folder, { recursive: true });
    this.library = join(folder, 'libnvidia-ml.so.1');
    this.#control = join(folder, 'nvml.control');
    this.#host = host;
    this.#random = random;
    this.#jitter = jitterShare;
    this.update([]);
    symlinkSync(realLibrary, this.library);
  }

  /** The driver's event for an XID; shows with the next `update`. */
  raiseXid(gpu: number, number: number): void {
    this.#xids.set(gpu, { serial: (this.#xids.get(gpu)?.serial ?? 0) + 1, number });
  }

  update(changes: readonly PlannedChange[]): void {
    const lines = [`devices ${this.#host.gpus.length}`, `driver ${this.#host.driver}`];
    for (const state of gpuStates(this.#host, changes)) lines.push(...this.#gpuLines(state));
    for (const change of changes) {
      if (change.type !== 'driver_call') continue;
      const key = `call.${change.call}`;
      if (change.error !== undefined) lines.push(`${key}.error ${change.error}`);
      if (change.delay_ms !== undefined) lines.push(`${key}.delay_ms ${change.delay_ms}`);
      if (change.hang === true) lines.push(`${key}.hang 1`);
      if (change.crash === true) lines.push(`${key}.crash 1`);
    }
    writeAtomically(this.#control, `${lines.join('\n')}\n`);
  }

  #gpuLines(state: GpuState): string[] {
    const { gpu } = state;
    const wander = (value: number, share = this.#jitter) => Math.round(jitter(this.#random, value, share));
    const values: Record<string, string | number> = {
      pci: gpu.address,
      uuid: gpu.uuid,
      serial: gpu.serial,
      name: gpu.model,
      minor: gpu.index,
      power_mw: wander(state.powerW * 1000, this.#jitter * 10),
      temperature: wander(state.temperatureC, this.#jitter * 4),
      sm_clock_mhz: state.smClockMhz,
      memory_clock_mhz: gpu.memoryClockMhz,
      power_limit_mw: Math.round(state.limitW * 1000),
      reasons: `0x${state.reasons.toString(16)}`,
      slowdown_c: gpu.slowdownC,
      utilization: 99,
    };
    if (state.error !== 0) values.error = state.error;
    if (state.hang) values.hang = 1;
    const xid = this.#xids.get(gpu.index);
    if (xid !== undefined) values.xid = `${xid.serial} ${xid.number}`;
    return Object.entries(values).map(([key, value]) => `gpu.${gpu.index}.${key} ${value}`);
  }
}
