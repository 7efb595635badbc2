// JSON line: one document as one line that is safe to show in a terminal, whatever the text inside it holds.

import { safeJson } from '../../model/safe-text.ts';

/** The document as JSON on one line, without the line's end; reads back as the same document. */
export function jsonLine(document: object): string {
  return safeJson(JSON.stringify(document));
}
