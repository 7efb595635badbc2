// Oopses: the kernel, or a module of it, did what it must not, and ended the task that it was at work for.

import type { AttributeValue } from '../../../model/event.ts';
import { evidenceText } from '../evidence.ts';
import { hostOf, type KernelContext } from './context.ts';
import type { Finding } from './finding.ts';

/** The lines of one report come together; a console of 9600 baud takes some seconds for them. */
const REPORT_MS = 10_000;
const NUMBER = '\\[#\\d{1,5}\\]';

/**
 * What happened, and the line that begins the report or is its second: arch/x86/mm/fault.c, arch/x86/kernel/traps.c and dumpstack.c
 * (since 6.10 with "Oops: " before each), arch/arm64/mm/fault.c and kernel/traps.c, lib/bug.c.
 */
const FORMS: readonly (readonly [form: RegExp, what: string])[] = [
  [/^(?:BUG: kernel|BUG: unable to handle kernel|Unable to handle kernel) NULL pointer dereference\b/, 'null pointer'],
  [/^BUG: unable to handle (?:kernel )?(?:paging request|page fault)\b/, 'bad address'],
  [/^Unable to handle kernel [\w -]{1,80} at virtual address [0-9a-f]{8,16}/, 'bad address'],
  [/^kernel BUG at [\w/.+-]{1,200}:\d{1,6}!/, 'BUG'],
  [new RegExp(`^(?:Oops: )?general protection fault(?:, [\\w -]{1,80}0x[0-9a-f]{1,16})?: [0-9a-f]{4} ${NUMBER}`), 'general protection fault'],
  [new RegExp(`^(?:Oops: )?(?:invalid opcode|divide error|double fault|stack segment|int3|alignment check): [0-9a-f]{4} ${NUMBER}`), 'trap'],
  [new RegExp(`^(?:Internal error: )?Oops(?: - [\\w ]{1,40})?: (?:Oops: )?[0-9a-f]{4,16} ${NUMBER}`), 'oops'],
]; // biome-ignore format: one form a line
/** mm/page_alloc.c and mm/memory.c: the kernel continues, with memory of whose state it is not sure. */
const BAD_PAGE = /^BUG: Bad (page state in process |page map in process |page cache in process )/;
/** Where: "RIP: 0010:nvidia_ioctl+0x12/0x40 [nvidia]", on arm64 "pc : nvidia_ioctl+0x12/0x40 [nvidia]". 0033 is a program's own. */
const PLACE =
  /^(?:RIP: 0010:|pc : )(?:\[<[0-9a-f]{8,16}>\] )*([A-Za-z_][\w.]{0,127})\+0x[0-9a-f]{1,8}\/0x[0-9a-f]{1,8}(?: \[([\w-]{1,56})[^\]]{0,80}\])?\s*$/;
/** A user chose the name; the kernel's own words end it. */
const TASK =
  /^CPU: (\d{1,5}) (?:UID: \d{1,10} )?PID: (\d{1,10}) Comm: ([\s\S]{0,64}?)(?: (?:Not tainted|Tainted: |Kdump: loaded |G )|\s*$)/;

export function oopsLine(text: string, context: KernelContext, timeMs: number): Finding | null {
  const what = FORMS.find(([form]) => form.test(text))?.[1];
  if (what !== undefined) {
    context.oopsMs = timeMs;
    return oops(
      { what, ...(what === 'BUG' ? { at: evidenceText(text.slice(14, 214).split('!')[0] ?? '') } : {}) },
      context,
    );
  }
  if (BAD_PAGE.test(text)) return { ...oops({ what: 'bad page' }, context), severity: 'warning' };
  if (context.oopsMs === null || Math.abs(timeMs - context.oopsMs) > REPORT_MS) return null;
  return placed(text, context) ?? ofTask(text, context);
}

function placed(text: string, context: KernelContext): Finding | null {
  const [, symbol, module] = PLACE.exec(text) ?? [];
  if (symbol === undefined) return null;
  return oops({ function: symbol, ...(module === undefined ? {} : { module }) }, context);
}

function ofTask(text: string, context: KernelContext): Finding | null {
  const [, cpu, pid, process = ''] = TASK.exec(text) ?? [];
  if (pid === undefined) return null;
  return oops({ cpu: Number(cpu), pid: Number(pid), process: evidenceText(process) }, context);
}

function oops(attributes: Record<string, AttributeValue>, context: KernelContext): Finding {
  return { kind: 'host.kernel_oops', component: hostOf(context), attributes };
}
