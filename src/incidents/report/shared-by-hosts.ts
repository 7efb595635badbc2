// Shared by hosts: what several hosts had at once, or what came again and again, said behind the name of the first; and what they share, which is to
// be looked at before any of them.

import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { Kind } from '../../model/kind.ts';
import { isOfSwitch, isPortDown } from '../../model/switch-side.ts';
import { logOfHost } from '../../model/unnamed-host.ts';
import { hostOf, listOf } from './host-list.ts';
import { FACILITY } from './kind-step.ts';
import type { Special } from './special-step.ts';

type Read = Pick<Incident, 'root' | 'events' | 'host'>;

const POWER: ReadonlySet<Kind> = new Set<Kind>(['psu.input_lost', 'psu.failure', 'psu.failover', 'psu.redundancy_lost', 'host.power_cap', 'cpu.power_cap', 'gpu.power_brake']); // biome-ignore format: one list
const HEAT: ReadonlySet<Kind> = new Set<Kind>(['cooling.inlet_overtemp', 'host.overtemp', 'gpu.thermal_throttle', 'gpu.overtemp', 'gpu.hw_slowdown', 'cpu.thermal_throttle']); // biome-ignore format: one list
const SERVED: ReadonlySet<Kind> = new Set<Kind>(['storage.stall', 'storage.io_error']);

/** `, and on gx-2 and gx-3: the feed that they share`, `, 3 times`; empty where it is of one host, and came once. */
export function sharedText(incident: Read): string {
  const root = rootOf(incident);
  if (root === undefined || isOfSwitch(root)) return '';
  const hosts = othersWithIt(incident, root);
  if (hosts.length > 0) return `, and on ${listOf(hosts)}${whatOf(root.kind)}`;
  const times = isPortDown(root) ? timesOf(incident, root) : 1;
  return times > 1 ? `, ${times} times` : '';
}

/** Null where one host alone has it, or what they share is said otherwise. */
export function sharedByHosts(incident: Read): Special | null {
  const root = rootOf(incident);
  if (root === undefined || isOfSwitch(root)) return null;
  const others = othersWithIt(incident, root);
  if (others.length === 0) return null;
  const all = listOf([hostOf(root) ?? incident.host, ...others]);
  if (POWER.has(root.kind))
    return {
      does: `find the feed that ${all} share: they lost power from it at once`,
      now: `see breaker, PDU and UPS before ${all} at TIME (the plan of racks has the outlets); no host needs a drain while its other supplies carry it, and no supply is to be swapped before that feed is well`,
      call: FACILITY,
    };
  if (!HEAT.has(root.kind)) return null;
  return {
    does: `see what cools ${all}: they got too warm together`,
    now: `see the cooling unit, its air or coolant and its alarms at TIME, and how warm the racks next to them are; take work off ${all} while they get hotter`,
    call: 'the facility: who runs the cooling of the site',
  };
}

function whatOf(kind: Kind): string {
  if (POWER.has(kind)) return ': the feed that they share';
  return HEAT.has(kind) ? ': air or coolant that they share' : '';
}

function rootOf({ events, root }: Read): FaultEvent | undefined {
  return events.find(({ id }) => id === root.eventId);
}

/** Other hosts than the root's that had the same, or what the same is behind. */
function othersWithIt({ events, host }: Read, root: FaultEvent): readonly string[] {
  const alike = POWER.has(root.kind) ? POWER : HEAT.has(root.kind) ? HEAT : SERVED.has(root.kind) ? SERVED : null;
  if (alike === null) return [];
  // A server's own fault is not what its clients have.
  const isMissed = alike === SERVED;
  if (isMissed && typeof root.attributes.server !== 'string') return [];
  const own = hostOf(root) ?? host;
  const hosts = events.flatMap((event) => {
    const at = hostOf(event);
    const isSame =
      (!isMissed || typeof event.attributes.server === 'string') &&
      alike.has(event.kind) &&
      event.state !== 'clear' &&
      !isOfSwitch(event);
    return isSame && at !== undefined && at !== own && logOfHost(at) === null && event.attributes.client_log !== true
      ? [at]
      : [];
  });
  return [...new Set(hosts)].sort();
}

/** How often the port of the root went down: of what is counted one event is for several. */
function timesOf({ events }: Read, { component }: FaultEvent): number {
  const own = events.filter(
    (event) => isPortDown(event) && event.component?.id === component?.id && event.component?.host === component?.host,
  );
  return own.length < 2 ? 1 : own.reduce((sum, { count }) => sum + count, 0);
}
