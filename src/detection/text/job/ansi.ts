// Takes terminal colours and other escape sequences out of a line; linear, bounded, eats nothing else.

const ESCAPE = 0x1b;
const MAX_COLOUR = 20;

/**
 * Removes ESC [ … final, ESC ] … BEL (or ESC \), two-character escapes, and colour codes whose ESC byte some logger
 * already lost ("[32m"). Ordinary brackets stay: "[12s]", "[rank-7/8]".
 */
export function stripAnsi(text: string): string {
  if (!text.includes('\u001b') && !text.includes('[')) return text;
  let out = '';
  let from = 0;
  let esc = text.indexOf('\u001b');
  let bracket = text.indexOf('[');
  for (let at = 0; ; ) {
    if (esc >= 0 && esc < at) esc = text.indexOf('\u001b', at);
    if (bracket >= 0 && bracket < at) bracket = text.indexOf('[', at);
    if (esc < 0 && bracket < 0) break;
    at = esc < 0 ? bracket : bracket < 0 ? esc : Math.min(esc, bracket);
    const code = text.charCodeAt(at);
    const end = code === ESCAPE ? escapeEnd(text, at) : code === 0x5b ? bareColourEnd(text, at) : at;
    if (end > at) {
      out += text.slice(from, at);
      from = end;
      at = end;
    } else at += 1;
  }
  return out + text.slice(from);
}

function escapeEnd(text: string, at: number): number {
  const next = text[at + 1];
  if (next === '[') {
    let end = at + 2;
    while (end < text.length && text.charCodeAt(end) < 0x40) end += 1;
    return Math.min(end + 1, text.length);
  }
  if (next === ']') {
    let end = at + 2;
    while (end < text.length && text.charCodeAt(end) !== 0x07 && text.charCodeAt(end) !== ESCAPE) end += 1;
    return Math.min(end + (text.charCodeAt(end) === ESCAPE ? 2 : 1), text.length);
  }
  return Math.min(at + 2, text.length);
}

/** "[0m", "[1;32m", "[38;2;255;128;0m": digits and semicolons up to an "m"; anything else is not a colour. */
function bareColourEnd(text: string, at: number): number {
  let end = at + 1;
  let digits = 0;
  while (end - at <= MAX_COLOUR) {
    const code = text.charCodeAt(end);
    if (code >= 48 && code <= 57) digits += 1;
    else if (code === 0x6d && digits > 0) return end + 1;
    else if (code !== 0x3b) return at;
    end += 1;
  }
  return at;
}
