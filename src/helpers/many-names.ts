// Many names: JSON in which nearly every name is another one takes V8 ten times as long to parse as its length would; others' is looked at first.

/** Shorter text is parsed in some milliseconds whatever it holds. */
const SHORT = 256 * 1024;
/** No record of a logger, tracker or tracer has a tenth of it. */
const MOST_NAMES = 10_000;
/** By these names are told apart. */
const LONGEST = 128;

/** Whether the text, long and of others, has more different names than anyone writes. Linear in the text; stops where it is sure. */
export function hasManyNames(text: string): boolean {
  if (text.length < SHORT) return false;
  const names = new Set<string>();
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) {
    const begin = text.lastIndexOf('"', at - 1) + 1;
    names.add(text.slice(begin, Math.min(at, begin + LONGEST)));
    if (names.size > MOST_NAMES) return true;
  }
  return false;
}
