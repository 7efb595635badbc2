// Again: what comes and goes at one place, with pauses of minutes, such as a link that flaps, is one incident with its count.

import { type Component, componentText } from '../../../model/component.ts';
import type { Incident } from '../../../model/incident.ts';
import type { Kind } from '../../../model/kind.ts';
import { type Group, isRooted, rootOf } from './groups.ts';

/** Far longer than a link stays up that is broken, and shorter than one that was seen to. */
const PAUSE_MS = 1_800_000;
/** A disk that fails stays bad until it is swapped: what it does again on the same day is the same fault. */
const DAY_MS = 86_400_000;
const STAYS_BAD: ReadonlySet<Kind> = new Set<Kind>(['storage.io_error']);
/** A disk of which a BMC foretold that it fails does so within weeks. */
const FORETOLD_MS = 60 * DAY_MS;
const FORETOLD = /^Predictive Failure\b/i;

/** Faults that come and go by themselves; a port that flaps is called down or flapping by how often it did so. */
const COMES_AND_GOES: Readonly<Partial<Record<Kind, string>>> = {
  'nic.port_down': 'link',
  'nic.link_flap': 'link',
  'psu.input_lost': 'input',
  'power.source_transfer': 'source',
  'storage.stall': 'stall',
  'storage.io_error': 'disk',
  'host.fan_failure': 'fan',
  'cooling.inlet_overtemp': 'inlet',
  'host.overtemp': 'heat',
  'cpu.thermal_throttle': 'cpu heat',
  'gpu.thermal_throttle': 'gpu heat',
  // For a reason that its lines say, such as a directory of users that does not answer.
  'host.degraded': 'degraded',
};
/** What a GPU does again and again to one process, until it is ended: one process of one GPU, however often. */
const OF_A_PROCESS: ReadonlySet<Kind> = new Set<Kind>([
  'gpu.ctx_switch_timeout', 'gpu.fifo_error', 'gpu.gsp_timeout', 'gpu.fault', 'gpu.app_fault',
]); // biome-ignore format: one list

/** Groups of incidents of one place, each led by its first. */
export function ofOnePlaceAgain(incidents: readonly Incident[]): Group[] {
  const places = Map.groupBy(incidents.filter(isRooted), keyOf);
  places.delete('');
  return [...places.values()].flatMap((all) => {
    const groups: { lead: Incident; others: Incident[]; endMs: number }[] = [];
    for (const one of [...all].sort((a, b) => a.openedMs - b.openedMs)) {
      const last = groups.at(-1);
      const endMs = Math.max(one.updatedMs, one.resolvedMs ?? 0, ...one.events.map(({ timeMs }) => timeMs));
      if (last !== undefined && one.openedMs - last.endMs <= pauseOf(last.lead)) {
        last.others.push(one);
        last.endMs = Math.max(last.endMs, endMs);
      } else groups.push({ lead: one, others: [], endMs });
    }
    return groups.filter(({ others }) => others.length > 0);
  });
}

function pauseOf(lead: Incident): number {
  if (!STAYS_BAD.has(lead.root.kind)) return PAUSE_MS;
  const event = rootOf(lead)?.attributes.event;
  return typeof event === 'string' && FORETOLD.test(event) ? FORETOLD_MS : DAY_MS;
}

/** Empty where it is of no such kind, or of no one place. */
function keyOf(incident: Incident): string {
  const { root, host } = incident;
  const { kind, component } = root;
  const { planned, server, pid, device, sensor, reason } = rootOf(incident)?.attributes ?? {};
  const form = OF_A_PROCESS.has(kind) && typeof pid === 'number' ? `${kind} ${pid}` : COMES_AND_GOES[kind];
  if (form === undefined || component === null) return '';
  if (kind === 'host.degraded')
    return typeof reason === 'string' ? `${form} ${component.host ?? host} ${nameOf(component)} ${reason}` : '';
  return planned === undefined
    ? `${form} ${component.host ?? host} ${nameOf(component)} ${server ?? ''} ${kind === 'storage.io_error' && component.type !== 'disk' ? String(device ?? sensor ?? '') : ''}`
    : '';
}

function nameOf(component: Component): string {
  return componentText(component);
}
