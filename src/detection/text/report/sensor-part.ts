// Sensor part: which part of a host the name of a BMC's sensor, or the text of an entry of its log, is about.

import type { Component } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';

/** "2" of "PSU.Slot.2", "Power supply 2", "PS2 Status"; of "SYS_FAN_3". */
export const NUMBERED: Readonly<Record<'psu' | 'fan', RegExp>> = {
  psu: /(?:power ?supply|psu|\bps)[ ._#:'"-]*(?:slot|unit|bay|status)?[ ._#:-]*(\d{1,2}[A-Za-z]?)\b/i,
  fan: /\bfan[ ._#:'"-]*(?:slot|unit|bay|tray)?[ ._#:-]*(\d{1,2}[A-Za-z]?)\b/i,
};
/** "Power Supply #0x54", "Fan #0x41": what ipmitool calls a sensor by number where it has not read its name. */
const SENSOR_NUMBER = /^(?:Power Supply|Fan) (#0x[0-9a-f]{2})$/i;
/** What fails is one of several; that they are redundant is of the host. */
const PARTS: ReadonlyMap<Kind, 'psu' | 'fan'> = new Map([
  ['psu.input_lost', 'psu'],
  ['psu.failure', 'psu'],
  ['host.fan_failure', 'fan'],
]);

/** The host where the name tells no part of it. */
export function sensorPart(kind: Kind, sensor: string, host: string): Component {
  const type = PARTS.get(kind);
  const slot = type === undefined ? undefined : (SENSOR_NUMBER.exec(sensor)?.[1] ?? NUMBERED[type].exec(sensor)?.[1]);
  if (type === undefined || slot === undefined) return { type: 'host', id: host };
  return { type, id: `${host}/${slot.replace(/^0+(?=\d)/, '')}`, host, parent: `host/${host}` };
}
