// Reads what is planned of coolant units and leak detectors.

import type { CoolingReading } from './bmc-plan.ts';
import { decodeLeakDetector, decodeLeakGroups, decodeLoop, decodePump, decodeReservoir } from './decode/cooling.ts';
import type { Part, TimedPart } from './decode/parts.ts';
import type { Resource } from './http/resource.ts';

const NO_LIMITS = { leastFlow: null, mostCelsius: null };

type Get = (path: string) => Promise<Resource | null>;

/** `get`: null where a resource is not to be had. */
export async function readCooling(planned: CoolingReading, get: Get): Promise<TimedPart[]> {
  const parts: TimedPart[] = [];
  const take = (resource: Resource, found: readonly Part[]): void => {
    const { sentMs, receivedMs: timeMs } = resource;
    parts.push(...found.map((part) => ({ ...part, sentMs, timeMs })));
  };
  if (planned.is === 'leaks' && planned.summary !== null) {
    const summary = await get(planned.summary);
    if (summary !== null) take(summary, decodeLeakGroups(summary.body, planned.unit));
    return parts;
  }
  for (const { path, slot } of planned.members) {
    const resource = await get(path);
    if (resource === null) continue;
    const part = decoded(planned, resource.body, path, slot);
    if (part !== null) take(resource, [part]);
  }
  return parts;
}

function decoded(planned: CoolingReading, body: unknown, path: string, slot: string): Part | null {
  switch (planned.is) {
    case 'loops':
      return decodeLoop(body, planned.unit, planned.side, slot, planned.limits.get(path) ?? NO_LIMITS);
    case 'pumps':
      return decodePump(body, planned.unit, slot);
    case 'reservoirs':
      return decodeReservoir(body, planned.unit, slot);
    case 'leaks':
      return decodeLeakDetector(body, planned.unit, slot);
  }
}
