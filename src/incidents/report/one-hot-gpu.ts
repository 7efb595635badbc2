// One hot GPU: what to do about a GPU that is too warm, by how warm the others of its host are, where the same report has that.

import type { Incident } from '../../model/incident.ts';
import { HANDS, HOST } from './kind-step.ts';
import type { Special } from './special-step.ts';

/** The air of one host is not so uneven. */
const APART_CEL = 12;

const COMPARE: Special = {
  does: 'check the cooling of %',
  now: 'compare % with the other GPUs of @ (NVIDIA: nvidia-smi --query-gpu=pci.bus_id,temperature.gpu,clocks.sm --format=csv): where it alone is hot, see its heat sink, paste, dust and slot; where all are, fans, filters, coolant and the air that comes in; take work off @ while it gets hotter',
  call: HOST,
};

/** Of an incident whose root is one GPU and its heat. */
export function oneHotGpu({ root, events }: Pick<Incident, 'root' | 'events'>): Special {
  const { temperature, hottest_other: hottest, other_gpus: count } = events.find(({ id }) => id === root.eventId)?.attributes ?? {}; // biome-ignore format: one event
  if (typeof temperature !== 'number' || typeof hottest !== 'number' || typeof count !== 'number') return COMPARE;
  const others = count === 1 ? 'the other GPU of @ is' : `the other ${count} GPUs of @ are`;
  if (temperature - hottest >= APART_CEL)
    return {
      does: 'check heat sink, paste, dust and slot of %: it alone is hot',
      now: `${others} at ${hottest} °C at most; take work off % while it gets hotter, and have its heat sink, paste and slot looked at once nothing runs there`,
      call: HANDS,
    };
  return {
    does: 'check fans, filters and air of @: its GPUs are hot together',
    now: `${others} at up to ${hottest} °C: see the fans (sudo ipmitool sdr type 'Fan'), filters, coolant and the air that comes in; take work off @ while it gets hotter`,
    call: HOST,
  };
}
