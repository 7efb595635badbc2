// Installed: the supplies of a reading that are in their bays, as parts that are remembered.

import type { Part } from '../../identity/parts/part.ts';
import type { Supply } from './decode/parts.ts';

export function installed(supplies: readonly Supply[]): Part[] {
  const there = supplies.filter(({ state }) => state !== 'Absent');
  return there.map(({ slot, serial, name }) => ({ type: 'psu', slot, serial: serial ?? null, model: name }));
}
