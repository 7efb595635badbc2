// The form in which kernel drivers write of their devices: "<driver> <PCI address>: <words>".

import { canonicalPciAddress } from '../../../model/component.ts';
import { Cursor } from '../cursor.ts';
import type { KernelContext } from './context.ts';

/** TASK_COMM_LEN and module names are shorter; what is longer is no driver. */
const MAX_DRIVER = 56;

export interface DeviceMessage {
  readonly driver: string;
  /** Canonical PCI address. */
  readonly address: string;
  /** Behind the words. */
  readonly cursor: Cursor;
}

/** Null where the text is no message with these words, or names no device. Linear in the text. */
export function deviceMessage(text: string, words: string, context: KernelContext): DeviceMessage | null {
  const colon = text.indexOf(`: ${words}`);
  const gap = colon < 0 ? -1 : text.lastIndexOf(' ', colon - 1);
  if (gap < 1) return null;
  const address = canonicalPciAddress(text.slice(gap + 1, colon));
  const from = text.lastIndexOf(' ', gap - 1) + 1;
  // The kernel's own messages begin with the driver; what comes before it is a prefix of a saved log.
  if (address === null || gap - from > MAX_DRIVER || (context.anchored && from > 0)) return null;
  return { driver: text.slice(from, gap), address, cursor: new Cursor(text, colon + 2 + words.length) };
}
