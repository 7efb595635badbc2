// MetricBlock: Composer's console blocks, a head with the batch and a line for each number below it.

import catalog from '#catalog/step-lines.json' with { type: 'json' };
import { readCount } from './number.ts';
import { type Framework, isFramework, type StepLine } from './progress.ts';
import { readFields, readPair, valueAfter } from './step-fields.ts';
import { fieldsOf } from './step-line.ts';

const { header: HEADER, line: LINE } = catalog.block;
const FRAMEWORK = frameworkOf(catalog.block.framework);
const FIELDS = fieldsOf(catalog.block.fields);
const MAX_LINES = 256;
const MAX_LINE = 256;

function frameworkOf(name: string): Framework {
  if (!isFramework(name)) throw new Error(`catalog/step-lines.json: "${name}" is no framework`);
  return name;
}

export class MetricBlock {
  #open: { readonly head: string; readonly lines: string[] } | null = null;

  static wanted(wanted: (framework: Framework) => boolean): boolean {
    return wanted(FRAMEWORK);
  }

  get open(): boolean {
    return this.#open !== null;
  }

  /** The block that this line closes, by being none of its lines; null while it goes on. */
  read(line: string): StepLine | null {
    const open = this.#open;
    if (open !== null && line.slice(0, MAX_LINE).includes(LINE) && open.lines.length < MAX_LINES) {
      open.lines.push(line.slice(0, MAX_LINE));
      return null;
    }
    const closed = this.flush();
    const at = line.slice(0, MAX_LINE).indexOf(HEADER);
    if (at >= 0 && line.trimEnd().endsWith(':')) this.#open = { head: line.slice(0, MAX_LINE), lines: [] };
    return closed;
  }

  flush(): StepLine | null {
    const open = this.#open;
    this.#open = null;
    if (open === null) return null;
    const step = readFields(FRAMEWORK, open.lines.join('\n'), FIELDS);
    const [batch, target] = readPair(valueAfter(open.head, [HEADER]));
    const count = readCount(valueAfter(open.lines.join('\n'), FIELDS.count ?? []) ?? undefined);
    // Where epochs are counted too, the head counts the batches of one epoch; `time/batch` goes on over all of them.
    const inEpoch = open.head.includes('[epoch=');
    const iteration = inEpoch ? (count === null ? null : count + 1) : batch;
    if (iteration === null || (step.loss === null && step.samples_per_second === null)) return null;
    return { ...step, iteration, target_iteration: inEpoch ? null : target };
  }
}
