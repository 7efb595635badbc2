// Labels: short names for logs, which stand for the job whose log it is and for the host where no line names one.

import { basename, dirname } from 'node:path';

const LONGEST = 120;

export class Labels {
  readonly #taken = new Set<string>();

  /** The file's name without its ending; with that of its folder where another log is called so already. */
  of(name: string): string {
    const stem = basename(name).replace(/\.(?:log|txt|out|err|json|jsonl)$/i, '') || 'log';
    const parent = basename(dirname(name));
    const candidates = [
      stem,
      `${parent}:${stem}`,
      ...Array.from({ length: 8 }, (_, i) => `${parent}:${stem}#${i + 2}`),
    ];
    const free = candidates.find((each) => !this.#taken.has(each)) ?? `${stem}#${this.#taken.size}`;
    const label = free.slice(0, LONGEST);
    this.#taken.add(label);
    return label;
  }
}
