// Plain: makes text that anybody may have written safe for a terminal; what it hides is shown as an escape.

import { safeText } from './safe-text.ts';

const LONGEST = 400;

/** One line without anything that a terminal obeys, at most `longest` characters. */
export function plain(text: string, longest = LONGEST): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return safeText(cut.toWellFormed().replace(/[\n\t\r]/g, ' '));
}
