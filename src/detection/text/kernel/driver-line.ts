// NVIDIA driver lines without an XID: a GPU off the bus, failed initialisation, a loaded module, identities, notices.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import { Cursor } from '../cursor.ts';
import { gpuAt, type KernelContext, learnIdentity, messageStart } from './context.ts';

export interface Finding {
  readonly kind: Kind;
  readonly component: Component | null;
  readonly attributes: Record<string, AttributeValue>;
}

const OFF_THE_BUS = 'fallen off the bus';
/** Firmware gave the device no address space for one of its windows. */
const NO_ROOM = ' is 0M @ 0x0 (PCI:';
/** A message of three lines is over after that many more. */
const MESSAGE_LINES = 3;

/** Null when the line is none of the driver's, or says nothing worth an event; identities are learnt on the way. */
export function driverLine(text: string, context: KernelContext): Finding | null {
  const start = messageStart(text, 'NVRM: ', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'NVRM: '.length);
  ageOpenMessage(context);
  if (text.includes(OFF_THE_BUS, cursor.position)) return offTheBus(cursor, context);
  if (cursor.take('The NVIDIA GPU ')) return openMessage(cursor, context);
  if (cursor.take('GPU at PCI:')) return identity(cursor, context);
  if (cursor.take('GPU Board Serial Number: ')) return serial(cursor, context);
  if (cursor.take('loading NVIDIA UNIX ')) return moduleLoaded(cursor, context);
  if (cursor.take('GPU ')) return initialisation(cursor, context);
  if (cursor.take('API mismatch: ')) return mismatch(cursor, context);
  if (text.includes(NO_ROOM, cursor.position)) return noRoom(cursor, context);
  if (cursor.take('Rate limiting ')) return rateLimit(cursor, context);
  if (cursor.skipPast('Back to back GSP RPC timeout')) {
    return { kind: 'gpu.gsp_timeout', component: null, attributes: { marked_for_reset: true } };
  }
  return null;
}

/** "GPU 0000:91:00.0: GPU has ...", "GPU at 0000:01:00.0 has ...", "The NVIDIA GPU 0000:b3:00.0 ... has ...", or its tail. */
function offTheBus(cursor: Cursor, context: KernelContext): Finding {
  const open = context.openMessage;
  context.openMessage = null;
  cursor.take('The NVIDIA ');
  const address = cursor.take('GPU ') ? addressNext(cursor) : (open?.address ?? null);
  return { kind: 'gpu.lost', component: address === null ? null : gpuAt(address, context), attributes: {} };
}

function ageOpenMessage(context: KernelContext): void {
  if (context.openMessage === null) return;
  context.openMessage.age += 1;
  if (context.openMessage.age > MESSAGE_LINES) context.openMessage = null;
}

function openMessage(cursor: Cursor, context: KernelContext): null {
  const address = addressNext(cursor);
  context.openMessage = address === null ? null : { address, age: 0 };
  return null;
}

/** "0000:9b:00: GPU-509665ad-..." */
function identity(cursor: Cursor, context: KernelContext): null {
  const address = addressNext(cursor);
  const uuid = cursor.skipPast(': ') ? cursor.rest().trimEnd() : '';
  context.lastIdentity = null;
  if (address !== null && /^GPU-[0-9a-f-]{36}$/i.test(uuid)) learnIdentity(context, address, uuid);
  return null;
}

/** "1650124014249", of the GPU whose identity line came just before. */
function serial(cursor: Cursor, context: KernelContext): null {
  const known = context.lastIdentity === null ? undefined : context.identities.get(context.lastIdentity);
  const digits = cursor.rest().trimEnd();
  if (known !== undefined && /^\d{1,20}$/.test(digits) && !/^0+$/.test(digits)) known.serial = digits;
  context.lastIdentity = null;
  return null;
}

/** "Open Kernel Module for x86_64  570.158.01  Release Build ...": the first word with a dotted number is the version. */
function moduleLoaded(cursor: Cursor, context: KernelContext): Finding {
  const words = cursor.rest().slice(0, 160).split(' ');
  const version = words.find((word) => /^\d{2,4}\.\d{1,4}(\.\d{1,4})?$/.test(word));
  return {
    kind: 'driver.reloaded',
    component: { type: 'host', id: context.host },
    attributes: { driver: version ?? null, open_module: words[0] === 'Open' },
  };
}

/**
 * "the client has the version 575.57.08, but NVRM: this kernel module has the version 570.86.10.  Please ...": a library
 * that was upgraded under a module that was not, or the other way round.
 */
function mismatch(cursor: Cursor, context: KernelContext): Finding {
  return {
    kind: 'gpu.driver_unsupported',
    component: { type: 'host', id: context.host },
    attributes: { mismatch: true, library: versionNext(cursor), module: versionNext(cursor) },
  };
}

function versionNext(cursor: Cursor): string | null {
  if (!cursor.skipPast(' has the version ')) return null;
  return /^\d{2,4}(?:\.\d{1,4}){1,2}/.exec(cursor.text.slice(cursor.position, cursor.position + 16))?.[0] ?? null;
}

/** "0000:01:00.0: RmInitAdapter failed! (0x26:0x1a:1227)", and its second line in other words. */
function initialisation(cursor: Cursor, context: KernelContext): Finding | null {
  const address = addressNext(cursor);
  if (address === null) return null;
  const message = cursor.rest();
  if (!message.includes('RmInitAdapter failed') && !message.includes('rm_init_adapter failed')) return null;
  const code = cursor.skipPast('failed! (') ? cursor.until(')', 32) : null;
  return { kind: 'gpu.init_failure', component: gpuAt(address, context), attributes: code === null ? {} : { code } };
}

/** "This PCI I/O region assigned to your NVIDIA device is invalid:" and then "BAR1 is 0M @ 0x0 (PCI:0000:43:00.0)". */
function noRoom(cursor: Cursor, context: KernelContext): Finding | null {
  const bar = cursor.skipPast('BAR') ? cursor.integer(1) : null;
  const address = cursor.skipPast(NO_ROOM) ? addressNext(cursor) : null;
  if (address === null) return null;
  return { kind: 'gpu.init_failure', component: gpuAt(address, context), attributes: { bar } };
}

/** "GSP RPC error prints for GPU at PCI:0000:9b:00 (printing 1 of every 30).": from here on every count is too low. */
function rateLimit(cursor: Cursor, context: KernelContext): Finding {
  const address = cursor.skipPast('PCI:') ? addressNext(cursor) : null;
  const oneIn = cursor.skipPast('1 of every ') ? cursor.integer(5) : null;
  return {
    kind: 'gpu.driver_notice',
    component: address === null ? null : gpuAt(address, context),
    attributes: { notice: 'rate_limited', one_in: oneIn },
  };
}

/** The PCI address next in the text ("at " and "PCI:" before it allowed); steps over it, null when there is none. */
function addressNext(cursor: Cursor): string | null {
  const from = cursor.position;
  cursor.take('at ');
  cursor.take('PCI:');
  const start = cursor.position;
  let end = start;
  while (end < cursor.text.length && end - start < 20 && /[0-9a-fA-F:.]/.test(cursor.text[end] ?? '')) end += 1;
  while (end > start && cursor.text[end - 1] === ':') end -= 1;
  const address = canonicalPciAddress(cursor.text.slice(start, end));
  cursor.position = address === null ? from : end;
  return address;
}
