// Many names: JSON in which nearly every name is another one takes V8 ten times as long to parse as its length would; others' is looked at first.

/** Shorter text is parsed in some milliseconds whatever it holds. */
const SHORT = 256 * 1024;
/** No record of a logger, tracker or tracer has a tenth of it. */
const MOST_NAMES = 10_000;
const [QUOTE, BACKSLASH, COLON, LINE_END, BLANK] = ['"', '\\', ':', '\n', ' '].map((text) => text.charCodeAt(0));

/**
 * Whether the text, long and of others, has more different names than anyone writes. Linear in the text; stops where it is sure. Names are
 * found as JSON has them: whole, with their quotation marks that are escaped, and with blanks before the colon.
 */
export function hasManyNames(text: string): boolean {
  if (text.length < SHORT) return false;
  const names = new Set<string>();
  for (let begin = text.indexOf('"'); begin >= 0; ) {
    const end = endOf(text, begin + 1);
    // No text in JSON goes over the end of a line: what is after it begins there.
    let next = end;
    if (text.charCodeAt(end) === QUOTE) {
      next = afterBlanks(text, end + 1);
      if (text.charCodeAt(next) === COLON) names.add(text.slice(begin + 1, end));
      if (names.size > MOST_NAMES) return true;
    }
    begin = text.indexOf('"', next);
  }
  return false;
}

/** Of the quotation mark that ends it, or of the line's or the text's end. */
function endOf(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || code === LINE_END) return at;
    if (code === BACKSLASH) at += 1;
  }
  return text.length;
}

/** JSON's four blanks, and the other controls, which it refuses. */
function afterBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= (BLANK ?? 0)) at += 1;
  return at;
}
