// Decides for one chassis which resources to read: the newer power model where it says more, the older one where it does.

import type { Member, Reading } from './bmc-plan.ts';
import { linkAt, listAt, textAt } from './decode/json.ts';
import type { Supply } from './decode/parts.ts';
import {
  decodeEnvironment,
  decodePower,
  decodePowerSubsystem,
  decodeSupply,
  metricsLink,
  supplyNames,
} from './decode/power.ts';
import type { Quirks } from './decode/quirks.ts';
import { type SlotNames, slotsOf } from './decode/slot.ts';
import {
  decodeFan,
  decodeSensor,
  decodeThermal,
  decodeThermalMetrics,
  fanNames,
  intakeSensor,
} from './decode/thermal.ts';
import { planLeaks } from './discover-cooling.ts';
import type { RedfishClient } from './http/client.ts';
import type { Resource } from './http/resource.ts';
import { readingsOf } from './merge-supplies.ts';
import { limitsIn } from './read-resources.ts';

const MOST_SUPPLIES = 64;
const MOST_FANS = 64;
const MOST_SENSORS = 256;

export interface ChassisPlan {
  readonly fast: readonly Reading[];
  readonly slow: readonly Reading[];
  readonly hasSupplies: boolean;
  readonly hasPower: boolean;
}

export async function planChassis(client: RedfishClient, chassis: Resource, quirks: Quirks): Promise<ChassisPlan> {
  const { fast, hasSupplies, hasPower } = await planPower(client, chassis.body, quirks);
  const subsystem = await client.tryGet(linkAt(chassis.body, 'ThermalSubsystem'));
  const slow = await planThermal(client, chassis.body, subsystem);
  if (slow.length === 0) slow.push(...(await planSensors(client, chassis.body)));
  if (fast.length + slow.length > 0) slow.push({ is: 'health', path: chassis.path, of: 'chassis' });
  // Not every service names them where the model has them.
  const leaks = linkAt(subsystem?.body, 'LeakDetection') ?? linkAt(chassis.body, 'LeakDetection');
  fast.push(...(await planLeaks(client, leaks, null)));
  return { fast, slow, hasSupplies, hasPower };
}

async function planPower(client: RedfishClient, chassis: unknown, quirks: Quirks) {
  const fast: Reading[] = [];
  const environment = await client.tryGet(linkAt(chassis, 'EnvironmentMetrics'));
  const environmentSays = environment === null ? [] : decodeEnvironment(environment.body);
  const power = await client.tryGet(linkAt(chassis, 'Power'));
  const powerSays = power === null ? [] : decodePower(power.body, quirks, { supplies: true, power: true, limit: true });
  const subsystem = await client.tryGet(linkAt(chassis, 'PowerSubsystem'));
  const collection = linkAt(subsystem?.body, 'PowerSupplies');
  const newer = subsystem === null ? NONE : await supplyMembers(client, collection, quirks);
  const older = powerSays.filter((part) => part.part === 'supply');
  const asked = withOlder(older, newer);
  const members = asked === 'alone' ? [] : asked === 'both' ? slotsOfOlder(newer, older, power?.body) : newer.members;

  const onlyOlder = (wanted: 'power' | 'limit') =>
    !environmentSays.some(({ part }) => part === wanted) && powerSays.some(({ part }) => part === wanted);
  const use = {
    supplies: older.length > 0 && (members.length === 0 || asked === 'both'),
    power: onlyOlder('power'),
    limit: onlyOlder('limit'),
  };
  const says = [...environmentSays, ...powerSays];
  const hasPower = says.some(({ part }) => part === 'power');
  // A limit without a consumption next to it is that of a group of parts, not of the host.
  if (environment !== null && environmentSays.length > 0 && hasPower)
    fast.push({ is: 'environment', path: environment.path });
  if (power !== null && (use.supplies || use.power || use.limit)) {
    fast.push({ is: 'power', path: power.path, ...use });
  }
  if (members.length > 0) fast.push({ is: 'supplies', collection, members });
  const redundancy = use.supplies && powerSays.some(({ part }) => part === 'redundancy');
  if (subsystem !== null && !redundancy && decodePowerSubsystem(subsystem.body).length > 0) {
    fast.push({ is: 'power_subsystem', path: subsystem.path });
  }
  return { fast, hasSupplies: members.length > 0 || use.supplies, hasPower };
}

interface NewerSupplies {
  readonly members: readonly Member[];
  readonly supplies: readonly Supply[];
  readonly serials: readonly (string | null)[];
}

const NONE: NewerSupplies = { members: [], supplies: [], serials: [] };
const isThere = ({ state }: Supply): boolean => state !== 'Absent';

/**
 * How the older model is used: alone where one request tells as much as two for each supply would, with the newer one where
 * each has what the other lacks, not at all where it adds nothing.
 */
function withOlder(older: readonly Supply[], newer: NewerSupplies): 'alone' | 'both' | 'not' {
  const here = older.filter(isThere);
  const [has, knows] = [readingsOf(here), readingsOf(newer.supplies.filter(isThere))];
  // LineInputStatus is in the newer model alone.
  const more = newer.supplies.some(({ line }) => line !== null) || [...knows].some((field) => !has.has(field));
  if (newer.members.length === 0 || here.length < newer.supplies.filter(isThere).length) return 'not';
  const gaps = here.some((supply) => [...knows].some((field) => supply[field] === null));
  if (!more && !gaps) return 'alone';
  return [...has].some((field) => !knows.has(field)) ? 'both' : 'not';
}

/** The bays as the older model names them: by serial number, else by their order where both list as many. */
function slotsOfOlder({ members, serials }: NewerSupplies, older: readonly Supply[], power: unknown): Member[] {
  const known = listAt(power, 'PowerSupplies').map((entry) => textAt(entry, 'SerialNumber'));
  const paired = members.map((_, i) => {
    const serial = serials[i] ?? null;
    const at = serial === null ? -1 : known.indexOf(serial);
    return at >= 0 ? older[at]?.slot : older.length === members.length ? older[i]?.slot : undefined;
  });
  const distinct = new Set(paired).size === paired.length && !paired.includes(undefined);
  return members.map((member, i) => ({ ...member, slot: (distinct ? paired[i] : undefined) ?? member.slot }));
}

/** Supplies of the newer model; none where it says nothing that can be polled. */
async function supplyMembers(client: RedfishClient, collection: string | null, quirks: Quirks): Promise<NewerSupplies> {
  const found: { path: string; body: unknown; metrics: string | null; supply: Supply }[] = [];
  for (const path of ((await client.members(collection)) ?? []).slice(0, MOST_SUPPLIES)) {
    const body = await client.tryGet(path);
    if (body === null) continue;
    const metrics = await client.tryGet(metricsLink(body.body));
    const supply = decodeSupply(body.body, metrics?.body, '');
    found.push({ path, body: body.body, metrics: metrics?.path ?? null, supply });
  }
  const supplies = found.map(({ supply }) => supply);
  if (!supplies.some(({ line, health, inputVoltage }) => line !== null || health !== null || inputVoltage !== null))
    return NONE;
  const slots = slotsOf(found.map(({ body, path }) => supplyNames(body, path, quirks)));
  return {
    members: found.map(({ path, metrics }, i) => ({ path, metrics, slot: slots[i] ?? String(i + 1) })),
    supplies,
    serials: found.map(({ body }) => textAt(body, 'SerialNumber')),
  };
}

/** Members with what they say: by one request where that truly works. */
async function readMembers(client: RedfishClient, collection: string | null, most: number) {
  const all = collection === null ? null : await client.expanded(collection, 1);
  if (all !== null) return [...all].map(([path, resource]) => ({ path, resource })).slice(0, most);
  const found: { path: string; resource: Resource }[] = [];
  for (const path of ((await client.members(collection)) ?? []).slice(0, most)) {
    const resource = await client.tryGet(path);
    if (resource !== null) found.push({ path, resource });
  }
  return found;
}

/** The older model has thresholds and takes one request; the newer one is read where the older one is not there. */
async function planThermal(client: RedfishClient, chassis: unknown, subsystem: Resource | null): Promise<Reading[]> {
  const thermal = await client.tryGet(linkAt(chassis, 'Thermal'));
  if (thermal !== null && decodeThermal(thermal.body).length > 0) return [{ is: 'thermal', path: thermal.path }];
  if (subsystem === null) return [];
  const slow: Reading[] = [];
  const fans: { path: string; names: SlotNames }[] = [];
  const collection = linkAt(subsystem.body, 'Fans');
  for (const { path, resource: fan } of await readMembers(client, collection, MOST_FANS)) {
    if (decodeFan(fan.body, '') !== null) fans.push({ path, names: fanNames(fan.body, path) });
  }
  const slots = slotsOf(fans.map(({ names }) => names));
  if (fans.length > 0) {
    slow.push({
      is: 'fans',
      collection,
      members: fans.map(({ path }, i) => ({ path, slot: slots[i] ?? String(i + 1), metrics: null })),
    });
  }
  const metrics = await client.tryGet(linkAt(subsystem.body, 'ThermalMetrics'));
  if (metrics !== null && decodeThermalMetrics(metrics.body).length > 0) {
    const limits = limitsIn((await client.tryGet(intakeSensor(metrics.body)))?.body);
    // Its health changes; its limits do not.
    const known = limits?.upperCritical == null ? null : { ...limits, health: null };
    slow.push({ is: 'thermal_metrics', path: metrics.path, limits: known });
  }
  return slow;
}

/** Where no model of fans and temperatures is there, the sensors that are one or the other. */
async function planSensors(client: RedfishClient, chassis: unknown): Promise<Reading[]> {
  const members: Member[] = [];
  const collection = linkAt(chassis, 'Sensors');
  for (const { path, resource: sensor } of await readMembers(client, collection, MOST_SENSORS)) {
    if (decodeSensor(sensor.body, '').length > 0) {
      members.push({ path, slot: String(members.length + 1), metrics: null });
    }
  }
  return members.length === 0 ? [] : [{ is: 'sensors', collection, members }];
}
