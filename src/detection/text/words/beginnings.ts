// Beginnings: whether a text has one of many words, of which each is asked for only where its first two characters are.

export class Beginnings {
  readonly #byStart = new Map<string, string[]>();

  constructor(words: readonly string[] = []) {
    for (const word of words) this.add(word);
  }

  add(word: string): void {
    const start = word.slice(0, 2);
    const others = this.#byStart.get(start);
    if (others === undefined) this.#byStart.set(start, [word]);
    else others.push(word);
  }

  /** Whether `text` has an added word that is not `text` itself. */
  hasOther(text: string): boolean {
    for (let at = 0; at < text.length; at += 1) {
      if (this.#beginsAt(text, at, 2) || this.#beginsAt(text, at, 1)) return true;
    }
    return false;
  }

  #beginsAt(text: string, at: number, characters: number): boolean {
    const words = this.#byStart.get(text.slice(at, at + characters));
    return words?.some((word) => word.length < text.length && text.startsWith(word, at)) ?? false;
  }
}
