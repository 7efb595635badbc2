// JSON line: one document as one line that is safe to show in a terminal, whatever the text inside it holds.

/**
 * What JSON.stringify leaves as it is though a terminal would obey it: DEL, C1 controls (0x9b starts an escape
 * sequence), line and paragraph separators, and the marks that turn the direction of writing around.
 */
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The document as JSON on one line, without the line's end; reads back as the same document. */
export function jsonLine(document: object): string {
  return JSON.stringify(document).replace(UNSAFE, escaped);
}
