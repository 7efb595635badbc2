// Card place: where a card is, as the log of a BMC says it: the slot, and the address on the bus in the words of its vendor.

import { canonicalPciAddress } from '../../../model/component.ts';

/** HPE: "(Segment 0x0, Bus 0x9B, Device 0x0, Function 0x0)"; others without the segment, and with "Dev" and "Func". */
const HEX =
  /(?:\bsegment (?:number )?0x([0-9a-f]{1,4})\W{1,3})?\bbus (?:number )?0x([0-9a-f]{1,2})\W{1,3}dev(?:ice)? (?:number )?0x([0-9a-f]{1,2})\W{1,3}func(?:tion)? (?:number )?0x([0-7])\b/i;
/** Dell writes them as decimals: "on a component at bus 59 device 0 function 0". */
const DECIMAL = /\bcomponent at bus (\d{1,3}),? device (\d{1,2}),? (?:and )?function ([0-7])\b/i;
const WRITTEN = /\b((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b/i;
const SLOT = /\b(?:PCI(?:e|-E)?[ .])?slot(?: number)?[ .:#]{0,2}(\d{1,2})\b/i;

export interface CardPlace {
  readonly card_slot?: number;
  readonly card_address?: string;
}

/** Empty where the text says neither. */
export function cardPlace(text: string): CardPlace {
  const slot = SLOT.exec(text)?.[1];
  const address = addressIn(text);
  return {
    ...(slot === undefined ? {} : { card_slot: Number(slot) }),
    ...(address === null ? {} : { card_address: address }),
  };
}

function addressIn(text: string): string | null {
  const hex = HEX.exec(text);
  if (hex !== null) {
    const [, segment = '0', bus = '', device = '', part = ''] = hex;
    return canonicalPciAddress(
      `${segment.padStart(4, '0')}:${bus.padStart(2, '0')}:${device.padStart(2, '0')}.${part}`,
    );
  }
  const [, bus, device, part] = DECIMAL.exec(text) ?? [];
  if (bus !== undefined && Number(bus) < 256 && Number(device) < 32)
    return canonicalPciAddress(`0000:${inHex(bus)}:${inHex(device)}.${part}`);
  const written = WRITTEN.exec(text)?.[1];
  return written === undefined ? null : canonicalPciAddress(written);
}

function inHex(decimal: string | undefined): string {
  return Number(decimal).toString(16).padStart(2, '0');
}
