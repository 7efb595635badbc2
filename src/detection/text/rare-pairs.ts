// Rare pairs: whether a text can hold any of many words, by one pair of characters of each; a small part of what a pattern takes.

/** ASCII, the only script of the words. */
const CODES = 128;
/** From the most frequent in English on. */
const COMMON = 'etaoinsrhldcumfpgwybvkxjqz';

export class RarePairs {
  readonly #first = new Uint8Array(CODES);
  readonly #pairs = new Uint8Array(CODES * CODES);

  /** Each of two characters at least. */
  constructor(words: readonly string[]) {
    for (const word of words) {
      const at = rarestAt(word);
      const first = word.charCodeAt(at);
      this.#first[first] = 1;
      this.#pairs[first * CODES + word.charCodeAt(at + 1)] = 1;
    }
  }

  /** False only where the text holds none of the words. */
  mayBeIn(text: string): boolean {
    let before = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#first[before] === 1 && code < CODES && this.#pairs[before * CODES + code] === 1) return true;
      before = code;
    }
    return false;
  }
}

/** By code: capitals, digits and signs are rarer than any letter, blanks more frequent. */
const RARITY = Uint8Array.from({ length: CODES }, (_, code) => {
  const at = COMMON.indexOf(String.fromCharCode(code));
  return at < 0 ? COMMON.length : at;
});
RARITY[' '.charCodeAt(0)] = 0;

/** Where in a word the pair begins that is found least in other words. Thousands of words at a start: without an object for each pair. */
function rarestAt(word: string): number {
  let best = -1;
  let most = -1;
  let before = word.charCodeAt(0);
  for (let at = 1; at < word.length; at += 1) {
    const code = word.charCodeAt(at);
    const rarity = before < CODES && code < CODES ? (RARITY[before] ?? 0) + (RARITY[code] ?? 0) : -1;
    if (rarity > most) {
      most = rarity;
      best = at - 1;
    }
    before = code;
  }
  if (best < 0) throw new Error(`"${word}" has no two ASCII characters side by side: give it another wording`);
  return best;
}
