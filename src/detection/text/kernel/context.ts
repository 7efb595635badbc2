// KernelContext: the little that one kernel log stream must remember from line to line.

import type { Component } from '../../../model/component.ts';
import { canonicalPciAddress } from '../../../model/component.ts';
import type { Evidence } from '../../../model/event.ts';
import type { TextRecord } from '../../../model/record.ts';
import type { StateFinding } from './finding.ts';
import type { OomReport } from './oom-report.ts';
import { savedMessage } from './saved-line.ts';
import type { SlotState } from './slot-state.ts';

/** A host has 16 GPUs at most; beyond this the addresses are made up. */
const MAX_IDENTITIES = 64;

export interface GpuIdentity {
  uuid: string;
  serial: string | null;
}

/** Corrected errors of one DIMM and since when they are counted, epoch ms. */
export interface CorrectedErrors {
  sinceMs: number;
  errors: number;
  burstSinceMs: number;
  burst: number;
  burstErrors: number;
}

/** One section of a hardware error record, as far as it was read. */
export interface ErrorSection {
  /** The number that every line of the record has; empty for one of the boot before. */
  readonly record: string;
  readonly grade: 'recoverable' | 'fatal' | 'corrected' | 'info';
  fru: string | null;
  type: string | null;
  place: string | null;
  device: string | null;
  readonly facts: Record<string, string>;
}

export interface Held {
  /** A section of a record, or what the first line says already. */
  readonly what: ErrorSection | StateFinding;
  /** The line that began it. */
  readonly record: TextRecord;
  readonly evidence: Evidence[];
}

export interface KernelContext {
  readonly host: string;
  /**
   * True when a message starts where the text starts, as the kernel hands it over; false for text that carries prefixes
   * of its own (a saved log), where the message follows them.
   */
  readonly anchored: boolean;
  /** What identity lines said, by canonical PCI address. */
  readonly identities: Map<string, GpuIdentity>;
  /** Address of the identity line just seen: a serial number line belongs to it. */
  lastIdentity: string | null;
  /** Address of the first line of a message that the driver spreads over three, and how many lines ago it was. */
  openMessage: { readonly address: string; age: number } | null;
  /** GPUs that this driver cannot run, by canonical PCI address: that their probe fails follows from it. */
  readonly unsupported: Set<string>;
  /** Corrected errors by DIMM. */
  readonly corrected: Map<string, CorrectedErrors>;
  /** When a switch printed the words of an error last, by switch and number. */
  readonly switchErrors: Map<string, number>;
  /** Addresses of ports that this log has shown to come up. */
  readonly portsUp: Set<string>;
  /** What drivers said last of their ports, by the interface, and when, epoch ms. */
  readonly portsSaid: Map<string, { readonly state: 'onset' | 'clear'; readonly ms: number }>;
  /** Addresses of GPUs that AMD's driver named, and whether it reset them. */
  readonly amdgpus: Map<string, boolean>;
  /** What was said of slots, by the port above each. */
  readonly slots: Map<string, SlotState>;
  /** Servers of a cluster that went down and are not back. */
  readonly serversDown: Set<string>;
  /** When the bus reported an error, or a port that is down without an order, last; ms. */
  busFaultMs: number | null;
  /** Interfaces of any driver that a line said to be up, or down: only then a line that says down is news. */
  readonly linksSeen: Set<string>;
  /** GPU and number of each Xid that was said by a line of its own, or named by another's. */
  readonly xidsSeen: Set<string>;
  /** When the report of an oops began last, ms. */
  oopsMs: number | null;
  /** What the kernel printed of memory before a kill that has not come yet. */
  oom: OomReport | null;
  /** What first lines report and further ones complete, by what tells the records apart. */
  readonly held: Map<string, Held>;
  /** A line said so, and none that it was set right since. */
  isClockWrong: boolean;
  /** What was said of it since then. */
  clockFacts: readonly string[];
}

export function kernelContext(host: string, anchored = true): KernelContext {
  return {
    host,
    anchored,
    identities: new Map(),
    lastIdentity: null,
    openMessage: null,
    unsupported: new Set(),
    corrected: new Map(),
    switchErrors: new Map(),
    portsUp: new Set(),
    portsSaid: new Map(),
    amdgpus: new Map(),
    slots: new Map(),
    serversDown: new Set(),
    busFaultMs: null,
    linksSeen: new Set(),
    xidsSeen: new Set(),
    oopsMs: null,
    oom: null,
    held: new Map(),
    isClockWrong: false,
    clockFacts: [],
  };
}

export function learnIdentity(context: KernelContext, address: string, uuid: string): void {
  if (!context.identities.has(address) && context.identities.size >= MAX_IDENTITIES) return;
  context.identities.set(address, { uuid, serial: context.identities.get(address)?.serial ?? null });
  context.lastIdentity = address;
}

/** The GPU at this address, with the other names that the log gave; null when the text is not a PCI address. */
export function gpuAt(address: string, context: KernelContext): Component | null {
  const canonical = canonicalPciAddress(address);
  if (canonical === null) return null;
  const identity = context.identities.get(canonical);
  const gpu: Component = { type: 'gpu', id: canonical, host: context.host };
  if (identity === undefined) return gpu;
  return { ...gpu, aliases: identity.serial === null ? [identity.uuid] : [identity.uuid, identity.serial] };
}

/** A PCI address as drivers print it, for use within a pattern; `gpuAt` and its like make it canonical. */
export const ADDRESS = String.raw`(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?`;

/** The message itself, at whose start alone a decoder looks; null where another than the kernel wrote the line. */
export function messageOf(text: string, { anchored }: KernelContext): string | null {
  return anchored ? text : savedMessage(text);
}

export function hostOf({ host }: KernelContext): Component {
  return { type: 'host', id: host };
}
