// Records that firmware hands to the kernel (APEI, GHES): several lines on one error of memory, PCIe or processor, as one event.

import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import { evidenceText } from '../evidence.ts';
import { type ErrorSection, hostOf, type KernelContext } from './context.ts';
import { correctedKind } from './corrected-errors.ts';
import type { Finding } from './finding.ts';

/** Every line of a record has its number; errors of the boot before, as read from BERT, have none. */
const LINE = /^(?:\{(\d{1,10})\})?\[Hardware Error\]: {0,4}([^\n]{1,200}?)\s*$/;
/** Words of one line each (drivers/firmware/efi/cper.c, drivers/acpi/apei/ghes.c). */
const BEGINS =
  /^(?:Hardware error from APEI Generic Hardware Error Source: \d{1,5}|event severity: (?:recoverable|fatal|corrected|info))$/;
const SECTION = /^Error \d{1,4}, type: (recoverable|fatal|corrected|info)$/;
const FRU = /^fru_text: ([\x20-\x7e]{1,20})$/;
const TYPE =
  /^section_type: (memory error|PCIe error|general processor error|IA32\/X64 processor error|ARM processor error)$/;
const PLACE = /^DIMM location: (?!not present)([\x20-\x7e]{1,80})$/;
const DEVICE = /^device_id: ([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/;
const FACT = /^(physical_address|error_type|port_type|processor_id): ([\w ,./()-]{1,64})$/;

export type ApeiStep =
  /** `none`: of another subsystem. `adds`: continues the section that is open. `ends`: a section that is open is over. */
  { readonly step: 'none' | 'adds' | 'ends' } | { readonly step: 'begins'; readonly section: ErrorSection };

/** What the line is to the section that is open; `open` takes what it adds. */
export function apeiLine(text: string, open: ErrorSection | null): ApeiStep {
  const [head, record = '', words = ''] = LINE.exec(text) ?? [];
  if (head === undefined) return { step: 'none' };
  const grade = gradeOf(SECTION.exec(words)?.[1]);
  if (grade !== null) {
    const section = { record, grade, fru: null, type: null, place: null, device: null, facts: {} };
    return { step: 'begins', section };
  }
  if (BEGINS.test(words)) return { step: 'ends' };
  if (open === null || open.record !== record) return { step: 'none' };
  open.fru ??= FRU.exec(words)?.[1]?.trim() ?? null;
  open.type ??= TYPE.exec(words)?.[1] ?? null;
  open.place ??= PLACE.exec(words)?.[1]?.trim() ?? null;
  open.device ??= DEVICE.exec(words)?.[1] ?? null;
  const [, name, value] = FACT.exec(words) ?? [];
  if (name !== undefined && value !== undefined) open.facts[name] ??= evidenceText(value);
  return { step: 'adds' };
}

const GRADES = ['recoverable', 'fatal', 'corrected', 'info'] as const;

function gradeOf(word: string | undefined): ErrorSection['grade'] | null {
  return GRADES.find((grade) => grade === word) ?? null;
}

/** What a section reports once it is over; null for a kind of section that names no part of the host, and a corrected error of a processor. */
export function apeiFinding(section: ErrorSection, context: KernelContext, timeMs: number): Finding | null {
  const { grade, type } = section;
  const corrected = grade === 'corrected' || grade === 'info';
  const attributes = {
    firmware_first: true,
    error_severity: grade,
    ...section.facts,
    ...(section.record === '' ? { previous_boot: true } : {}),
  };
  if (type === 'memory error') return memoryFinding(section, corrected, attributes, context, timeMs);
  if (type === 'PCIe error') {
    const address = section.device === null ? null : canonicalPciAddress(section.device);
    const component: Component | null = address === null ? null : { type: 'pcie', id: address, host: context.host };
    const kind = corrected ? 'pcie.corrected' : grade === 'fatal' ? 'pcie.uncorrected_fatal' : 'pcie.uncorrected';
    return { kind, component, attributes };
  }
  if (type === null || corrected) return null;
  const severity = grade === 'fatal' ? ({ severity: 'critical' } as const) : {};
  return {
    kind: 'cpu.machine_check',
    component: hostOf(context),
    ...severity,
    attributes: { ...attributes, unit: type },
  };
}

function memoryFinding(
  { place, fru }: ErrorSection,
  corrected: boolean,
  known: Finding['attributes'],
  context: KernelContext,
  timeMs: number,
): Finding {
  // The name on the board, else what the firmware calls the part; without either it is somewhere in the host.
  const name = evidenceText(place ?? fru ?? '');
  const { host } = context;
  const component: Component = name === '' ? hostOf(context) : { type: 'dimm', id: `${host}/${name}`, host };
  const attributes = { ...known, ...(fru === null ? {} : { fru: evidenceText(fru) }) };
  if (!corrected) return { kind: 'memory.ue', component, attributes };
  const kind = correctedKind(component.id, 1, 1, context, timeMs);
  return { kind, component, attributes: { ...attributes, errors: 1 } };
}
