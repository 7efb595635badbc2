// Switch line: what a network switch logs of a port that goes down or comes up, by catalog/switch-words.json; of any relay's program.

import catalog from '#catalog/switch-words.json' with { type: 'json' };
import { evidenceText } from '../evidence.ts';
import type { StateFinding } from '../kernel/finding.ts';

interface Row {
  readonly says: string;
  readonly example: string;
  readonly source: string;
  readonly state?: 'clear';
}

const MAX_LINE = 512;
const QUIET = new RegExp(catalog.quiet);

export const SWITCH_ROWS = catalog.rows as readonly Row[];
const FORMS = SWITCH_ROWS.map(({ says, state }) => ({ says: new RegExp(says), state }));

/** Of which every line that is taken has one. */
export const SWITCH_WORDS: readonly string[] = catalog.words;

/** Whether it may be a switch's, whichever program or relay it names. */
export function isSwitchLine(message: string): boolean {
  return message.length <= MAX_LINE && SWITCH_WORDS.some((word) => message.includes(word));
}

/** Null where it says nothing of a port, or what was done on purpose; `host` is the switch. Linear in the line. */
export function switchFinding(message: string, host: string): StateFinding | null {
  if (!isSwitchLine(message) || QUIET.test(message)) return null;
  for (const { says, state } of FORMS) {
    const { port, peer } = says.exec(message)?.groups ?? {};
    if (port === undefined) continue;
    return {
      kind: 'nic.port_down',
      component: { type: 'nic', id: evidenceText(port), host },
      severity: 'warning',
      state: state ?? 'onset',
      attributes: { program: 'switch', ...(peer === undefined ? {} : { peer: evidenceText(peer) }) },
    };
  }
  return null;
}
