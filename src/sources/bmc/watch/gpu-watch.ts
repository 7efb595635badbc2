// What a BMC knows of the time that its GPUs were slowed down: it counts on while their driver is stuck or not there. No I/O.

import { type Component, componentText } from '../../../model/component.ts';
import type { EventInput } from '../../../model/record.ts';
import type { Asked, BmcGpu } from '../decode/parts.ts';
import { bmcEvent, type Edges } from './bmc-event.ts';

/** Of the time between two readings: below, it is a moment at a change of load. */
const SHARE = 0.1;

type Timed = BmcGpu & Asked;
const COUNTED = [
  { field: 'thermalThrottle', kind: 'gpu.thermal_throttle', what: 'by heat' },
  { field: 'hardwareThrottle', kind: 'gpu.hw_slowdown', what: 'by the hardware' },
] as const;

/** By its UUID, as the driver names it; by the BMC's own name where it has none. */
export function gpuComponent(host: string, { id, uuid }: BmcGpu): Component {
  return { type: 'gpu', id: uuid === null ? `${host}/${id}` : `GPU-${uuid}`, host };
}

export class GpuWatch {
  readonly #host: string;
  readonly #edges: Edges;
  readonly #last = new Map<string, Timed>();

  constructor(host: string, edges: Edges) {
    this.#host = host;
    this.#edges = edges;
  }

  observe(gpus: readonly Timed[], observedMs: number): EventInput[] {
    return gpus.flatMap((gpu) => {
      const before = this.#last.get(gpu.id);
      this.#last.set(gpu.id, gpu);
      return before === undefined ? [] : COUNTED.flatMap((counted) => this.#counted(gpu, before, counted, observedMs));
    });
  }

  #counted(
    gpu: Timed,
    before: Timed,
    { field, kind, what }: (typeof COUNTED)[number],
    observedMs: number,
  ): EventInput[] {
    const [was, is] = [before[field], gpu[field]];
    const seconds = (gpu.timeMs - before.timeMs) / 1000;
    // A count that fell was begun again: what was counted before says nothing of this time.
    if (was === null || is === null || is < was || seconds <= 0) return [];
    const share = (is - was) / seconds;
    const bad = share >= SHARE ? true : share === 0 ? false : null;
    const change = this.#edges.step(`${kind} ${gpu.id}`, bad, gpu);
    if (change === null) return [];
    const component = gpuComponent(this.#host, gpu);
    const reasons = gpu.reasons.length === 0 ? '' : `; it gives ${gpu.reasons.join(', ')}`;
    const text = `${componentText(component)}: slowed down ${what} for ${(is - was).toFixed(1)} s of ${seconds.toFixed(0)} s${reasons}`;
    const attributes = { gpu: gpu.id, share: Math.round(share * 1000) / 1000, reasons: gpu.reasons.join(' ') || null };
    return [bmcEvent({ kind, component, change, observedMs, text, attributes })];
  }
}
