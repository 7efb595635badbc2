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
  if (offForHeatMs(incident) === null) return null;
  const cpu = onlyCpu(incident);
  return cpu === null ? OFF_FOR_HEAT : offForCpu(cpu);
}

/** The processor that every sensor of it is of; null where there is another, or the air is too warm. */
function onlyCpu({ events }: Pick<Incident, 'events'>): string | null {
  const hot = events.filter(({ kind }) => HEAT.test(kind));
  const named = new Set(hot.map(({ attributes: { sensor } }) => CPU.exec(String(sensor ?? ''))?.[1] ?? ''));
  const [cpu = ''] = named;
  return named.size === 1 && cpu !== '' ? `CPU ${cpu}` : null;
}
const CPU = /\b(?:CPU|[Pp]roc(?:essor)?) ?#?(?:0x)?(\d{1,2})\b/;

/** One of one host: its own heat sink or fan before the air of the site. */
function offForCpu(cpu: string): Special {
  return {
    does: `see heat sink and fans of ${cpu} of %, which shut itself down for heat, then power it on`,
    now: `@ is off since OFF. Have heat sink, paste and fans of ${cpu} looked at; where the hosts next to it are warm as well it is the air or the coolant; then ${BMC} chassis power on, and ${BMC} sdr to see whether it stays cool`,
    call: 'who may touch the hardware of @, then the facility: who runs the cooling of the site',
  };
}

const OFF_FOR_HEAT: Special = {
  does: 'cool %, which shut itself down for heat, then power it on',
  now: `@ is off since OFF. See fans, filters and coolant, and whether the hosts next to it are warm as well (then it is air or coolant); once that is right, ${BMC} chassis power on, and ${BMC} sdr to see whether it stays cool`,
  call: 'the facility: who runs the cooling of the site',
};
