// Plain: makes text that anybody may have written safe for a terminal; what it hides is shown as an escape.

const LONGEST = 400;

/** Control characters, line and paragraph ends, marks that turn the direction of writing around, and invisible ones. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\n' || character === '\t' || character === '\r') return ' ';
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** One line without anything that a terminal obeys, at most `longest` characters. */
export function plain(text: string, longest = LONGEST): string {
  const cut = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
  return cut.toWellFormed().replace(UNSAFE, escaped);
}
