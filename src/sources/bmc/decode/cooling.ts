// Coolant units as DMTF has them (CoolingUnit and what belongs to it), and leak detectors, which hosts have as well. Pure; any JSON gives an answer.

import { listAt, textAt } from './json.ts';
import type { CoolantLoop, Leak, Pump, Reservoir, Side } from './parts.ts';
import { reading } from './power.ts';
import { isAbsent, isTemperature } from './thermal.ts';

const MOST_DETECTORS = 64;
/** kPa, kW: more than any pipe holds, or any unit removes. */
const MOST_THOUSANDS = 1e6;

/** A CoolantConnector; null where it says nothing that is read. `name`: of its series, "secondary" or "secondary_2". */
export function decodeLoop(
  body: unknown,
  unit: string,
  side: Side,
  name: string,
  limits: LoopLimits,
): CoolantLoop | null {
  const loop: CoolantLoop = {
    part: 'loop',
    unit,
    side,
    name,
    label: textAt(body, 'Name'),
    flow: perSecond(reading(body, 'FlowLitersPerMinute')),
    ratedFlow: perSecond(reading(body, 'RatedFlowLitersPerMinute')),
    supplyCelsius: celsius(reading(body, 'SupplyTemperatureCelsius')),
    returnCelsius: celsius(reading(body, 'ReturnTemperatureCelsius')),
    supplyPascal: thousands(reading(body, 'SupplyPressurekPa')),
    returnPascal: thousands(reading(body, 'ReturnPressurekPa')),
    heatWatts: thousands(reading(body, 'HeatRemovedkW')),
    leastFlow: perSecond(limits.leastFlow),
    mostCelsius: limits.mostCelsius,
  };
  const known = [
    loop.flow,
    loop.supplyCelsius,
    loop.returnCelsius,
    loop.supplyPascal,
    loop.returnPascal,
    loop.heatWatts,
  ];
  return isAbsent(body) || known.every((value) => value === null) ? null : loop;
}

/** Of the sensors that a connector's readings are excerpts of: L/min, °C. */
export interface LoopLimits {
  readonly leastFlow: number | null;
  readonly mostCelsius: number | null;
}

/** Paths of the sensors behind flow and supply temperature; null where it does not say. */
export function loopSensors(body: unknown): { readonly flow: string | null; readonly supply: string | null } {
  const uri = (name: string): string | null => {
    const text = textAt(body, name, 'DataSourceUri');
    return text !== null && /^\/[\w./~%-]{1,500}$/.test(text) ? text : null;
  };
  return { flow: uri('FlowLitersPerMinute'), supply: uri('SupplyTemperatureCelsius') };
}

/** Null for one that is not there, or does something else than move liquid. */
export function decodePump(body: unknown, unit: string, slot: string): Pump | null {
  const type = textAt(body, 'PumpType');
  if (isAbsent(body) || (type !== null && type !== 'Liquid')) return null;
  const percent = reading(body, 'PumpSpeedPercent');
  return {
    part: 'pump',
    unit,
    slot,
    name: textAt(body, 'Name'),
    ...status(body),
    ratio: percent === null ? null : percent / 100,
  };
}

export function decodeReservoir(body: unknown, unit: string, slot: string): Reservoir | null {
  if (isAbsent(body)) return null;
  return { part: 'reservoir', unit, slot, level: textAt(body, 'FluidLevelStatus'), health: status(body).health };
}

/** A LeakDetector; null for one that is not there. */
export function decodeLeakDetector(body: unknown, unit: string | null, slot: string): Leak | null {
  if (isAbsent(body)) return null;
  const { state } = status(body);
  // One that is itself degraded or switched off tells nothing of a leak.
  const works = state === null || state === 'Enabled';
  return {
    part: 'leak',
    unit,
    slot,
    name: textAt(body, 'Name'),
    detector: works ? textAt(body, 'DetectorState') : null,
  };
}

/** The detectors that a LeakDetection sums up; empty where it only links to them. */
export function decodeLeakGroups(body: unknown, unit: string | null): Leak[] {
  return listAt(body, 'LeakDetectorGroups')
    .flatMap((group) => listAt(group, 'Detectors'))
    .slice(0, MOST_DETECTORS)
    .flatMap((entry): Leak[] => {
      const id = (textAt(entry, 'DataSourceUri') ?? '').split('/').filter(Boolean).at(-1);
      const slot = id ?? textAt(entry, 'DeviceName');
      const detector = textAt(entry, 'DetectorState');
      return slot === null || detector === null
        ? []
        : [{ part: 'leak', unit, slot, name: textAt(entry, 'DeviceName'), detector }];
    });
}

function status(body: unknown): { state: string | null; health: string | null } {
  return { state: textAt(body, 'Status', 'State'), health: textAt(body, 'Status', 'Health') };
}

function perSecond(litersPerMinute: number | null): number | null {
  return litersPerMinute === null || litersPerMinute < 0 ? null : litersPerMinute / 60;
}

function thousands(value: number | null): number | null {
  return value === null || Math.abs(value) > MOST_THOUSANDS ? null : value * 1000;
}

function celsius(value: number | null): number | null {
  return value === null || !isTemperature(value) ? null : value;
}
