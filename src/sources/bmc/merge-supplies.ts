// One supply of what both power models say of it: each has readings that the other lacks on some firmware.

import type { Asked, Supply, TimedPart } from './decode/parts.ts';

export const READINGS = ['inputVoltage', 'inputPower', 'outputPower'] as const;

/** Readings that at least one supply of this list has. */
export function readingsOf(supplies: readonly Supply[]): ReadonlySet<(typeof READINGS)[number]> {
  return new Set(READINGS.filter((field) => supplies.some((supply) => supply[field] !== null)));
}

/** A supply of the newer model takes up that of the older one in its slot; a slot that another chassis has too gets a number. */
export function mergeSupplies(parts: readonly TimedPart[]): TimedPart[] {
  const merged: TimedPart[] = [];
  const of = new Map<string, number[]>();
  for (const part of parts) {
    if (part.part !== 'supply') {
      merged.push(part);
      continue;
    }
    const same = of.get(part.slot) ?? [];
    const index = part.older === true ? undefined : same.find((at) => isOlder(merged[at]));
    const older = index === undefined ? undefined : merged[index];
    if (index !== undefined && older?.part === 'supply') {
      merged[index] = both(older, part);
      continue;
    }
    of.set(part.slot, [...same, merged.length]);
    merged.push(same.length === 0 ? part : { ...part, slot: `${part.slot}.${same.length + 1}` });
  }
  return merged;
}

function isOlder(part: TimedPart | undefined): boolean {
  return part?.part === 'supply' && part.older === true;
}

function both(older: Supply & Asked, newer: Supply & Asked): Supply & Asked {
  return {
    ...newer,
    slot: older.slot,
    name: newer.name ?? older.name,
    state: newer.state ?? older.state,
    health: newer.health ?? older.health,
    line: newer.line ?? older.line,
    lineType: newer.lineType ?? older.lineType,
    inputVoltage: newer.inputVoltage ?? older.inputVoltage,
    inputPower: newer.inputPower ?? older.inputPower,
    outputPower: newer.outputPower ?? older.outputPower,
    capacity: newer.capacity ?? older.capacity,
    conditions: [...newer.conditions, ...older.conditions],
    sentMs: Math.min(older.sentMs, newer.sentMs),
    timeMs: Math.max(older.timeMs, newer.timeMs),
  };
}
