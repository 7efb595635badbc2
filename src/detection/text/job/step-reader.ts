// StepReader: the steps that one printer's lines tell, of frameworks that spread a step over several lines or prints.

import { type Bar, parseBar } from './bar.ts';
import { type BarStep, barStep } from './bar-step.ts';
import { CsvTable } from './csv-table.ts';
import { MetricBlock } from './metric-block.ts';
import type { Framework, StepLine } from './progress.ts';
import { parseStepLine } from './step-line.ts';

export class StepReader {
  readonly #wanted: (framework: Framework) => boolean;
  readonly #table: CsvTable | null;
  readonly #block: MetricBlock | null;
  /** The newest bar without a name, and the total of those that count steps: evaluations have another one. */
  #bar: Bar | null = null;
  #total: number | null = null;
  /** A framework that prints such bars was heard. */
  #beside = false;

  constructor(wanted: (framework: Framework) => boolean) {
    this.#wanted = wanted;
    this.#table = CsvTable.wanted(wanted) ? new CsvTable() : null;
    this.#block = MetricBlock.wanted(wanted) ? new MetricBlock() : null;
  }

  /** Waits for a line that closes what it read so far. */
  get open(): boolean {
    return this.#block?.open ?? false;
  }

  /** The steps that are whole with this line, in order; mostly none. */
  read(line: string): StepLine[] {
    const steps: StepLine[] = [];
    const block = this.#block?.read(line) ?? null;
    if (block !== null) steps.push(block);
    const bar = parseBar(line);
    const ofBar = bar === null ? null : this.#ofBar(bar);
    if (ofBar !== null) steps.push(ofBar);
    const told = parseStepLine(line, this.#wanted) ?? this.#table?.read(line) ?? null;
    if (told !== null) steps.push(this.#numbered(told));
    return steps;
  }

  /** What waited for a line that closes it. */
  flush(): StepLine[] {
    const block = this.#block?.flush() ?? null;
    return block === null ? [] : [block];
  }

  #ofBar(bar: Bar): StepLine | null {
    const found = barStep(bar, this.#wanted);
    if (found === null) return null;
    if (found.beside === null) return found.step;
    this.#bar = bar;
    return this.#counts(bar, found) ? found.step : null;
  }

  /** A bar without a name counts steps once lines beside it say that this is a training, and it is no other bar. */
  #counts({ total }: Bar, { beside }: BarStep): boolean {
    if (beside === null || !this.#beside) return false;
    this.#total ??= total;
    return total === this.#total;
  }

  /** Where the framework's own line has no number, the bar that stands there has it. */
  #numbered(step: StepLine): StepLine {
    if (step.framework !== 'transformers') return step;
    this.#beside = true;
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
