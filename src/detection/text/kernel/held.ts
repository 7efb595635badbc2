// What a first line reports and further ones complete is held back for a second: one error of several lines is one event.

import { remember } from '../../../helpers/remember.ts';
import type { Component } from '../../../model/component.ts';
import type { EventInput, TextRecord } from '../../../model/record.ts';
import { lineEvidence, recordTime } from '../evidence.ts';
import { amdgpuLine } from './amdgpu-line.ts';
import { apeiFinding, apeiLine } from './apei-line.ts';
import { type ErrorSection, type Held, hostOf, type KernelContext } from './context.ts';
import { driverLine } from './driver-line.ts';
import { fileServerLine } from './file-server-line.ts';
import type { Finding, StateFinding } from './finding.ts';
import { finished } from './line-event.ts';
import { isHealthDump, mlx5Line } from './mlx5-line.ts';
import { isChosen, isEnded, oomCall } from './oom-line.ts';
import { reportFacts } from './oom-report.ts';
import { isRepeatedByBond, portChange } from './port-line.ts';
import { switchData, switchErrorOf } from './switch-line.ts';

/** The lines of one error are written within milliseconds; the clock of a saved log may have whole seconds. */
const HOLD_MS = 1000;
/**
 * A target of Lustre or a monitor of Ceph that is away for less than this is a hiccup, of which a large site has one an hour: requests
 * wait and are sent again. A failover, after which clients must recover, takes longer.
 */
const HICCUP_MS = 10_000;
const HICCUPS = /^(?:Lustre|libceph): /;
/** A port that is up again within this time dropped once. The card's own source looks by then, and knows of an order to be down. */
const PORT_MS = 6000;
/** At a boot, and when the network comes back, a clock is wrong or without a source until it was stepped, or a source selected. */
const CLOCK_MS = 60_000;
const MAX_EVIDENCE = 4;
/** The GPU's own processor does not answer; the GPU must be reset; what the driver wants to be done. */
const NAMES_GSP: ReadonlySet<number> = new Set([119, 120, 154]);
/** More errors do not begin in a second. */
const MAX_HELD = 32;
/** There is one record at a time, and one queue whose GPU the next lines name. */
const SECTION = 'section';
const RING = 'ring';
const GSP = 'gsp';
const KILL = 'kill';
/** A call for a kill, whose own line was not seen yet: the tables of a large host are between them. */
const OOM_CALL = 'oom call';
const OOM_CALL_MS = 30_000;
/** Before the name of a file server that does not answer. */
const SERVER = 'server ';
/** Of the host's clock. */
const CLOCK = 'clock';
/** Before the address of a card whose port went down. */
const PORT = 'port ';

/** The events of what was held for long enough at `timeMs`, by the time of a later line or of a tick. */
export function releaseHeld(context: KernelContext, timeMs: number): EventInput[] {
  if (context.held.size === 0) return [];
  const due = [...context.held].filter(([key, { record }]) => Math.abs(timeMs - recordTime(record)) > holdMs(key));
  return due.flatMap(([key]) => closed(key, context));
}

/** The driver's assertion names no GPU; the XID line that follows within the second, of the time-out or of what is to be done, does. */
export function nameHeld(xid: number, gpu: Component | null, record: TextRecord, context: KernelContext): EventInput[] {
  const held = context.held.get(GSP);
  if (gpu === null || held === undefined || isSection(held.what) || !NAMES_GSP.has(xid)) return [];
  note(held, record);
  context.held.set(GSP, { ...held, what: { ...held.what, component: gpu } });
  return closed(GSP, context);
}

/** An SXid is printed as its words, its severity and its registers: the registers alone are all of it only where the rest was lost. */
function completeSwitch(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const error = switchErrorOf(text);
  if (error === null) return null;
  const { key, worded } = error;
  if (worded) {
    context.held.delete(key);
    remember(context.switchErrors, key, recordTime(record), MAX_HELD);
    return null;
  }
  const wordedMs = context.switchErrors.get(key) ?? Number.NEGATIVE_INFINITY;
  if (Math.abs(recordTime(record) - wordedMs) <= HOLD_MS || context.held.has(key)) return [];
  const found = switchData(text, context);
  return found === null ? [] : hold(key, found, record, context);
}

function completeTimeout(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  // Asked before it is read: the driver's lines are read once, for some are the rest of the one before.
  const found = text.includes(' GSP RPC timeout detected!') ? driverLine(text, context) : null;
  if (found === null || found.kind !== 'gpu.gsp_timeout' || found.component !== null) return null;
  return context.held.has(GSP) ? [] : hold(GSP, found, record, context);
}

/** The kernel called for a kill: a kill that follows says all of it, and where none does the log lacks it. */
export function holdCall(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const found = oomCall(text, hostOf(context));
  if (found === null) return null;
  return context.held.has(OOM_CALL) ? [] : hold(OOM_CALL, found, record, context);
}

/** The task that was chosen, and right behind it the process that was ended for it, are one kill, of the second. */
export function completeKill(
  record: TextRecord,
  text: string,
  found: Finding,
  context: KernelContext,
): EventInput[] | null {
  if (found.kind === 'host.oom') context.held.delete(OOM_CALL);
  if (isChosen(text)) return [...closed(KILL, context), ...hold(KILL, found, record, context)];
  const held = context.held.get(KILL);
  if (!isEnded(text) || held === undefined || isSection(held.what)) return null;
  note(held, record);
  const attributes = { ...held.what.attributes, ...found.attributes };
  context.held.set(KILL, { ...held, what: { ...found, attributes } });
  return closed(KILL, context);
}

function holdMs(key: string): number {
  if (key === CLOCK) return CLOCK_MS;
  if (key === OOM_CALL) return OOM_CALL_MS;
  if (key.startsWith(SERVER)) return HICCUP_MS;
  return key.startsWith(PORT) ? PORT_MS : HOLD_MS;
}

/** Null where the line neither begins, continues nor ends anything of several lines. */
export function completeHeld(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  return (
    completeSection(record, text, context) ??
    completeTimeout(record, text, context) ??
    completeSwitch(record, text, context) ??
    completeReset(record, text, context) ??
    completeDump(record, text, context) ??
    completeHiccup(record, text, context) ??
    completeCable(record, text, context) ??
    completeDrop(record, text, context)
  );
}

function completeSection(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const held = context.held.get(SECTION);
  const open = held !== undefined && isSection(held.what) ? held.what : null;
  const line = apeiLine(text, open);
  if (line.step === 'none') return null;
  if (line.step === 'adds') {
    if (held !== undefined) note(held, record);
    return [];
  }
  const before = closed(SECTION, context);
  return line.step === 'begins' ? [...before, ...hold(SECTION, line.section, record, context)] : before;
}

/**
 * The driver names the queue that hung, or says that its scheduler does not answer, and then the GPU that it resets for it: both
 * lines are one fault of that GPU.
 */
function completeReset(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const found = amdgpuLine(text, context);
  if (found === null || (found.kind !== 'gpu.fault' && found.kind !== 'gpu.firmware_error')) return null;
  const { ring, recovered } = found.attributes;
  if (found.component === null) {
    if (found.kind === 'gpu.fault' && (typeof ring !== 'string' || recovered === true)) return null;
    const open = context.held.get(RING);
    if (
      found.kind === 'gpu.firmware_error' &&
      open !== undefined &&
      !isSection(open.what) &&
      open.what.kind === found.kind
    ) {
      note(open, record);
      return [];
    }
    return [...closed(RING, context), ...hold(RING, found, record, context)];
  }
  const held = context.held.get(RING);
  if (held === undefined || isSection(held.what) || found.attributes.driver_reset !== true) return null;
  note(held, record);
  const attributes = { ...held.what.attributes, ...found.attributes };
  context.held.set(RING, { ...held, what: { ...found, kind: held.what.kind, attributes } });
  return closed(RING, context);
}

/** A card that missed its polls dumps what it knows of itself: which unit stopped, or nothing but ones where it is off the bus. */
function completeDump(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const found = mlx5Line(text, context);
  if (found === null || found.component === null) return null;
  const key = `nic ${found.component.id}`;
  const held = context.held.get(key);
  if (held === undefined) return isHealthDump(found) ? hold(key, found, record, context) : null;
  if (isSection(held.what)) return null;
  const says = found.attributes.all_ones === true || found.attributes.syndrome !== undefined;
  if (!says) return null;
  note(held, record);
  // A syndrome of ones is none.
  if (held.what.kind === 'nic.lost') return [];
  const attributes = { ...held.what.attributes, ...found.attributes };
  context.held.set(key, { ...held, what: { ...found, attributes } });
  return found.attributes.all_ones === true ? [] : closed(key, context);
}

/** Whether a server is back within seconds decides how much it is worth that it was away. */
function completeHiccup(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const found = HICCUPS.test(text) ? fileServerLine(text, context) : null;
  if (found?.state === undefined || found.severity === 'info') return null;
  const key = `${SERVER}${found.discriminator}`;
  const held = context.held.get(key);
  if (found.state === 'onset') return held === undefined ? hold(key, found, record, context) : [];
  if (held === undefined || isSection(held.what)) return null;
  context.held.delete(key);
  const { state: _over, discriminator: _of, ...away } = held.what;
  note(held, record);
  const attributes = {
    ...away.attributes,
    away_ms: Math.max(0, recordTime(record) - recordTime(held.record)),
    may_explain: true,
  };
  return [{ ...finished(held.record, { ...away, severity: 'info', attributes }), evidence: held.evidence }];
}

/** What a card says of the module of its cable, and that its port is down, are one loss, whichever line comes first. */
function completeCable(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const found = text.includes('Cable error, ') ? mlx5Line(text, context) : null;
  if (found === null || found.kind !== 'nic.port_down' || found.component === null) return null;
  const key = `${PORT}${found.component.id}`;
  const held = context.held.get(key);
  if (held === undefined) return hold(key, found, record, context);
  note(held, record);
  return [];
}

/** A port that goes down may be up again at once. */
function completeDrop(record: TextRecord, text: string, context: KernelContext): EventInput[] | null {
  const found = portChange(record, text, context);
  if (found?.component === null || found === null) return null;
  if (isRepeatedByBond(record, found, context)) return [];
  const key = `${PORT}${found.component.id}`;
  const held = context.held.get(key);
  const ofCable = held !== undefined && !isSection(held.what) && held.what.state === undefined;
  if (found.state === 'onset') {
    if (held === undefined) return hold(key, found, record, context);
    if (ofCable) context.held.set(key, { ...held, what: found, evidence: [...held.evidence, lineEvidence(record)] });
    return [];
  }
  if (ofCable) return [...closed(key, context), finished(record, found)];
  if (held === undefined || isSection(held.what)) return [finished(record, found)];
  context.held.delete(key);
  const { never_up: neverUp, first_heard: firstHeard } = held.what.attributes;
  // It came up for the first time; or a port for management, as of these drivers most are, agreed again on its speed.
  if (neverUp === true || firstHeard === true) return [];
  note(held, record);
  const { state: _over, ...down } = held.what;
  const downMs = Math.max(0, recordTime(record) - recordTime(held.record));
  const attributes = { ...down.attributes, down_ms: downMs };
  const dropped = { ...down, kind: 'nic.link_flap', severity: 'warning', attributes } as const;
  return [{ ...finished(held.record, dropped), evidence: held.evidence }];
}

/** A clock that is wrong and is set right within the minute concerns no operator; null for what is not about clocks. */
export function completeClock(record: TextRecord, found: StateFinding, context: KernelContext): EventInput[] | null {
  const isStep = found.kind === 'host.clock_jump';
  if (!isStep && found.kind !== 'host.clock_wrong') return null;
  const held = context.held.get(CLOCK);
  if (!isStep && found.state !== 'clear') {
    if (held !== undefined) {
      note(held, record);
      const { what } = held;
      const more = { ...found.attributes };
      if (!isSection(what)) context.held.set(CLOCK, { ...held, what: { ...what, attributes: { ...more, ...what.attributes } } }); // biome-ignore format: one change
    }
    // By how many seconds it is off, or that messages are refused for it, where what was said first did not say it.
    if (context.isClockWrong)
      return held === undefined && saysMore(found, context) ? [finished(record, { ...found, state: 'onset' })] : [];
    context.isClockWrong = true;
    context.clockFacts = [];
    saysMore(found, context);
    return hold(CLOCK, { ...found, state: 'onset' }, record, context);
  }
  const step = isStep ? [finished(record, found)] : [];
  const isOver = context.isClockWrong && held === undefined;
  context.isClockWrong = false;
  context.held.delete(CLOCK);
  const clear = { kind: 'host.clock_wrong', component: hostOf(context), state: 'clear', attributes: {} } as const;
  return isOver ? [...step, finished(record, clear)] : step;
}

function saysMore({ attributes }: StateFinding, context: KernelContext): boolean {
  const fact = attributes.off_s === undefined ? String(attributes.reason) : 'off_s';
  const isMore = !context.clockFacts.includes(fact) && context.clockFacts.length < MAX_EVIDENCE;
  if (isMore) context.clockFacts = [...context.clockFacts, fact];
  return isMore;
}

function hold(key: string, what: Held['what'], record: TextRecord, context: KernelContext): EventInput[] {
  const { held } = context;
  const oldest = held.size < MAX_HELD ? undefined : held.keys().next().value;
  const before = oldest === undefined ? [] : closed(oldest, context);
  held.set(key, { what, record, evidence: [lineEvidence(record)] });
  return before;
}

function closed(key: string, context: KernelContext): EventInput[] {
  const held = context.held.get(key);
  if (held === undefined) return [];
  context.held.delete(key);
  const { what, record, evidence } = held;
  const finding: StateFinding | null = isSection(what) ? apeiFinding(what, context, recordTime(record)) : what;
  if (finding === null) return [];
  const facts = key === OOM_CALL ? reportFacts(context.oom) : {};
  return [{ ...finished(record, { ...finding, attributes: { ...finding.attributes, ...facts } }), evidence }];
}

function isSection(what: Held['what']): what is ErrorSection {
  return 'grade' in what;
}

function note({ evidence }: Held, record: TextRecord): void {
  if (evidence.length < MAX_EVIDENCE) evidence.push(lineEvidence(record));
}
