// What the message of one XID says beyond its number: link, address, unit, transition, verdict words.

import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import { recoveryActionOf } from '../../../model/recovery-action.ts';
import { Cursor } from '../cursor.ts';
import { nvlink5Attributes } from './nvlink5.ts';
import type { XidLine } from './xid-line.ts';

export interface XidDetails {
  readonly attributes: Record<string, AttributeValue>;
  /** Set where the words of the line decide the kind: fatal or not. */
  readonly kind?: Kind;
  /** Set where the fault is in one NVLink of the GPU. */
  readonly link?: number;
}

export function xidDetails(line: XidLine): XidDetails {
  const details = ownDetails(line);
  const previous = previousXid(line.message);
  return previous === null ? details : { ...details, attributes: { ...details.attributes, previous_xid: previous } };
}

/** "Ch 00000008 caused by previous Xid 149": a channel that the driver removes because of another error of the GPU. */
function previousXid(message: string): number | null {
  return Number(/(?:^| )caused by previous Xid (\d{1,4})\s*$/.exec(message)?.[1] ?? Number.NaN) || null;
}

function ownDetails(line: XidLine): XidDetails {
  const { xid, message } = line;
  if (xid === 154) return recoveryAction(message);
  if (xid === 74) return nvlinkError(message);
  if (xid >= 144 && xid <= 150) return nvlink5Error(xid, message);
  if (xid === 13) return { attributes: { ...unit(message), ...channel(message) } };
  if (xid === 31) return { attributes: { ...channel(message), ...memoryFault(message) } };
  if (xid === 94 || xid === 95) return { attributes: { ...containment(message) } };
  if (xid === 119) return { attributes: { ...rpcTimeout(message) } };
  return { attributes: { ...channel(message), ...memoryPlace(message) } };
}

/** "GPU recovery action changed from 0x4 (Drain and Reset) to 0x1 (GPU Reset Required)", cut anywhere. */
function recoveryAction(message: string): XidDetails {
  const cursor = new Cursor(message);
  const attributes: Record<string, AttributeValue> = {};
  if (!cursor.skipPast('changed from ')) return { attributes };
  const from = cursor.hex();
  if (from !== null) attributes.from = from;
  if (!cursor.skipPast(' to ')) return { attributes };
  const to = cursor.hex();
  if (to === null) return { attributes };
  attributes.to = to;
  attributes.recovery_action = to;
  const action = recoveryActionOf(to);
  if (action !== null) attributes.action = action;
  return { attributes };
}

/** "NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"; the registers may be missing. */
function nvlinkError(message: string): XidDetails {
  const cursor = new Cursor(message);
  const kind = /fatal error/i.test(message) && !/non-?fatal/i.test(message) ? 'nvlink.fatal' : 'nvlink.nonfatal';
  const attributes: Record<string, AttributeValue> = {};
  if (!cursor.skipPast('on link ')) return { attributes, kind };
  const link = cursor.spaces().integer(3);
  if (link === null) return { attributes, kind };
  attributes.link = link;
  if (cursor.take('(')) {
    const registers = cursor.until(')', 128);
    if (registers !== null) attributes.registers = registers;
  }
  return { attributes, kind, link };
}

/** "RLW_SRC_TRACK Nonfatal XC1 i0 Link 17 (0x04084507 0x00000004 ..."; -1 is not a link; words and tail may be missing. */
function nvlink5Error(xid: number, message: string): XidDetails {
  const words = message.slice(0, 256).split(/[ \t]+/, 24);
  const fatal = words.findIndex((word) => /^(non-?)?fatal$/i.test(word));
  const attributes: Record<string, AttributeValue> = {};
  const kind = words[fatal]?.toLowerCase() === 'fatal' ? 'nvlink.fatal' : 'nvlink.nonfatal';
  if (fatal > 0) attributes.unit = words.slice(0, fatal).join(' ').slice(0, 32);
  if (words.includes('XC1')) attributes.cross_contained = true;
  if (words.includes('i1')) attributes.injected = true;
  const registers = words.filter((word) => word.includes('0x')).map((word) => new Cursor(word.replace('(', '')).hex());
  if (registers.length > 0) attributes.registers = registers.join(' ');
  const link = words.includes('Link') ? new Cursor(words[words.indexOf('Link') + 1] ?? '').integer(3) : null;
  // A word that the line cuts off would decode to something else.
  const [info, status] = words.flatMap((word) => /^\(?0x([0-9a-f]{8})\)?$/i.exec(word)?.slice(1) ?? []);
  if (info !== undefined && status !== undefined) {
    const unit = typeof attributes.unit === 'string' ? attributes.unit : null;
    const decoded = { xid, unit, link, info: Number.parseInt(info, 16), status: Number.parseInt(status, 16) };
    Object.assign(attributes, nvlink5Attributes(decoded));
  }
  if (link === null) return { attributes, kind };
  attributes.link = link;
  return { attributes, kind, link };
}

/** "(GPC 10, TPC 1, SM 1)": the same unit again and again is hardware, different ones are the program. */
function unit(message: string): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  const cursor = new Cursor(message);
  for (const name of ['GPC', 'TPC', 'SM']) {
    const value = cursor.skipPast(`${name} `) ? cursor.integer(3) : null;
    if (value !== null) attributes[name.toLowerCase()] = value;
  }
  return attributes;
}

/** "Ch 0000000a", "Channel 00000001", "Channel ID 0000000d", "channel 0x00000002", "ChID 000a". */
function channel(message: string): Record<string, AttributeValue> {
  for (const word of ['Channel ID ', 'Channel ', 'channel ', 'ChID ', 'Ch ']) {
    const cursor = new Cursor(message);
    const found = cursor.skipPast(word) ? cursor.hex() : null;
    if (found !== null) return { channel: found };
  }
  return {};
}

/** "ENGINE GRAPHICS GPC6 GPCCLIENT_T1_13 faulted @ 0x6f6f_320c2000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ". */
function memoryFault(message: string): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  const cursor = new Cursor(message);
  if (cursor.skipPast('ENGINE ')) attributes.engine = cursor.until(' faulted', 64) ?? '';
  if (cursor.skipPast('@ ')) attributes.virtual_address = (cursor.until('.', 24) ?? '').replace('_', '');
  if (cursor.skipPast('of type ')) {
    const [fault = '', access = ''] = cursor.rest().slice(0, 80).split(' ', 2);
    attributes.fault = fault;
    if (access.startsWith('ACCESS_TYPE_')) attributes.access = access.slice('ACCESS_TYPE_'.length);
  }
  return attributes;
}

/** "Uncontained: LTC TAG (0x2,0x1). RST: Yes, D-RST: No": what the driver wants done with the GPU. */
function containment(message: string): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  const cursor = new Cursor(message);
  if (cursor.skipPast('ontained: ')) attributes.where = cursor.until('. RST', 64) ?? cursor.rest().slice(0, 64);
  if (message.includes('D-RST: Yes')) attributes.action = 'drain_reset_gpu';
  else if (message.includes(' RST: Yes')) attributes.action = 'reset_gpu';
  return attributes;
}

/** "Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 103 (GSP_RM_ALLOC) ...". */
function rpcTimeout(message: string): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  const cursor = new Cursor(message);
  const seconds = cursor.skipPast('Timeout after ') ? cursor.integer(5) : null;
  if (seconds !== null) attributes.timeout_s = seconds;
  if (cursor.skipPast('Expected function ') && cursor.skipPast('(')) {
    attributes.function = cursor.until(')', 48) ?? '';
  }
  return attributes;
}

/** A physical address of memory, the join between 48, 171 and 63: "physAddr 0x18f31d80", "New row (0x0000000018f31d80)". */
function memoryPlace(message: string): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = {};
  for (const word of ['physAddr ', 'New row (']) {
    const cursor = new Cursor(message);
    const address = cursor.skipPast(word) ? cursor.hex() : null;
    if (address !== null) attributes.physical_address = address;
  }
  const cursor = new Cursor(message);
  const partition = cursor.skipPast('partition ') ? cursor.integer(4) : null;
  if (partition !== null) attributes.partition = partition;
  return attributes;
}
