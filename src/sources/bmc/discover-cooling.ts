// Finds the coolant units that a service tells of (ThermalEquipment), and the leak detectors of units and hosts.

import type { CoolantUnit, CoolingReading, Member } from './bmc-plan.ts';
import {
  decodeLeakDetector,
  decodeLeakGroups,
  decodeLoop,
  decodePump,
  decodeReservoir,
  type LoopLimits,
  loopSensors,
} from './decode/cooling.ts';
import { linkAt, numberAt, textAt } from './decode/json.ts';
import type { Side } from './decode/parts.ts';
import { threshold } from './decode/quirks.ts';
import type { RedfishClient } from './http/client.ts';
import type { Resource } from './http/resource.ts';

const MOST_UNITS = 8;
const MOST_MEMBERS = 32;
const KINDS = ['CDUs', 'HeatExchangers', 'ImmersionUnits'] as const;
const SIDES: readonly { readonly side: Side; readonly link: string }[] = [
  { side: 'secondary', link: 'SecondaryCoolantConnectors' },
  { side: 'primary', link: 'PrimaryCoolantConnectors' },
];
const NO_LIMITS: LoopLimits = { leastFlow: null, mostCelsius: null };

export interface CoolingPlan {
  readonly units: readonly CoolantUnit[];
  readonly fast: readonly CoolingReading[];
  readonly slow: readonly CoolingReading[];
}

/** `ownService`: there is no host behind the service, so that a single unit is what it is the controller of. */
export async function planCooling(client: RedfishClient, root: unknown, ownService: boolean): Promise<CoolingPlan> {
  const equipment = await client.tryGet(linkAt(root, 'ThermalEquipment'));
  const paths: string[] = [];
  for (const kind of KINDS) paths.push(...((await client.members(linkAt(equipment?.body, kind))) ?? []));
  const found: Resource[] = [];
  for (const path of paths.slice(0, MOST_UNITS)) {
    const unit = await client.tryGet(path);
    if (unit !== null) found.push(unit);
  }
  const names = unitNames(found, ownService);
  const units: CoolantUnit[] = [];
  const fast: CoolingReading[] = [];
  const slow: CoolingReading[] = [];
  for (const [i, { body }] of found.entries()) {
    const unit = names[i] ?? '';
    units.push({
      unit,
      identity: {
        vendor: textAt(body, 'Manufacturer'),
        model: textAt(body, 'Model'),
        serial: textAt(body, 'SerialNumber'),
        firmware: textAt(body, 'FirmwareVersion'),
      },
    });
    for (const { side, link } of SIDES) fast.push(...(await planLoops(client, linkAt(body, link), unit, side)));
    fast.push(...(await planLeaks(client, linkAt(body, 'LeakDetection'), unit)));
    slow.push(...(await planPumps(client, linkAt(body, 'Pumps'), unit)));
    slow.push(...(await planReservoirs(client, linkAt(body, 'Reservoirs'), unit)));
  }
  return { units, fast, slow };
}

/** Detectors by their summary where it lists them, else each; none where there are none. */
export async function planLeaks(
  client: RedfishClient,
  path: string | null,
  unit: string | null,
): Promise<CoolingReading[]> {
  const detection = await client.tryGet(path);
  if (detection === null) return [];
  if (decodeLeakGroups(detection.body, unit).length > 0)
    return [{ is: 'leaks', unit, summary: detection.path, collection: null, members: [] }];
  const collection = linkAt(detection.body, 'LeakDetectors');
  const works = (body: unknown): boolean => decodeLeakDetector(body, unit, '') !== null;
  const members = (await readable(client, collection, works)).map(({ path }) => member(path, lastOf(path)));
  return members.length === 0 ? [] : [{ is: 'leaks', unit, summary: null, collection, members }];
}

async function planLoops(
  client: RedfishClient,
  collection: string | null,
  unit: string,
  side: Side,
): Promise<CoolingReading[]> {
  const tells = (body: unknown): boolean => decodeLoop(body, unit, side, side, NO_LIMITS) !== null;
  const loops = await readable(client, collection, tells);
  const limits = new Map<string, LoopLimits>();
  for (const { path, body } of loops) limits.set(path, await limitsOf(client, body));
  const members = loops.map(({ path }, i) => member(path, i === 0 ? side : `${side}_${i + 1}`));
  return members.length === 0 ? [] : [{ is: 'loops', unit, side, limits, collection, members }];
}

/** The critical limits that the sensors behind its readings have. */
async function limitsOf(client: RedfishClient, body: unknown): Promise<LoopLimits> {
  const sensors = loopSensors(body);
  const critical = async (path: string | null, name: string): Promise<number | null> =>
    threshold(numberAt((await client.tryGet(path))?.body, 'Thresholds', name, 'Reading'));
  return {
    leastFlow: await critical(sensors.flow, 'LowerCritical'),
    mostCelsius: await critical(sensors.supply, 'UpperCritical'),
  };
}

async function planPumps(client: RedfishClient, collection: string | null, unit: string): Promise<CoolingReading[]> {
  const pumps = await readable(client, collection, (body) => decodePump(body, unit, '') !== null);
  const members = pumps.map(({ path }) => member(path, lastOf(path)));
  return members.length === 0 ? [] : [{ is: 'pumps', unit, collection, members }];
}

async function planReservoirs(
  client: RedfishClient,
  collection: string | null,
  unit: string,
): Promise<CoolingReading[]> {
  const found = await readable(client, collection, (body) => decodeReservoir(body, unit, '')?.level !== null);
  const members = found.map(({ path }) => member(path, lastOf(path)));
  return members.length === 0 ? [] : [{ is: 'reservoirs', unit, collection, members }];
}

async function readable(
  client: RedfishClient,
  collection: string | null,
  tells: (body: unknown) => boolean,
): Promise<Resource[]> {
  const found: Resource[] = [];
  for (const path of ((await client.members(collection)) ?? []).slice(0, MOST_MEMBERS)) {
    const resource = await client.tryGet(path);
    if (resource !== null && tells(resource.body)) found.push({ ...resource, path });
  }
  return found;
}

/** Empty for the only unit of a service of its own; else ids, and the last two parts of the path where ids are not distinct. */
/** As many different names as there are units. */
export function unitNames(units: readonly Pick<Resource, 'body' | 'path'>[], ownService: boolean): string[] {
  if (ownService && units.length === 1) return [''];
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 64);
  const ids = units.map(({ body, path }) => plain(textAt(body, 'Id') ?? lastOf(path)));
  if (new Set(ids).size === ids.length) return ids;
  const longer = units.map(({ path }) => plain(path.split('/').filter(Boolean).slice(-2).join('-')));
  // A service may list one path twice, or paths that differ beyond what a name has: each unit has a name of its own.
  const taken = new Set<string>();
  for (const name of longer) {
    let own = name;
    for (let number = 2; taken.has(own); number += 1) own = `${name.slice(0, 60)}-${number}`;
    taken.add(own);
  }
  return [...taken];
}

function member(path: string, slot: string): Member {
  return { path, slot, metrics: null };
}

function lastOf(path: string): string {
  return path.split('/').filter(Boolean).at(-1) ?? path;
}
