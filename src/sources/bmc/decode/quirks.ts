// What differs between vendors' Redfish services, read from catalog/redfish.json.

import catalogue from '#catalog/redfish.json' with { type: 'json' };

export interface Quirks {
  readonly vendor: string | null;
  /** Path inside a PowerSupplies entry to the number of its bay. */
  readonly supplySlot: readonly string[] | null;
  /** False where LastPowerOutputWatts is not a live value. */
  readonly lastOutputIsLive: boolean;
  /** Path inside a PowerControl entry to the consumption, where the standard property is not filled in. */
  readonly consumedPower: readonly string[] | null;
  readonly supplyInputPower: readonly string[] | null;
}

interface VendorEntry {
  readonly vendor: string;
  readonly match: string;
  readonly supply_slot?: readonly string[];
  readonly last_output_is_live?: boolean;
  readonly consumed_power?: readonly string[];
  readonly supply_input_power?: readonly string[];
}

export const NO_QUIRKS: Quirks = {
  vendor: null,
  supplySlot: null,
  lastOutputIsLive: true,
  consumedPower: null,
  supplyInputPower: null,
};

/** `names`: vendor, manufacturer and product as the service tells them; the first that an entry matches decides. */
export function quirksFor(names: readonly (string | null)[]): Quirks {
  const vendors: readonly VendorEntry[] = catalogue.vendors;
  for (const name of names) {
    if (name === null) continue;
    const entry = vendors.find(({ match }) => new RegExp(match, 'i').test(name));
    if (entry === undefined) continue;
    return {
      vendor: entry.vendor,
      supplySlot: entry.supply_slot ?? null,
      lastOutputIsLive: entry.last_output_is_live ?? true,
      consumedPower: entry.consumed_power ?? null,
      supplyInputPower: entry.supply_input_power ?? null,
    };
  }
  return NO_QUIRKS;
}

const PART_TYPES: readonly string[] = catalogue.part_chassis_types;
const SKIPPED = new RegExp(catalogue.skip_chassis, 'i');
const SKIPPED_LOG = new RegExp(catalogue.skip_logs, 'i');
const NO_THRESHOLD: readonly number[] = catalogue.no_threshold;
const INPUT_LOST = new RegExp(catalogue.input_lost_texts.join('|'), 'i');

/** A chassis that is a part of another: a module, a processor, a card. */
export function isPartChassis(chassisType: string | null): boolean {
  return chassisType !== null && PART_TYPES.includes(chassisType);
}

/** Chassis that must not be read at all: some services crash on them. */
export function isSkippedChassis(link: string): boolean {
  return SKIPPED.test(link.split('/').filter(Boolean).at(-1) ?? '');
}

/** Logs that are no list of events: dumps, journals, consoles, audit trails. */
export function isSkippedLog(link: string): boolean {
  return SKIPPED_LOG.test(link.split('/').filter(Boolean).at(-1) ?? '');
}

/** Null for the values that firmware writes where there is no threshold. */
export function threshold(value: number | null): number | null {
  return value === null || NO_THRESHOLD.includes(value) ? null : value;
}

export function saysInputLost(text: string): boolean {
  return INPUT_LOST.test(text);
}
