// PDU line: what a power distribution unit logs of its breakers, load, inputs and outlets, by the words that all vendors have for
// them and not by the sentence of one: "Breaker tripped on bank 2", "CB 3 has opened", "Infeed 'A1' load status is 'Over Load'".

import catalog from '#catalog/pdu-words.json' with { type: 'json' };
import type { Component, ComponentType } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import type { StateFinding } from '../kernel/finding.ts';

interface Fault {
  readonly kind: Kind;
  readonly severity?: Severity;
  readonly says: RegExp;
  /** Where these words stand with them, it is something else, or nothing. */
  readonly but?: RegExp;
}

const said = (pattern: string): RegExp => new RegExp(pattern, 'i');

// Held against kinds and severities by test/detection/text/pdu-line.test.ts.
const FAULTS: readonly Fault[] = catalog.faults.map(({ kind, says, ...row }) => ({
  kind: kind as Kind,
  says: said(says),
  ...('severity' in row ? { severity: row.severity as Severity } : {}),
  ...('but' in row ? { but: said(row.but) } : {}),
}));
const PROGRAM = new RegExp(`^(?:${catalog.programs.join('|')})$`);
const HOST = said(catalog.host);
const CLEARS = said(catalog.clears);
const ORDINARY = said(catalog.ordinary);
const QUOTED = said(catalog.quoted);
const PARTS = catalog.parts.map(({ type, noun }) => ({
  type: type as ComponentType,
  noun: said(`\\b(?:${noun})s?\\b`),
}));
/** Behind its noun: " 2", " #7", " 'A1'", " L2", "-CB3", " [AA]". */
const NAME =
  /^(?:[ _-](?:no\.? ?|number )?)?#?(?:['"[(]([^'"\])]{1,32})['"\])]|([A-Z]{0,2}\d{1,3}(?:[-.:][A-Z\d]{1,4})?[A-Z]?|[A-Z]{1,2}\d{0,2}))(?!\w)/;
/** A phase that has no noun before it: "on L3". */
const LINE = /\bL[123]\b/;
const MAX_LINE = 512;

/** Of which every line that is taken has one. */
export const PDU_WORDS: readonly string[] = catalog.words;
/** As patterns. */
export const PDU_PROGRAMS: readonly string[] = catalog.programs;

export function isPduProgram(program: string): boolean {
  return PROGRAM.test(program);
}

/** By its name. */
export function isPduHost(host: string): boolean {
  return HOST.test(host);
}

/** Null where it says nothing of a fault, or of the end of one; linear in the line. */
export function pduFinding(message: string, host: string): StateFinding | null {
  if (message.length > MAX_LINE || ORDINARY.test(message) || QUOTED.test(message)) return null;
  const fault = FAULTS.find(({ says, but }) => says.test(message) && but?.test(message) !== true);
  if (fault === undefined) return null;
  return {
    kind: fault.kind,
    component: partOf(message, fault.kind, host),
    ...(fault.severity === undefined ? {} : { severity: fault.severity }),
    ...(CLEARS.test(message) ? { state: 'clear' as const } : {}),
    attributes: { program: 'pdu' },
  };
}

/** The part that is named, the PDU where none is; an outlet only where it is the outlet that went off. */
function partOf(message: string, kind: Kind, pdu: string): Component {
  for (const { type, noun } of PARTS) {
    if ((type === 'pdu_outlet') !== (kind === 'power.outlet_off') && kind !== 'power.overload') continue;
    for (const found of message.matchAll(new RegExp(noun, 'gi'))) {
      const [, quoted, plain] = NAME.exec(message.slice(found.index + found[0].length)) ?? [];
      const name = quoted ?? plain;
      if (name !== undefined) return { type, id: `${pdu}/${evidenceText(name)}`, parent: `pdu/${pdu}` };
    }
  }
  const [line] = LINE.exec(message) ?? [];
  return line === undefined || kind === 'power.outlet_off'
    ? { type: 'pdu', id: pdu }
    : { type: 'pdu_phase', id: `${pdu}/${line}`, parent: `pdu/${pdu}` };
}
