// Shell word: a path as one word of a line that is pasted into a shell, and that a terminal shows as it is.

/** What a terminal would obey, hide or reorder, an end of a line among it. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/u;
const TO_ESCAPE = /['\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/gu;

/** Never an option: a name that begins with a dash gets its folder. */
export function shellWord(path: string): string {
  const name = path.startsWith('-') ? `./${path}` : path;
  if (/^[\w./:@%+=,-]+$/.test(name)) return name;
  if (UNSEEN.test(name)) return `$'${name.replace(TO_ESCAPE, octal)}'`;
  return `'${name.replaceAll("'", "'\\''")}'`;
}

/** Of each byte three digits, which no letter behind them can add to. */
function octal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
