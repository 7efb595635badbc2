// Shortened: a text of others held to a length, cut where a word ends, and with a sign that it was cut.

/** The cut may lose this share of the length to end with a word. */
const WORD = 0.8;
const ENDS = [' ', '/', ',', ';'];

/** At most `longest` characters, the ellipsis of a cut text among them. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const room = text.slice(0, Math.max(longest - 1, 0));
  const end = Math.max(...ENDS.map((sign) => room.lastIndexOf(sign)));
  return `${(end > longest * WORD ? room.slice(0, end) : room).toWellFormed()}…`;
}
