// The form in which kernel drivers write of their devices: "<driver> <PCI address>: <words>".

import { canonicalPciAddress } from '../../../model/component.ts';
import { Cursor } from '../cursor.ts';
import { ADDRESS } from './context.ts';

/** Module names are shorter than 56 bytes. */
const HEAD = new RegExp(`^([\\w-]{1,56}) (${ADDRESS}): `);

export interface DeviceMessage {
  readonly driver: string;
  /** Canonical PCI address. */
  readonly address: string;
  /** Behind the words. */
  readonly cursor: Cursor;
}

/** Null where the text is not a message that begins with these words, or names no device. */
export function deviceMessage(text: string, words: string): DeviceMessage | null {
  const [head, driver, written] = HEAD.exec(text) ?? [];
  if (head === undefined || driver === undefined || !text.startsWith(words, head.length)) return null;
  const address = canonicalPciAddress(written ?? '');
  return address === null ? null : { driver, address, cursor: new Cursor(text, head.length + words.length) };
}
