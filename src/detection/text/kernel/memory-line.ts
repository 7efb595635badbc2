// Lines about the host's memory and processors: errors by DIMM (EDAC), pages given up, machine checks, throttled CPUs.

import type { Component } from '../../../model/component.ts';
import { Cursor } from '../cursor.ts';
import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './driver-line.ts';

/** So many corrected errors of one DIMM within an hour are a storm: mcelog and rasdaemon act on tens a day. */
export const STORM_ERRORS = 100;
export const STORM_MS = 3_600_000;
/** A host has 64 DIMMs at most. */
const MAX_DIMMS = 256;
/** IA32_MCi_STATUS (SDM vol. 3B, 16.3.2.2): the error was not corrected. */
const UNCORRECTED = 1n << 61n;

/** `timeMs`: of the line; corrected errors are counted over it, with those of `repeats` lines like it that were left out. */
export function memoryLine(text: string, context: KernelContext, timeMs: number, repeats = 0): Finding | null {
  return (
    edac(text, context, timeMs, repeats) ??
    badPage(text, context) ??
    storm(text, context) ??
    machineCheck(text, context) ??
    throttled(text, context)
  );
}

/** "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#2_DIMM#0 (channel:2 slot:0 page:0x849923 ...)"; the place may be missing. */
const EDAC =
  /^EDAC (MC\d{1,5}): (\d{1,7}) ([CU])E (?:(?:[A-Za-z][\w ,.:-]{0,80} )?on ([^\n(]{1,96}) \([\s\S]*\)|[A-Za-z][\w ,.-]{0,80})\s*$/;

function edac(text: string, context: KernelContext, timeMs: number, repeats: number): Finding | null {
  const [, controller, count, letter, label] = EDAC.exec(text) ?? [];
  if (controller === undefined) return null;
  const errors = Number(count);
  const slot = label === undefined ? controller : `${controller} ${label}`;
  const component: Component = { type: 'dimm', id: `${context.host}/${slot}`, host: context.host };
  const attributes = { errors };
  if (letter === 'U') return { kind: 'memory.ue', component, attributes };
  const kind = isStorm(slot, errors * (1 + repeats), context, timeMs) ? 'memory.ce_storm' : 'memory.ce';
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

/** "Memory failure: 0x1f3a80: Sending SIGBUS to python3:40117 due to hardware memory corruption"; the name may hold ":". */
const BAD_PAGE =
  /^Memory failure: (0x[0-9a-f]{1,16}): (?:Sending SIGBUS to|Killing) ([\s\S]{0,32}):(\d{1,10}) due to hardware memory corruption\s*$/;

function badPage(text: string, context: KernelContext): Finding | null {
  const [, page, process = '', pid] = BAD_PAGE.exec(text) ?? [];
  if (page === undefined) return null;
  const attributes = { page: new Cursor(page).hex(), process: evidenceText(process), pid: Number(pid) };
  return { kind: 'memory.ue', component: hostOf(context), attributes };
}

/** "mce: CMCI storm detected: switching to poll mode", "mce: CPU3 BANK7 CMCI storm detected": corrected errors faster than interrupts can carry. */
const STORM =
  /^mce: (?:\[Hardware Error\]: )?(?:CPU\d+ BANK\d+ )?CMCI storm detected(?: on CPU \d+|: switching to poll mode)?\s*$/;

function storm(text: string, context: KernelContext): Finding | null {
  return STORM.test(text) ? { kind: 'memory.ce_storm', component: hostOf(context), attributes: {} } : null;
}

/** "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400" */
const MACHINE_CHECK =
  /^mce: \[Hardware Error\]: CPU (\d{1,5}): Machine Check(?: Exception)?: \w{1,16} Bank (\d{1,4}): ([0-9a-f]{1,16})\s*$/;

function machineCheck(text: string, context: KernelContext): Finding | null {
  const [, cpu, bank, digits] = MACHINE_CHECK.exec(text) ?? [];
  if (digits === undefined) return null;
  const status = new Cursor(digits).hex();
  if (status === null || (BigInt(status) & UNCORRECTED) === 0n) return null;
  const attributes = { cpu: Number(cpu), bank: Number(bank), status };
  return { kind: 'cpu.machine_check', component: hostOf(context), attributes };
}

/** "mce: CPU2: Package temperature above threshold, cpu clock throttled (total events = 3654)"; which package it does not say. */
const THROTTLED =
  /^(?:mce: )?CPU(\d{1,5}): (?:Core|Package) temperature (?:is )?above threshold, cpu clock (?:is )?throttled \(total events = \d+\)\s*$/;

function throttled(text: string, context: KernelContext): Finding | null {
  const cpu = THROTTLED.exec(text)?.[1];
  if (cpu === undefined) return null;
  return { kind: 'cpu.thermal_throttle', component: hostOf(context), attributes: { cpu: Number(cpu) } };
}
