// Supplies, consumption, limit and redundancy out of both power models. Pure; any JSON gives an answer.

import { at, linkAt, listAt, numberAt, textAt } from './json.ts';
import type { Condition, HostPower, Part, PowerLimit, Redundancy, Supply } from './parts.ts';
import type { Quirks } from './quirks.ts';
import { type SlotNames, slotsOf } from './slot.ts';

const MOST_SUPPLIES = 64;
const MOST_CONDITIONS = 8;
/** Input of a supply: above the highest DC feed in use (1,000 V) a value is in mV, or wrong. */
const MOST_VOLTS = 1000;

/** What of the older model is wanted where the newer one tells the rest. */
export interface LegacyUse {
  readonly supplies: boolean;
  readonly power: boolean;
  readonly limit: boolean;
}

/** Power resource (the older model): everything in one document. */
export function decodePower(body: unknown, quirks: Quirks, use: LegacyUse): Part[] {
  const control = decodeControl(body, quirks).filter(({ part }) => (part === 'power' ? use.power : use.limit));
  if (!use.supplies) return control;
  return [...control, ...legacySupplies(body, quirks), ...named(listAt(body, 'Redundancy').flatMap(legacyRedundancy))];
}

function decodeControl(body: unknown, quirks: Quirks): (HostPower | PowerLimit)[] {
  const entries = listAt(body, 'PowerControl');
  // The first is the whole system; the others, where there are any, are its CPUs and memory.
  const whole = entries[0] ?? (numberAt(body, 'PowerConsumedWatts') === null ? undefined : body);
  if (whole === undefined) return [];
  const oem = quirks.consumedPower === null ? null : numberAt(whole, ...quirks.consumedPower);
  const watts = positive(numberAt(whole, 'PowerConsumedWatts')) ?? positive(oem);
  const limit = at(whole, 'PowerLimit');
  return [
    ...(watts === null ? [] : [{ part: 'power', watts } as const]),
    ...(limit === undefined ? [] : [{ part: 'limit', watts: positive(numberAt(limit, 'LimitInWatts')) } as const]),
  ];
}

function legacySupplies(body: unknown, quirks: Quirks): Supply[] {
  const entries = listAt(body, 'PowerSupplies').slice(0, MOST_SUPPLIES);
  const slots = slotsOf(
    entries.map((entry) => ({
      bay: quirks.supplySlot === null ? null : textAt(entry, ...quirks.supplySlot),
      names: [textAt(entry, 'Name')],
    })),
  );
  const supplies = entries.map((entry, i) => {
    const live = quirks.lastOutputIsLive ? numberAt(entry, 'LastPowerOutputWatts') : null;
    const oem = quirks.supplyInputPower === null ? null : numberAt(entry, ...quirks.supplyInputPower);
    return {
      ...common(entry, slots[i] ?? String(i + 1)),
      older: true as const,
      lineType: textAt(entry, 'LineInputVoltageType'),
      inputVoltage: volts(numberAt(entry, 'LineInputVoltage')),
      inputPower: atLeastZero(numberAt(entry, 'PowerInputWatts') ?? oem),
      outputPower: atLeastZero(numberAt(entry, 'PowerOutputWatts') ?? live),
    };
  });
  return withoutUnsupported(supplies);
}

/** A member of PowerSupplies with its Metrics (the newer model). */
export function decodeSupply(body: unknown, metrics: unknown, slot: string): Supply {
  return {
    ...common(body, slot),
    lineType: null,
    inputVoltage: volts(reading(metrics, 'InputVoltage')),
    inputPower: atLeastZero(reading(metrics, 'InputPowerWatts')),
    outputPower: atLeastZero(reading(metrics, 'OutputPowerWatts')),
  };
}

/** What names the bay of a member of PowerSupplies. */
export function supplyNames(body: unknown, path: string, { supplySlot }: Quirks): SlotNames {
  const id = textAt(body, 'Id') ?? path.split('/').filter(Boolean).at(-1) ?? null;
  return {
    bay: supplySlot === null ? null : textAt(body, ...supplySlot),
    names: [id, textAt(body, 'Location', 'PartLocation', 'ServiceLabel'), textAt(body, 'Name')],
  };
}

function common(body: unknown, slot: string) {
  const serial = textAt(body, 'SerialNumber')?.trim() ?? null;
  const outlet = linkAt(body, 'Links', 'Outlet');
  const conditions = listAt(body, 'Status', 'Conditions').slice(0, MOST_CONDITIONS);
  return {
    part: 'supply' as const,
    slot,
    name: textAt(body, 'Name'),
    state: textAt(body, 'Status', 'State'),
    health: textAt(body, 'Status', 'Health'),
    line: textAt(body, 'LineInputStatus'),
    capacity: positive(numberAt(body, 'PowerCapacityWatts')),
    ...(serial === null || serial === '' ? {} : { serial }),
    ...(outlet === null ? {} : { outlet }),
    conditions: conditions.map(
      (condition): Condition => ({
        text: [textAt(condition, 'Message'), textAt(condition, 'MessageId')].filter((word) => word !== null).join(' '),
        stampMs: stamp(textAt(condition, 'Timestamp')),
      }),
    ),
  };
}

/** Zero from every supply of a host that runs is not a reading at all. */
export function withoutUnsupported(supplies: readonly Supply[]): Supply[] {
  const fields = ['inputVoltage', 'inputPower', 'outputPower'] as const;
  const silent = fields.filter((field) =>
    supplies.every((supply) => (supply[field] ?? 0) === 0 && supply.line === null),
  );
  return supplies.map((supply) => ({ ...supply, ...Object.fromEntries(silent.map((field) => [field, null])) }));
}

/** Groups without a name, or with one name, are told apart by their place in the list. */
function named(groups: readonly Redundancy[]): Redundancy[] {
  const count = new Map<string, number>();
  return groups.map((group) => {
    const number = (count.get(group.name) ?? 0) + 1;
    count.set(group.name, number);
    return number === 1 ? group : { ...group, name: `${group.name} ${number}` };
  });
}

function listedIn(entry: unknown, list: string): { listed?: number } {
  const listed = numberAt(entry, `${list}@odata.count`) ?? listAt(entry, list).length;
  return listed > 0 ? { listed } : {};
}

function legacyRedundancy(entry: unknown): Redundancy[] {
  if (at(entry, 'Status') === undefined && at(entry, 'Mode') === undefined) return [];
  return [
    {
      part: 'redundancy',
      name: textAt(entry, 'Name') ?? 'power supplies',
      health: textAt(entry, 'Status', 'Health'),
      state: textAt(entry, 'Status', 'State'),
      mode: textAt(entry, 'Mode'),
      needed: numberAt(entry, 'MinNumNeeded'),
      supported: numberAt(entry, 'MaxNumSupported'),
      ...listedIn(entry, 'RedundancySet'),
    },
  ];
}

/** PowerSubsystem: only its redundancy; the supplies are members of their own. */
export function decodePowerSubsystem(body: unknown): Redundancy[] {
  return named(
    listAt(body, 'PowerSupplyRedundancy').map((entry) => ({
      part: 'redundancy',
      name: textAt(entry, 'GroupName') ?? 'power supplies',
      health: textAt(entry, 'Status', 'Health'),
      state: textAt(entry, 'Status', 'State'),
      mode: textAt(entry, 'RedundancyType'),
      needed: numberAt(entry, 'MinNeededInGroup'),
      supported: numberAt(entry, 'MaxSupportedInGroup'),
      ...listedIn(entry, 'RedundancyGroup'),
    })),
  );
}

/** EnvironmentMetrics of a chassis. */
export function decodeEnvironment(body: unknown): (HostPower | PowerLimit)[] {
  const watts = positive(reading(body, 'PowerWatts'));
  const limit = at(body, 'PowerLimitWatts');
  const off = textAt(limit, 'ControlMode') === 'Disabled';
  return [
    ...(watts === null ? [] : [{ part: 'power', watts } as const]),
    ...(typeof limit !== 'object' || limit === null
      ? []
      : [{ part: 'limit', watts: off ? null : positive(numberAt(limit, 'SetPoint')) } as const]),
  ];
}

/** Excerpts carry {"Reading": n}; some services write the number itself. */
export function reading(body: unknown, name: string): number | null {
  return numberAt(body, name, 'Reading') ?? numberAt(body, name);
}

export function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

function atLeastZero(value: number | null): number | null {
  return value !== null && value >= 0 ? value : null;
}

function volts(value: number | null): number | null {
  const read = atLeastZero(value);
  if (read === null || read <= MOST_VOLTS) return read;
  return read / 1000 <= MOST_VOLTS ? read / 1000 : null;
}

function stamp(text: string | null): number | null {
  const ms = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** Link to the Metrics of a supply. */
export function metricsLink(body: unknown): string | null {
  return linkAt(body, 'Metrics');
}
