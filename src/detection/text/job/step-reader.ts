// StepReader: the steps that one printer's lines report, of frameworks that spread a step over several lines or prints.

import { type Bar, parseBar } from './bar.ts';
import { type BarStep, barStep } from './bar-step.ts';
import { CsvTable, TABLES } from './csv-table.ts';
import { type Framework, traitsOf } from './framework.ts';
import { BLOCKS, MetricBlock } from './metric-block.ts';
import type { StepLine } from './progress.ts';
import { parseStepLine } from './step-line.ts';

export class StepReader {
  readonly #wanted: (framework: Framework) => boolean;
  readonly #tables: readonly CsvTable[];
  readonly #blocks: readonly MetricBlock[];
  /** The newest bar without a name, and the total of those that count steps: evaluations have another one. */
  #bar: Bar | null = null;
  #total: number | null = null;
  /** Frameworks that leave the number of their lines to such a bar and printed some. */
  readonly #heard = new Set<Framework>();

  constructor(wanted: (framework: Framework) => boolean) {
    this.#wanted = wanted;
    this.#tables = TABLES.filter(({ framework }) => wanted(framework)).map((words) => new CsvTable(words));
    this.#blocks = BLOCKS.filter(({ framework }) => wanted(framework)).map((words) => new MetricBlock(words));
  }

  /** Waits for a line that closes what it read so far. */
  get open(): boolean {
    return this.#blocks.some(({ open }) => open);
  }

  /** Rows of a table may follow. */
  get inTable(): boolean {
    return this.#tables.some(({ open }) => open);
  }

  /** The steps that are whole with this line, in order; mostly none. */
  read(line: string): StepLine[] {
    const steps: StepLine[] = [];
    for (const block of this.#blocks) {
      const step = block.read(line);
      if (step !== null) steps.push(step);
    }
    const bar = parseBar(line);
    const ofBar = bar === null ? null : this.#ofBar(bar);
    if (ofBar !== null) steps.push(ofBar);
    const step = parseStepLine(line, this.#wanted) ?? this.#ofTable(line);
    if (step !== null) steps.push(this.#numbered(step));
    return steps;
  }

  /** What waited for a line that closes it. */
  flush(): StepLine[] {
    return this.#blocks.map((block) => block.flush()).filter((step) => step !== null);
  }

  #ofTable(line: string): StepLine | null {
    for (const table of this.#tables) {
      const step = table.read(line);
      if (step !== null) return step;
    }
    return null;
  }

  #ofBar(bar: Bar): StepLine | null {
    const found = barStep(bar, this.#wanted);
    if (found === null) return null;
    if (!found.withLinesOnly) return found.step;
    this.#bar = bar;
    return this.#counts(bar, found) ? found.step : null;
  }

  /** A bar without a name counts steps once lines around it say that this is a training, and it is not another bar. */
  #counts({ total }: Bar, { step }: BarStep): boolean {
    if (!this.#heard.has(step.framework)) return false;
    this.#total ??= total;
    return total === this.#total;
  }

  /** Where the framework's own line has no number, the bar that is there has it. */
  #numbered(step: StepLine): StepLine {
    if (traitsOf(step.framework)?.numbered_by_bar !== true) return step;
    this.#heard.add(step.framework);
    if (step.iteration !== null || step.loss === null) return step;
    const bar = this.#bar;
    if (bar === null) return step;
    this.#total = bar.total;
    const stepTimeMs = step.step_time_ms ?? bar.eachMs;
    return {
      ...step,
      iteration: bar.done,
      target_iteration: bar.total,
      step_time_ms: stepTimeMs,
      step_time_from: stepTimeMs === null ? null : 'printed',
    };
  }
}
