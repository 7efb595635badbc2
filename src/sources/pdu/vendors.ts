// Vendors of power devices by their enterprise numbers, and what is said of a device that no catalogue has.

import vendors from '#catalog/pdu-vendors.json' with { type: 'json' };
import { rawText } from './decode.ts';

const ENTERPRISE = /^1\.3\.6\.1\.4\.1\.(\d{1,10})(?:\.|$)/;
const BY_NUMBER: ReadonlyMap<string, string> = new Map(Object.entries(vendors.enterprises));

/** The vendor whose enterprise number a sysObjectID has, null where that is not of the table. */
export function vendorOf(objectId: string): string | null {
  return BY_NUMBER.get(ENTERPRISE.exec(objectId)?.[1] ?? '') ?? null;
}

/** Whose it is, and what it calls itself. */
export function unknownDevice(objectId: string, description: string): string {
  const number = ENTERPRISE.exec(objectId)?.[1];
  const vendor = vendorOf(objectId);
  const whose =
    vendor !== null
      ? `a device of ${vendor}, `
      : number === undefined
        ? ''
        : `a device of the vendor with enterprise number ${number}, `;
  return `${whose}sysObjectID ${objectId || 'absent'}, "${rawText(description) ?? 'no description'}"`;
}
