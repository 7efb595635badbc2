// Collects what resolving a configuration finds wrong or doubtful, each at the place of the value it is about.

import type { Problem } from './config-error.ts';
import { pointerName } from './pointer.ts';
import { type Tree, whereOf } from './tree.ts';

export class Findings {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #places: Tree['places'];
  readonly #patched: readonly string[];
  readonly #file: string;

  /** `patched`: where a value only replaces one that is reported to be wrong already. `file`: how messages name the configuration. */
  constructor(places: Tree['places'], patched: readonly string[] = [], file = 'built-in configuration') {
    this.#places = places;
    this.#patched = patched;
    this.#file = file;
  }

  /** `text` continues the name of the value: "needs …", "names …". */
  problem(code: string, pointer: string, text: string): void {
    if (!this.#isConsequence(pointer, text)) add(this.problems, this.#at(code, pointer, text));
  }

  warning(code: string, pointer: string, text: string): void {
    if (!this.#isConsequence(pointer, text)) add(this.warnings, this.#at(code, pointer, text));
  }

  /** Where a value is written, for those who ask later: `rules.d/site.yaml:12`. */
  placeText(pointer: string): string {
    const { file = this.#file, line } = whereOf(this.#places.get(pointer));
    return line === null ? file : `${file}:${line}`;
  }

  /** True where the value was filled in from a variable. */
  expanded(pointer: string): boolean {
    return this.#places.get(pointer)?.expanded === true;
  }

  /** Found in a replacement, or in an entry that lacks what was left out. */
  #isConsequence(pointer: string, text: string): boolean {
    return this.#patched.some((patched) => {
      if (pointer === patched || pointer.startsWith(`${patched}/`)) return true;
      return patched.startsWith(`${pointer}/`) && text.includes(patched.slice(patched.lastIndexOf('/') + 1));
    });
  }

  #at(code: string, pointer: string, text: string): Problem {
    return { code, ...whereOf(this.#places.get(pointer)), text: `${pointerName(pointer)} ${text}` };
  }
}

/** One thing is reported once, however many parts of the configuration run into it. */
function add(list: Problem[], found: Problem): void {
  const same = ({ code, text }: Problem) => code === found.code && text === found.text;
  if (!list.some(same)) list.push(found);
}
