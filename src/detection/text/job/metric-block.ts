// MetricBlock: Composer's console blocks, a head with the batch and a line for each number below it.

import { entriesOf, wordsOf } from './framework.ts';
import { readCount } from './number.ts';
import type { StepLine } from './progress.ts';
import { readPair } from './put.ts';
import { readFields, stepFields, valueAfter } from './step-fields.ts';

export const BLOCKS = entriesOf('blocks').map((entry) => ({ ...entry, read: stepFields(entry.fields) }));
type BlockWords = (typeof BLOCKS)[number];

const MAX_LINES = 256;
const MAX_LINE = 256;

export class MetricBlock {
  readonly #words: BlockWords;
  #open: { readonly head: string; readonly lines: string[] } | null = null;

  constructor(words: BlockWords) {
    this.#words = words;
  }

  get open(): boolean {
    return this.#open !== null;
  }

  /** The block that this line closes, by not being one of its lines; null while it continues. */
  read(line: string): StepLine | null {
    const open = this.#open;
    if (open !== null && line.slice(0, MAX_LINE).includes(this.#words.line) && open.lines.length < MAX_LINES) {
      open.lines.push(line.slice(0, MAX_LINE));
      return null;
    }
    const closed = this.flush();
    const { header } = this.#words;
    const at = line.slice(0, MAX_LINE).indexOf(header);
    if (at >= 0 && line.trimEnd().endsWith(':')) this.#open = { head: line.slice(0, MAX_LINE), lines: [] };
    return closed;
  }

  flush(): StepLine | null {
    const open = this.#open;
    this.#open = null;
    if (open === null) return null;
    const { framework, header, fields, read } = this.#words;
    const step = readFields(framework, open.lines.join('\n'), read);
    const [batch, target] = readPair(valueAfter(open.head, [header]));
    const count = readCount(valueAfter(open.lines.join('\n'), wordsOf(fields, 'count')) ?? undefined);
    // Where epochs are counted too, the head counts the batches of one epoch; `time/batch` continues over all of them.
    const inEpoch = open.head.includes('[epoch=');
    const iteration = inEpoch ? (count === null ? null : count + 1) : batch;
    if (iteration === null || (step.loss === null && step.samples_per_second === null)) return null;
    return { ...step, iteration, target_iteration: inEpoch ? null : target };
  }
}
