// Lines about the host's memory and processors: errors by DIMM (EDAC), pages given up, machine checks, throttled CPUs.

import type { Component } from '../../../model/component.ts';
import { Cursor } from '../cursor.ts';
import { type KernelContext, messageStart } from './context.ts';
import type { Finding } from './driver-line.ts';

/** So many corrected errors of one DIMM within an hour are a storm: mcelog and rasdaemon act on tens a day. */
export const STORM_ERRORS = 100;
export const STORM_MS = 3_600_000;
/** A host has 64 DIMMs at most. */
const MAX_DIMMS = 256;
/** IA32_MCi_STATUS (SDM vol. 3B, 16.3.2.2): the error was not corrected. */
const UNCORRECTED = 1n << 61n;

/** `timeMs`: of the line; corrected errors are counted over it. */
export function memoryLine(text: string, context: KernelContext, timeMs: number): Finding | null {
  return (
    edac(text, context, timeMs) ??
    badPage(text, context) ??
    storm(text, context) ??
    machineCheck(text, context) ??
    throttled(text, context)
  );
}

/** "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#2_DIMM#0 (channel:2 slot:0 page:0x849923 ...)" */
function edac(text: string, context: KernelContext, timeMs: number): Finding | null {
  const start = messageStart(text, 'EDAC MC', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'EDAC '.length);
  const controller = cursor.until(': ', 8);
  const count = cursor.integer(7);
  if (controller === null || count === null) return null;
  const corrected = cursor.take(' CE ');
  if (!corrected && !cursor.take(' UE ')) return null;
  const label = cursor.skipPast(' on ') ? cursor.until(' (', 96) : null;
  const slot = label === null ? controller : `${controller} ${label}`;
  const component: Component = { type: 'dimm', id: `${context.host}/${slot}`, host: context.host };
  const attributes = { errors: count };
  if (!corrected) return { kind: 'memory.ue', component, attributes };
  const kind = isStorm(slot, count, context, timeMs) ? 'memory.ce_storm' : 'memory.ce';
  return { kind, component, attributes };
}

function isStorm(slot: string, errors: number, context: KernelContext, timeMs: number): boolean {
  const known = context.corrected.get(slot);
  const counted =
    known !== undefined && Math.abs(timeMs - known.sinceMs) < STORM_MS ? known : { sinceMs: timeMs, errors: 0 };
  if (known === undefined && context.corrected.size >= MAX_DIMMS) return false;
  counted.errors += errors;
  context.corrected.set(slot, counted);
  return counted.errors >= STORM_ERRORS;
}

/** "Memory failure: 0x1f3a80: Sending SIGBUS to python3:40117 due to hardware memory corruption" */
function badPage(text: string, context: KernelContext): Finding | null {
  const start = messageStart(text, 'Memory failure: ', context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + 'Memory failure: '.length);
  const page = cursor.hex();
  if (page === null) return null;
  const killed = cursor.take(': Sending SIGBUS to ') || cursor.take(': Killing ');
  const task = killed ? cursor.until(' due to hardware memory corruption', 64) : null;
  const colon = task?.lastIndexOf(':') ?? -1;
  if (task === null || colon < 1) return null;
  const pid = new Cursor(task, colon + 1).integer(10);
  const attributes = { page, process: task.slice(0, colon), pid };
  return { kind: 'memory.ue', component: hostOf(context), attributes };
}

/** "mce: CMCI storm detected on CPU 3": the processor reports corrected errors faster than interrupts can carry. */
function storm(text: string, context: KernelContext): Finding | null {
  const start = messageStart(text, 'mce: ', context);
  if (start < 0 || !text.includes('CMCI storm detected', start)) return null;
  return { kind: 'memory.ce_storm', component: hostOf(context), attributes: {} };
}

/** "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400" */
function machineCheck(text: string, context: KernelContext): Finding | null {
  const words = 'mce: [Hardware Error]: CPU ';
  const start = messageStart(text, words, context);
  if (start < 0) return null;
  const cursor = new Cursor(text, start + words.length);
  const cpu = cursor.integer(5);
  if (cpu === null || !cursor.take(': Machine Check') || !cursor.skipPast(' Bank ')) return null;
  const bank = cursor.integer(4);
  const status = cursor.skipPast(': ') ? cursor.hex() : null;
  if (bank === null || status === null || (BigInt(status) & UNCORRECTED) === 0n) return null;
  return { kind: 'cpu.machine_check', component: hostOf(context), attributes: { cpu, bank, status } };
}

/** "mce: CPU2: Package temperature above threshold, cpu clock throttled (total events = 3654)"; which package is not told. */
function throttled(text: string, context: KernelContext): Finding | null {
  const colon = text.indexOf(' temperature above threshold, cpu clock ');
  if (colon < 0) return null;
  const start = Math.max(messageStart(text, 'mce: CPU', context), messageStart(text, 'CPU', context));
  if (start < 0) return null;
  const cursor = new Cursor(text, start);
  cursor.take('mce: ');
  const cpu = cursor.take('CPU') ? cursor.integer(5) : null;
  if (cpu === null || !(cursor.take(': Core') || cursor.take(': Package')) || cursor.position !== colon) return null;
  return { kind: 'cpu.thermal_throttle', component: hostOf(context), attributes: { cpu } };
}

function hostOf({ host }: KernelContext): Component {
  return { type: 'host', id: host };
}
