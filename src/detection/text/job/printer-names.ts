// Printer names: what keeps the lines of one printer apart from those of others. Nearly all lines come from the one that the line before
// came from: its name is kept, as a text that was put together once.

import type { Prefix } from './prefix.ts';

export class PrinterNames {
  #stream: string | null = null;
  #task: number | null = null;
  #number: number | null = null;
  #printer = '';
  #framework = '';
  #counted: string | null = null;
  #counter = '';

  /** One rank, or the printer that names none, in one stream. */
  printer(stream: string, { task, label }: Pick<Prefix, 'task' | 'label'>): string {
    const number = label?.number ?? null;
    if (stream !== this.#stream || task !== this.#task || number !== this.#number) {
      this.#stream = stream;
      this.#task = task;
      this.#number = number;
      this.#printer = `${stream}#${task ?? ''}#${number ?? ''}`;
    }
    return this.#printer;
  }

  /** Two frameworks in one log count differently: batches, and steps of the optimizer. */
  counter(printer: string, framework: string): string {
    if (printer !== this.#counted || framework !== this.#framework) {
      this.#counted = printer;
      this.#framework = framework;
      this.#counter = `${printer}#${framework}`;
    }
    return this.#counter;
  }
}
