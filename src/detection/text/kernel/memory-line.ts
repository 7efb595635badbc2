// Lines about the host's memory and processors: errors by DIMM (EDAC), pages given up, machine checks.

import type { Component } from '../../../model/component.ts';
import { Cursor } from '../cursor.ts';
import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import { correctedKind } from './corrected-errors.ts';
import type { Finding } from './finding.ts';

/** IA32_MCi_STATUS (SDM vol. 3B, 16.3.2.2): the error was not corrected. */
const UNCORRECTED = 1n << 61n;
/** Bits 54:53 of a corrected one: 10 is yellow, more of them than the processor's own threshold. What AMD has there is never 10. */
const YELLOW = { mask: 3n << 53n, value: 2n << 53n };
/** Bits 52:38: how many were corrected. */
const CORRECTED_COUNT = { shift: 38n, mask: 0x7fffn };

/** `timeMs`: of the line; corrected errors are counted over it, with those of `repeats` lines like it that were left out. */
export function memoryLine(text: string, context: KernelContext, timeMs: number, repeats = 0): Finding | null {
  return (
    edac(text, context, timeMs, repeats) ??
    badPage(text, context) ??
    lostPage(text, context) ??
    storm(text, context) ??
    machineCheck(text, context)
  );
}

/** "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#2_DIMM#0 (channel:2 slot:0 page:0x849923 ...)"; the place may be missing. */
const EDAC =
  /^EDAC (MC\d{1,5}): (\d{1,7}) ([CU])E (?:(?:[A-Za-z][\w ,.:-]{0,80} )?on ([^\n(]{1,96}) \([\s\S]*\)|[A-Za-z][\w ,.-]{0,80})\s*$/;

/**
 * Kernels before 3.5, and those of RHEL 6 to their end: "EDAC MC0: CE page 0x283, offset 0xce0, grain 8, syndrome 0x6ec3, row 0, channel 1,
 * label "DIMM_B1": amd76x_edac", "EDAC MC1: CE row 1, channel 0, label "DIMM_A1": 2 Unknown error(s): memory read on FATAL area", "EDAC
 * MC0: UE row 1, channel-a= 0 channel-b= 1 labels "-": ", "EDAC MC0: CE - no information available: INTERNAL ERROR".
 */
const OLD_EDAC =
  /^EDAC (MC\d{1,5}): ([CU])E (?:- no information available: |(?:page 0x[0-9a-f]{1,16}, offset 0x[0-9a-f]{1,8}, grain \d{1,10}, (?:syndrome 0x[0-9a-f]{1,16}, )?)?row (\d{1,5}),? (?:channel(?:-a=)? {0,2}(\d{1,3})(?: channel-b= {0,2}\d{1,3})?,? )?labels? "([^"\n]{0,96})": ?(?:(\d{1,6}) [\w -]{1,40} error\(s\))?)/;

interface EdacLine {
  readonly slot: string;
  readonly errors: number;
  readonly letter: string;
}

function edacLine(text: string): EdacLine | null {
  const [, controller, count, letter = '', label] = EDAC.exec(text) ?? [];
  if (controller !== undefined)
    return { slot: label === undefined ? controller : `${controller} ${label}`, errors: Number(count), letter };
  const [, of, which = '', row, channel, name = '', several = '1'] = OLD_EDAC.exec(text) ?? [];
  if (of === undefined) return null;
  const place = row === undefined ? '' : ` row ${row}${channel === undefined ? '' : ` channel ${channel}`}`;
  return { slot: `${of}${/\w/.test(name) ? ` ${name}` : place}`, errors: Number(several), letter: which };
}

function edac(text: string, context: KernelContext, timeMs: number, repeats: number): Finding | null {
  const line = edacLine(text);
  if (line === null) return null;
  const { slot, errors, letter } = line;
  const component: Component = { type: 'dimm', id: `${context.host}/${slot}`, host: context.host };
  const attributes = { errors };
  if (letter === 'U') return { kind: 'memory.ue', component, attributes };
  return { kind: correctedKind(slot, errors, 1 + repeats, context, timeMs), component, attributes };
}

/** "Memory failure: 0x1f3a80: Sending SIGBUS to python3:40117 due to hardware memory corruption", "MCE 0x1f3a80: …" before Linux 4.10; the name may hold ":". */
const BAD_PAGE =
  /^(?:Memory failure: |MCE )(0x[0-9a-f]{1,16}): (?:Sending SIGBUS to|Killing) ([\s\S]{0,32}):(\d{1,10}) due to hardware memory corruption\s*$/;

/** mm/memory-failure.c of what became of a page, arch/x86/kernel/cpu/mce of what a program was ended for. */
const LOST_PAGE =
  /^(?:Memory failure: (0x[0-9a-f]{1,16}): recovery action for [\w -]{1,64}: Failed|MCE: Killing [\s\S]{0,32}:\d{1,10} due to hardware memory corruption fault at [0-9a-f]{1,16}|mce: Uncorrected hardware memory error in user-access at [0-9a-f]{1,16})\s*$/;
/** AMD's own decoder (drivers/edac/mce_amd.c), which names no CPU in this line. */
const AMD_UNCORRECTED =
  /^\[Hardware Error\]: (?:Uncorrected, software (?:restartable|containable) error\.|System Fatal error\.|(Deferred) error, no action required\.)\s*$/;

function lostPage(text: string, context: KernelContext): Finding | null {
  const found = LOST_PAGE.exec(text);
  if (found !== null)
    return {
      kind: 'memory.ue',
      component: hostOf(context),
      attributes: found[1] === undefined ? {} : { page: new Cursor(found[1]).hex() },
    };
  const amd = AMD_UNCORRECTED.exec(text);
  if (amd === null) return null;
  // Data that could not be corrected are marked, and nothing has used them so far.
  const severity = amd[1] === undefined ? {} : { severity: 'warning' as const };
  return { kind: 'cpu.machine_check', ...severity, component: hostOf(context), attributes: {} };
}

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

/** "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400", without "mce: " before Linux 4.8, and without both before 2.6.37. */
const MACHINE_CHECK =
  /^(?:(?:mce: )?\[Hardware Error\]: )?CPU (\d{1,5}): Machine Check(?: Exception)?: \w{1,16} Bank (\d{1,4}): ([0-9a-f]{1,16})\s*$/;

function machineCheck(text: string, context: KernelContext): Finding | null {
  const [, cpu, bank, digits] = MACHINE_CHECK.exec(text) ?? [];
  if (digits === undefined) return null;
  const status = new Cursor(digits).hex();
  if (status === null) return null;
  const attributes = { cpu: Number(cpu), bank: Number(bank), status };
  const found: Finding = { kind: 'cpu.machine_check', component: hostOf(context), attributes };
  const bits = BigInt(status);
  if ((bits & UNCORRECTED) !== 0n) return found;
  if ((bits & YELLOW.mask) !== YELLOW.value) return null;
  const errors = Number((bits >> CORRECTED_COUNT.shift) & CORRECTED_COUNT.mask);
  return { ...found, severity: 'warning', attributes: { ...attributes, corrected: true, errors } };
}
