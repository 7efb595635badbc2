// Switch line: what a network switch logs of a port that goes down or comes up, and of its own supplies, fans and heat, by
// catalog/switch-words.json; of any relay's program.

import catalog from '#catalog/switch-words.json' with { type: 'json' };
import type { Component } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import { evidenceText } from '../evidence.ts';
import type { StateFinding } from '../kernel/finding.ts';

interface Row {
  readonly says: string;
  readonly example: string;
  readonly source: string;
  readonly state?: 'clear';
}

interface Part {
  readonly kind: Kind;
  readonly says: string;
  readonly over: string;
  readonly example: string;
  readonly source: string;
}

const MAX_LINE = 512;
const QUIET = new RegExp(catalog.quiet);
const LEAD = new RegExp(catalog.lead);
const FLAPS = /flap/i;
const UNASKED = new RegExp(catalog.unasked);
const BACK = new RegExp(catalog.back);

export const SWITCH_ROWS = catalog.rows as readonly Row[];
// Held against kinds by test/detection/text/switch-line.test.ts.
export const SWITCH_PARTS = catalog.parts as readonly Part[];
const FORMS = SWITCH_ROWS.map(({ says, state }) => ({ says: new RegExp(says), state }));
export const SWITCH_STORMS = catalog.storms as readonly Row[];
const STORMS = SWITCH_STORMS.map(({ says, state }) => ({ says: new RegExp(says), state }));
const PARTS = SWITCH_PARTS.map(({ kind, says, over }) => ({ kind, says: new RegExp(says), over: new RegExp(over) }));

/** Of which every line that is taken has one. */
export const SWITCH_WORDS: readonly string[] = catalog.words;

/** Whether it may be a switch's, whichever program or relay it names. */
export function isSwitchLine(message: string): boolean {
  return message.length <= MAX_LINE && SWITCH_WORDS.some((word) => message.includes(word));
}

/** Null where it says nothing of a port or a part, or what was done on purpose; `host` is the switch. Linear in the line. */
export function switchFinding(message: string, host: string): StateFinding | null {
  if (!isSwitchLine(message)) return null;
  return ofStorm(message, host) ?? (QUIET.test(message) ? null : (ofPort(message, host) ?? ofPart(message, host)));
}

/** What is at the other end of a port pauses it for so long that the switch gives its queue up. */
function ofStorm(message: string, host: string): StateFinding | null {
  for (const { says, state } of STORMS) {
    const { port, queue } = says.exec(message)?.groups ?? {};
    if (port === undefined) continue;
    return {
      kind: 'nic.link_degraded',
      component: { type: 'nic', id: evidenceText(port), host },
      severity: 'error',
      state: state ?? 'onset',
      attributes: { ...ofSwitch({ queue }), pause_storm: true, action: 'inspect_hardware' },
    };
  }
  return null;
}

function ofPort(message: string, host: string): StateFinding | null {
  for (const { says, state } of FORMS) {
    const { port, peer, disabled } = says.exec(message)?.groups ?? {};
    if (port === undefined) continue;
    return {
      // Of a port that goes down again and again the line that its switch gave it up with is another thing than its first.
      kind: disabled !== undefined && FLAPS.test(disabled) ? 'nic.link_flap' : 'nic.port_down',
      component: { type: 'nic', id: evidenceText(port), host },
      // A port that goes down may come up by itself; one that its switch disabled does not.
      severity: disabled === undefined ? 'warning' : 'error',
      state: state ?? 'onset',
      attributes: ofSwitch({ peer, disabled }),
    };
  }
  return null;
}

function ofPart(message: string, host: string): StateFinding | null {
  const lead = LEAD.exec(message);
  if (lead === null) return null;
  const isBack = BACK.test(message);
  // What is worth a word and no more, as a supply that someone pulls, unless it ends what was.
  if (!isBack && UNASKED.test(lead[0])) return null;
  const said = message.slice(lead.index);
  for (const { kind, says, over } of PARTS) {
    const found = (isBack ? over : says).exec(said);
    if (found === null) continue;
    const { psu, fan } = found.groups ?? {};
    const component: Component =
      psu === undefined
        ? { type: 'host', id: host }
        : { type: 'psu', id: `${host}/${psu}`, host, parent: `host/${host}` };
    return { kind, component, severity: 'warning', state: isBack ? 'clear' : 'onset', attributes: ofSwitch({ fan }) };
  }
  return null;
}

function ofSwitch(more: Readonly<Record<string, string | undefined>>): Record<string, AttributeValue> {
  const said = Object.entries(more).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, evidenceText(value)]],
  );
  return { program: 'switch', side: 'switch', ...Object.fromEntries(said) };
}
