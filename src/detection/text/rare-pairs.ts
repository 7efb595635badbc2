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
      const [first, second] = rarestOf(word);
      this.#first[first] = 1;
      this.#pairs[first * CODES + second] = 1;
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

/** The codes of the pair in a word that is found least in other words. */
function rarestOf(word: string): readonly [first: number, second: number] {
  let best: readonly [number, number] | null = null;
  let most = -1;
  for (let at = 0; at + 1 < word.length; at += 1) {
    const pair = [word.charCodeAt(at), word.charCodeAt(at + 1)] as const;
    const rarity = rarityOf(word.charAt(at)) + rarityOf(word.charAt(at + 1));
    if (rarity <= most || Math.max(...pair) >= CODES) continue;
    most = rarity;
    best = pair;
  }
  if (best === null) throw new Error(`"${word}" has no two ASCII characters side by side: give it another wording`);
  return best;
}

/** Capitals, digits and signs are rarer than any letter, blanks more frequent. */
function rarityOf(character: string): number {
  if (character === ' ') return 0;
  const at = COMMON.indexOf(character);
  return at < 0 ? COMMON.length : at;
}
