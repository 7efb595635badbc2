// Event daemon: what ipmievd sends to syslog of each new entry of the BMC's event log, by the words of catalog/sel.json, which say the same of the
// log itself: "Power Supply sensor PS2 Status - Power Supply AC lost Asserted", "Temperature sensor Inlet Temp Upper Critical going high Asserted
// (Reading 43 > Threshold 42 degrees C)".

import type { StateFinding } from '../kernel/finding.ts';
import { loggedEntry } from '../report/event-log.ts';

const MAX_LINE = 512;
/** Its BMC's number may stand before the type of the sensor; the words of a lower limit end with a blank. */
const LINE =
  /^ipmievd(?:\[\d{1,10}\])?: (?:\S{1,16}: )?(?<type>[A-Z][\w /-]{1,40}?) sensor (?<said>\S.{0,200}?) {1,2}(?<edge>Asserted|Deasserted)(?: \(Reading .{1,80}\))?$/;
const PARTS = / (?:- |(?=(?:Upper|Lower) (?:Non-|C)))/;
/** Of which every line that is taken has one. */
export const IPMIEVD_WORDS: readonly string[] = ['ipmievd'];

/** Null where it says nothing of a fault, or of the end of one. Linear in the line. */
export function eventDaemonFinding(message: string, host: string): StateFinding | null {
  if (message.length > MAX_LINE) return null;
  const { type, said, edge } = LINE.exec(message)?.groups ?? {};
  if (type === undefined || said === undefined) return null;
  // Of a full record nothing but the words of a threshold parts the name of the sensor from what it says.
  const [name = said, event = said] = said.split(PARTS, 2);
  const finding = loggedEntry(`${type} ${name}`, event, host, edge === 'Deasserted');
  return finding === null ? null : { ...finding, attributes: { program: 'ipmievd', ...finding.attributes } };
}
