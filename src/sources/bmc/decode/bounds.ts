// Bounds of JSON, counted over its characters before it is parsed: what a mebibyte of brackets becomes in memory is ten.

/** More than the largest answer that was seen has: lists of 256 sensors come one by one. */
const MOST_VALUES = 20_000;
const MOST_DEPTH = 64;
const MOST_KEY = 256;
/** A longer text keeps its beginning; nothing that is shown is longer. */
const MOST_TEXT = 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

export interface Counted {
  readonly values: number;
  /** What is beyond the bounds, in words; null where nothing is. */
  readonly beyond: string | null;
}

/** At least as many values as a parser would make of it, whatever is in `json`. */
export function countValues(json: string): Counted {
  let values = 1;
  let depth = 0;
  let deepest = 0;
  let longestKey = 0;
  let text = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfText(json, at + 1);
      text = end - at - 1;
      at = end;
    } else if (code === COLON) longestKey = Math.max(longestKey, text);
    else if (code === COMMA) values += 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values += 1;
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
  }
  const beyond =
    values > MOST_VALUES
      ? `${MOST_VALUES} values`
      : deepest > MOST_DEPTH
        ? `${MOST_DEPTH} levels`
        : longestKey > MOST_KEY
          ? `${MOST_KEY} characters in a name`
          : null;
  return { values, beyond };
}

/** Where the closing quote is, or the end. */
function endOfText(json: string, from: number): number {
  for (let at = from; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return json.length;
}

/** Cuts long texts inside `value`, as copies: a piece of a text keeps the whole of it in memory. */
export function cutTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MOST_TEXT ? copy(value.slice(0, MOST_TEXT)) : value;
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, inside] of Object.entries(value)) {
    const cut = cutTexts(inside);
    // Defined, not assigned: a name may be "__proto__".
    if (cut !== inside) Object.defineProperty(value, key, { value: cut, enumerable: true });
  }
  return value;
}

function copy(text: string): string {
  return Buffer.from(text).toString();
}
