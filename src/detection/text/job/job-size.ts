// Job size: of how many ranks a job is, as the lines of its own log say: launchers, libraries and what programs print of their setting.

import catalog from '#catalog/job-sizes.json' with { type: 'json' };

/** Lines are short; of a longer one only the head is looked at. */
const MAX_LINE = 1024;
/** No job is larger, whatever a line says. */
const MOST_RANKS = 1_000_000;

const LINES = catalog.lines.map(({ word, pattern }) => ({ word, pattern: new RegExp(pattern, 'i') }));
/** Nearly every line has none of them. */
const ANY = new RegExp(LINES.map(({ word }) => word).join('|'), 'i');

export class JobSize {
  #ranks = 0;

  /** Takes a line of the log. */
  take(text: string): void {
    const head = text.length > MAX_LINE ? text.slice(0, MAX_LINE) : text;
    if (!ANY.test(head)) return;
    for (const { pattern } of LINES) {
      const { size, nodes, each } = pattern.exec(head)?.groups ?? {};
      const ranks = size === undefined ? Number(nodes) * Number(each) : Number(size);
      // A part of the job has a communicator, and a size, of its own.
      if (ranks > this.#ranks && ranks <= MOST_RANKS) this.#ranks = ranks;
    }
  }

  /** Null where no line says. */
  get ranks(): number | null {
    return this.#ranks === 0 ? null : this.#ranks;
  }
}
