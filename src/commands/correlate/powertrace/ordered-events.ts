// Ordered events: device events in the order in which chains have them, with what a score needs of each as columns.

import type { DeviceEvent, DeviceSeverity, DeviceSource } from '../records.ts';

const SEVERITY_PENALTIES: Readonly<Record<DeviceSeverity, number>> = { low: 0.05, medium: 0.02, high: 0, critical: 0 };
const PHYSICAL: ReadonlySet<DeviceSource> = new Set(['pdu_snmp', 'redfish', 'poe_snmp', 'ups']);

type ServicesOf = ReadonlyMap<string, ReadonlySet<string>>;

export interface Ordered {
  readonly events: readonly DeviceEvent[];
  readonly times: Float64Array;
  /** Of each event, what its severity takes from a score. */
  readonly penalties: Float64Array;
  /** Of each event, the number of its device. */
  readonly devices: Uint32Array;
  /** Of each device, 1 where it is in no mapping. */
  readonly unmapped: Uint8Array;
  /** The devices of each service. */
  readonly serving: ReadonlyMap<string, readonly number[]>;
}

/** Events in the order in which chains have them; among equals as the file has them. */
export function inOrder(events: readonly DeviceEvent[], services: ServicesOf): Ordered {
  const rank = ({ source }: DeviceEvent): number => (PHYSICAL.has(source) ? 0 : 1);
  const order = (a: DeviceEvent, b: DeviceEvent): number => a.at - b.at || rank(a) - rank(b);
  // As they are in nearly all files.
  const isSorted = events.every((event, index) => index === 0 || order(events[index - 1] ?? event, event) <= 0);
  const sorted = isSorted ? events : events.toSorted(order);
  const numbers = new Map<string, number>();
  const times = new Float64Array(sorted.length);
  const penalties = new Float64Array(sorted.length);
  const devices = new Uint32Array(sorted.length);
  for (const [place, { at, device, severity }] of sorted.entries()) {
    times[place] = at;
    penalties[place] = SEVERITY_PENALTIES[severity];
    const number = numbers.get(device) ?? numbers.size;
    numbers.set(device, number);
    devices[place] = number;
  }
  const unmapped = new Uint8Array(numbers.size);
  const serving = new Map<string, number[]>();
  for (const [device, number] of numbers) {
    const own = services.get(device);
    if (own === undefined || own.size === 0) unmapped[number] = 1;
    else for (const service of own) listIn(serving, service).push(number);
  }
  return { events: sorted, times, penalties, devices, unmapped, serving };
}

function listIn(lists: Map<string, number[]>, key: string): number[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: number[] = [];
  lists.set(key, made);
  return made;
}
