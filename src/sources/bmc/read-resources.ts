// Reads what is planned and decodes it; a resource that is not to be had leaves a gap, not an error.

import type { BmcPlan, Reading } from './bmc-plan.ts';
import { textAt } from './decode/json.ts';
import { ofPart, type Part, type Supply, type Temperature, type TimedPart } from './decode/parts.ts';
import {
  decodeEnvironment,
  decodePower,
  decodePowerSubsystem,
  decodeSupply,
  withoutUnsupported,
} from './decode/power.ts';
import {
  decodeFan,
  decodeGpu,
  decodeHealth,
  decodeSensor,
  decodeThermal,
  decodeThermalMetrics,
  intakeSensor,
  uniqueQuantities,
} from './decode/thermal.ts';
import type { RedfishClient } from './http/client.ts';
import { partOf } from './http/expanding.ts';
import type { Resource } from './http/resource.ts';
import { readCooling } from './read-cooling.ts';
import { together } from './together.ts';

export interface ReadResult {
  readonly parts: readonly TimedPart[];
  /** What the manager says of itself, where it was read. */
  readonly manager: { readonly dateTimeMs: number | null; readonly firmware: string | null } | null;
  /** Every answer, for the clock. */
  readonly resources: readonly Resource[];
  /** Something that discovery saw is gone. */
  readonly gap: boolean;
}

/** Rejects with RedfishError where the BMC itself fails. */
export async function readOne(client: RedfishClient, plan: BmcPlan, planned: Reading): Promise<ReadResult> {
  const resources: Resource[] = [];
  let gap = false;
  const get = async (path: string | null): Promise<Resource | null> => {
    const resource = await client.tryGet(path);
    if (resource !== null) resources.push(resource);
    else if (path !== null) gap = true;
    return resource;
  };
  const whole = async (path: string, decode: (body: unknown) => readonly Part[]): Promise<TimedPart[]> => {
    const resource = await get(path);
    return resource === null ? [] : decode(resource.body).map((part) => timed(part, resource));
  };
  const result = (parts: readonly TimedPart[], manager: ReadResult['manager'] = null) => ({
    parts,
    manager,
    resources,
    gap,
  });

  switch (planned.is) {
    case 'power':
      return result(ofChassis(plan, planned.path, await whole(planned.path, (body) => decodePower(body, plan.quirks, planned)))); // biome-ignore format: one line
    case 'power_subsystem':
      return result(ofChassis(plan, planned.path, await whole(planned.path, decodePowerSubsystem)));
    case 'environment':
      return result(await whole(planned.path, decodeEnvironment));
    case 'thermal':
      return result(await whole(planned.path, decodeThermal));
    case 'thermal_metrics': {
      const metrics = await get(planned.path);
      if (metrics === null) return result([]);
      const limits = planned.limits ?? limitsIn((await get(intakeSensor(metrics.body)))?.body);
      const parts = decodeThermalMetrics(metrics.body).map((part) => withLimits(part, limits));
      return result(parts.map((part) => timed(part, metrics)));
    }
    case 'health':
      return result(await whole(planned.path, (body) => [decodeHealth(body, planned.of)]));
    case 'supplies': {
      const supplies: (TimedPart & Supply)[] = [];
      const all = await together(client, planned, 2);
      if (all !== null) resources.push(...all.values());
      for (const member of planned.members) {
        const body = all?.get(member.path) ?? (await get(member.path));
        const metrics = partOf(all?.get(member.path), 'Metrics', member.metrics) ?? (await get(member.metrics));
        if (body === null) continue;
        const supply = decodeSupply(body.body, metrics?.body, member.slot);
        supplies.push({ ...supply, sentMs: body.sentMs, timeMs: (metrics ?? body).receivedMs });
      }
      return result(withoutUnsupported(supplies).map((supply, i) => ({ ...supply, ...times(supplies[i]) })));
    }
    case 'fans':
    case 'sensors': {
      const parts: TimedPart[] = [];
      const all = await together(client, planned, 1);
      if (all !== null) resources.push(...all.values());
      for (const member of planned.members) {
        const resource = all?.get(member.path) ?? (await get(member.path));
        if (resource === null) continue;
        const fan = planned.is === 'fans' ? decodeFan(resource.body, member.slot) : null;
        const found = planned.is === 'sensors' ? decodeSensor(resource.body, member.slot) : fan === null ? [] : [fan];
        parts.push(...found.map((part) => timed(part, resource)));
      }
      const temperatures = ofPart(parts, 'temperature');
      const renamed = uniqueQuantities(temperatures).map((one, i) => ({ ...one, ...times(temperatures[i]) }));
      return result([...parts.filter(({ part }) => part !== 'temperature'), ...renamed]);
    }
    case 'loops':
    case 'pumps':
    case 'reservoirs':
    case 'leaks': {
      const all = await together(client, planned, 1);
      if (all !== null) resources.push(...all.values());
      return result(await readCooling(planned, async (path) => all?.get(path) ?? (await get(path))));
    }
    case 'gpu': {
      const body = await get(planned.path);
      const environment = await get(planned.environment);
      const metrics = planned.body === undefined ? await get(planned.metrics) : body;
      const gpu = body === null ? null : decodeGpu(planned.body ?? body.body, environment?.body, metrics?.body);
      return result(gpu === null || body === null ? [] : [timed(gpu, body)]);
    }
    case 'manager': {
      const resource = await get(planned.path);
      if (resource === null) return result([]);
      const dateTimeMs = Date.parse(textAt(resource.body, 'DateTime') ?? '');
      const firmware = textAt(resource.body, 'FirmwareVersion');
      return result([], { dateTimeMs: Number.isNaN(dateTimeMs) ? null : dateTimeMs, firmware });
    }
  }
}

/** Redundancy groups of several chassis may have one name. */
function ofChassis(plan: BmcPlan, path: string, parts: readonly TimedPart[]): readonly TimedPart[] {
  const chassis = (of: string): string => /\/Chassis\/([^/]+)/.exec(of)?.[1] ?? '';
  const all = plan.fast.flatMap((each) => (each.is === 'power' || each.is === 'power_subsystem' ? [chassis(each.path)] : [])); // biome-ignore format: one line
  if (new Set(all).size < 2) return parts;
  return parts.map((part) => (part.part === 'redundancy' ? { ...part, name: `${chassis(path)} ${part.name}` } : part));
}

/** Of a sensor of temperature; null where it is none. */
export function limitsIn(sensor: unknown): Temperature | null {
  return decodeSensor(sensor, '').find((part) => part.part === 'temperature') ?? null;
}

/** A summary has no limits: the sensor that it was taken from has them. */
function withLimits(part: Temperature, sensor: Temperature | null): Temperature {
  if (sensor === null || part.quantity !== 'inlet_temperature') return part;
  const { upperCritical, upperCaution, health } = sensor;
  return { ...part, upperCritical, upperCaution, health: part.health ?? health };
}

function timed(part: Part, { sentMs, receivedMs }: Resource): TimedPart {
  return { ...part, sentMs, timeMs: receivedMs };
}

function times(of: TimedPart | undefined): { sentMs: number; timeMs: number } {
  return { sentMs: of?.sentMs ?? 0, timeMs: of?.timeMs ?? 0 };
}
