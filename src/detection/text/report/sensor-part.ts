// Sensor part: which part of a host the name of a BMC's sensor, or the text of an entry of its log, is about.

import type { Component } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';

/** "2" of "PSU.Slot.2", "Power supply 2", "PS2 Status"; of "SYS_FAN_3". */
export const NUMBERED: Readonly<Record<'psu' | 'fan', RegExp>> = {
  psu: /(?:power ?supply|psu|\bps)[ ._#:'"-]*(?:slot|unit|bay|status)?[ ._#:-]*(\d{1,2}[A-Za-z]?)(?![A-Za-z0-9])/i,
  fan: /\bfan[ ._#:'"-]*(?:slot|unit|bay|tray)?[ ._#:-]*(\d{1,2}[A-Za-z]?)(?![A-Za-z0-9])/i,
};
/** "Power Supply #0x54", "Fan #0x41", "Memory #0x87": what ipmitool calls a sensor by number where it has not read its name. */
const SENSOR_NUMBER = /^(?:Power Supply|Fan|Memory) (#0x[0-9a-f]{2})$/i;
/** What fails is one of several; that they are redundant is of the host. */
const PARTS: ReadonlyMap<Kind, 'psu' | 'fan' | 'dimm'> = new Map([
  ['psu.input_lost', 'psu'],
  ['psu.failure', 'psu'],
  ['host.fan_failure', 'fan'],
  ['memory.ue', 'dimm'],
  ['memory.ce_storm', 'dimm'],
  ['memory.ce', 'dimm'],
]);

/**
 * A memory module as vendors print it: "DIMM_A1", "DIMM_P0_C1", "P1-DIMMC1", "PROC 1 DIMM 4", "Memory Module 9", "@DIMMA1(CPU1)".
 * Which of them are one part, identity knows.
 */
const MODULE =
  /(?:\b(?:CPU|PROC(?:ESSOR)?|P)[ _#-]{0,2}\d{1,2}[ _,-]{0,2})?(?:DIMM|\bMemory Module)[ _.#:-]{0,2}(?:P\d{1,2}_)?[A-Z]{0,2}\d{1,2}\b/i;

/** As firmware names the same place: "PROC 1 DIMM 9". Undefined where no module is named. */
export function moduleName(text: string): string | undefined {
  return MODULE.exec(text)?.[0]
    .replace(/Processor/i, 'PROC')
    .replace(/,? ?Memory Module/i, ' DIMM')
    .trim();
}

/** The host where the name, or the text of a module's event, tells no part of it. */
export function sensorPart(kind: Kind, sensor: string, host: string, event = ''): Component {
  const type = PARTS.get(kind);
  const slot =
    type === 'dimm'
      ? (moduleName(event) ?? moduleName(sensor) ?? SENSOR_NUMBER.exec(sensor)?.[1])
      : type && (SENSOR_NUMBER.exec(sensor)?.[1] ?? NUMBERED[type].exec(sensor)?.[1]);
  if (type === undefined || slot === undefined) return { type: 'host', id: host };
  return { type, id: `${host}/${slot.replace(/^0+(?=\d)/, '')}`, host, parent: `host/${host}` };
}
