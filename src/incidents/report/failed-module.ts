// Failed module: a machine check with which the kernel gave a page of memory up is about a module, which the records of the errors name.

import type { Incident } from '../../model/incident.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const FIND: Special = {
  does: 'find the memory module of @ that failed, and replace it',
  now: 'DRAIN; SAVEsee which DIMM it is: on @, sudo ras-mc-ctl --errors; sudo ipmitool sel elist; where neither names one, the memory test of its vendor does',
  call: HANDS,
};

export function failedModule({ root, events }: Incident): Special | null {
  return root.kind === 'cpu.machine_check' && events.some(({ kind }) => kind === 'memory.ue') ? FIND : null;
}
