// Failed module: a memory error that names no module, or a machine check with which the kernel gave a page of memory up, is about a module, which the records of the errors name.

import { nameText } from '../../model/component-name.ts';
import type { Incident } from '../../model/incident.ts';
import { exactPart } from './exact-part.ts';
import { HANDS } from './kind-step.ts';
import type { Special } from './special-step.ts';

const FIND: Special = {
  does: 'find the memory module of @ that failed, and replace it',
  now: 'DRAIN; SAVEsee which DIMM it is: on @, sudo ras-mc-ctl --errors; sudo ipmitool sel elist; where neither names one, the memory test of its vendor does',
  call: HANDS,
};

export function failedModule(incident: Incident): Special | null {
  const {
    root,
    events,
    action: { target },
  } = incident;
  if (root.kind === 'memory.ue' && target?.type === 'host') {
    const part = exactPart(incident);
    return part === null ? FIND : replaced(`${part} of @`);
  }
  const errors = events.filter(({ kind }) => kind === 'memory.ue');
  if (root.kind !== 'cpu.machine_check' || errors.length === 0) return null;
  const [name, ...others] = new Set(
    errors.flatMap(({ component }) => (component?.type === 'dimm' ? [nameText(component)] : [])),
  );
  if (name === undefined || others.length > 0) return FIND;
  return replaced(name);
}

function replaced(name: string): Special {
  return {
    does: `replace ${name}`,
    now: `DRAIN; then open a case for ${name} with FILE`,
    call: `the support of the vendor of ${name}`,
  };
}
