// Host off: one that switched itself off for heat has no work left to take off it; it is cooled first, and powered on then.

import type { Incident } from '../../model/incident.ts';
import type { Special } from './special-step.ts';

const BMC = 'ipmitool -I lanplus -H BMC -U USER -f PASSFILE';

/** When the host shut down because of its heat, in Unix milliseconds; null where no line says so. */
export function offForHeatMs({ events, root }: Pick<Incident, 'events' | 'root'>): number | null {
  if (!HEAT.test(root.kind)) return null;
  return events.findLast(({ attributes }) => attributes.shuts_down === true)?.timeMs ?? null;
}
const HEAT = /^(?:host\.(?:overtemp|fan_failure|down)|cooling\.|cpu\.)/;

/** `OFF` is when it shut down. */
export function offForHeat(incident: Incident): Special | null {
  return offForHeatMs(incident) === null ? null : OFF_FOR_HEAT;
}

const OFF_FOR_HEAT: Special = {
  does: 'cool %, which shut itself down for heat, then power it on',
  now: `@ is off since OFF. See fans, filters and coolant, and whether the hosts next to it are warm as well (then it is air or coolant); once that is right, ${BMC} chassis power on, and ${BMC} sdr to see whether it stays cool`,
  call: 'the facility: who runs the cooling of the site',
};
