// Safe text: what others wrote, so that neither a terminal nor a reader is misled; the one place that knows how.

/**
 * Control characters (C0, C1), marks that are invisible or turn the direction of writing around, line and paragraph ends,
 * characters without a meaning, halves of surrogate pairs.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu;
/** The same without C0, which JSON escapes by itself, and which is between the values of indented JSON. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu;
const PLAIN_ASCII = /^[\x20-\x7e]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above, with the white space of JSON
const PLAIN_JSON = /^[\x00-\x7e]*$/;
/** Of a document with an arrow here and there only these pieces are asked for the classes above, which takes a while. */
const NOT_ASCII = /[\u007f-\uffff]+/g;

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

function escapedInJson(character: string): string {
  return Array.from({ length: character.length }, (_, i) => {
    return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** Shows what a terminal would obey, hide or reorder as an escape: `\x1b`, `\u{202e}`. Safe text stays as it is. */
export function safeText(text: string): string {
  return PLAIN_ASCII.test(text) ? text : text.replace(UNSAFE, escaped);
}

/** `safeText` that keeps the ends of lines. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

/** JSON text that reads back as the same document, with the escapes inside its strings that JSON.stringify leaves out. */
export function safeJson(json: string): string {
  if (PLAIN_JSON.test(json)) return json;
  return json.replace(NOT_ASCII, (piece) => piece.replace(UNSAFE_IN_JSON, escapedInJson));
}
