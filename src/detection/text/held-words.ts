// Held words: which of some hundred words a text has, each asked for by itself: most are out of the question by one of their pairs of characters.

const PAIRS = 65_536;
/** The number of the text that had the pair last. */
const lastIn = new Uint32Array(PAIRS);
let number = 0;
let text = '';

function pairAt(word: string, at: number): number {
  return ((word.charCodeAt(at) << 8) ^ word.charCodeAt(at + 1)) & (PAIRS - 1);
}

/** Asked of one text after the other: what pairs it has is found out once. */
function take(next: string): void {
  if (number === 0xffff_ffff) {
    lastIn.fill(0);
    number = 0;
  }
  number += 1;
  text = next;
  for (let at = 0; at + 1 < next.length; at += 1) lastIn[pairAt(next, at)] = number;
}

export class HeldWord {
  readonly #word: string;
  /** Found out when it is first asked for. */
  #pairs: readonly number[] | null = null;

  constructor(word: string) {
    this.#word = word;
  }

  isIn(whole: string): boolean {
    if (whole !== text || number === 0) take(whole);
    this.#pairs ??= Array.from({ length: Math.max(0, this.#word.length - 1) }, (_, at) => pairAt(this.#word, at));
    for (const pair of this.#pairs) if (lastIn[pair] !== number) return false;
    return whole.includes(this.#word);
  }
}
