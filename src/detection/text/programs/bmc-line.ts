// BMC line: what Dell's iDRAC and Lenovo's XCC send to a syslog server of the parts of their host, "Severity: Critical, Category: System Health, MessageID: PSU0003,
// Message: …"; by the keys and texts of catalog/redfish-log.json, which says the same of the log that it keeps.

import catalog from '#catalog/redfish-log.json' with { type: 'json' };
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import type { StateFinding } from '../kernel/finding.ts';
import { sensorPart } from '../report/sensor-part.ts';

interface Row {
  readonly kind: Kind;
  readonly edge: 'onset' | 'clear';
  readonly severity?: Severity;
  readonly id: RegExp;
  readonly text: RegExp;
}

const MAX_LINE = 1024;
/** The colon behind "Severity" is that of a syslog's program to whoever cuts it off. */
const LINE =
  /^(?:[\w.-]{1,64}(?:\[\d{1,10}\])?: {1,4}){0,2}(?:Severity: )?(?:Critical|Warning|Informational|Info|OK), Category: [\w ,()/-]{2,48}, MessageID: (?<key>[A-Z]{2,4}\d{1,4}), Message: (?<said>.{4,600})$/;
/** Lenovo's XCC: "FQXSFMA0002M: An uncorrectable memory error has been detected on DIMM 4 at address 0x1a2b.", with a blank before the colon in its log. */
const XCC_LINE = /^(?:[\w.-]{1,64}(?:\[\d{1,10}\])?: {1,4}){0,2}(?<key>FQX[A-Z]{3,5}\d{4}[A-Z]) ?: (?<said>.{4,600})$/;
/** Of which every line that is taken has one. */
export const BMC_WORDS: readonly string[] = [', MessageID: ', 'FQXS'];

// Kinds and edges are held against their lists by test/sources/bmc/log/meaning.test.ts.
const ROWS = catalog.rows.map((row) => ({
  ...row,
  id: new RegExp(row.id),
  text: new RegExp(row.text, 'i'),
})) as readonly Row[];
// "… has been restored" has the words of a loss in it.
const BY_TEXT = [...ROWS.filter(({ edge }) => edge === 'clear'), ...ROWS.filter(({ edge }) => edge === 'onset')];

/** Whichever program or relay it names. */
export function isBmcLine(message: string): boolean {
  return message.length <= MAX_LINE && BMC_WORDS.some((word) => message.includes(word)) && saidIn(message) !== null;
}

function saidIn(message: string): { readonly program: string; readonly key: string; readonly said: string } | null {
  const idrac = LINE.exec(message)?.groups;
  const { key, said } = idrac ?? XCC_LINE.exec(message)?.groups ?? {};
  if (key === undefined || said === undefined) return null;
  return { program: idrac === undefined ? 'xcc' : 'idrac', key, said };
}

/** Null where it says nothing of a part; `host` is what the BMC calls itself. Linear in the line. */
export function bmcFinding(message: string, host: string): StateFinding | null {
  if (message.length > MAX_LINE) return null;
  const found = saidIn(message);
  if (found === null) return null;
  const { program, key, said } = found;
  const row = ROWS.find(({ id }) => id.test(key)) ?? BY_TEXT.find(({ text }) => text.test(said));
  if (row === undefined) return null;
  return {
    kind: row.kind,
    component: sensorPart(row.kind, said, host, said),
    state: row.edge,
    ...(row.severity === undefined ? {} : { severity: row.severity }),
    attributes: { program, message_id: key, message: evidenceText(said) },
  };
}
