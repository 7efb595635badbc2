// Coolant units, their loops and pumps, and leak detectors as readings and states.

import { componentText } from '../../model/component.ts';
import type { DeviceState, Reading } from '../../model/reading.ts';
import { coolingComponent } from './components.ts';
import type { Cooling } from './decode/parts.ts';

export function coolingReadings(host: string, part: Cooling): Reading[] {
  const component = componentText(coolingComponent(host, part.unit));
  const read = (quantity: string, value: number | null, unit: string): Reading[] =>
    value === null ? [] : [{ component, quantity, value, unit }];
  switch (part.part) {
    case 'loop':
      return [
        ...read(`${part.name}_flow`, part.flow, 'L/s'),
        ...read(`${part.name}_supply_temperature`, part.supplyCelsius, 'Cel'),
        ...read(`${part.name}_return_temperature`, part.returnCelsius, 'Cel'),
        ...read(`${part.name}_supply_pressure`, part.supplyPascal, 'Pa'),
        ...read(`${part.name}_return_pressure`, part.returnPascal, 'Pa'),
        ...read(`${part.name}_heat_power`, part.heatWatts, 'W'),
      ];
    case 'pump':
      return read(`pump_${word(part.slot)}_speed_ratio`, part.ratio, '1');
    default:
      return [];
  }
}

export function coolingStates(host: string, part: Cooling): DeviceState[] {
  const component = componentText(coolingComponent(host, part.unit));
  const state = (name: string, value: string | null): DeviceState[] =>
    value === null ? [] : [{ component, name, value }];
  switch (part.part) {
    case 'loop':
      return [];
    case 'pump':
      return [...state(`pump_${word(part.slot)}_health`, part.health), ...state(`pump_${word(part.slot)}`, part.state)];
    case 'reservoir':
      return state(`reservoir_${word(part.slot)}_level`, part.level);
    case 'leak':
      return state(`leak_${word(part.slot)}`, part.detector ?? 'unknown');
  }
}

/** As a part of a name. */
function word(slot: string): string {
  return slot
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}
