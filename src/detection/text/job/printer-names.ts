// Printer names: what keeps the lines of one printer apart from those of others. A few print in turn: their names are kept, as texts that
// were put together once.

import type { Prefix } from './prefix.ts';

const MOST_KEPT = 256;
/** No task has a number with as many digits. */
const TASKS = 2 ** 20;

export class PrinterNames {
  /** By stream, and by task and rank. */
  readonly #printers = new Map<string, Map<number, string>>();
  /** By printer, and by framework. */
  readonly #counters = new Map<string, Map<string, string>>();

  /** One rank, or the printer that names none, in one stream. */
  printer(stream: string, { task, label }: Pick<Prefix, 'task' | 'label'>): string {
    const number = label?.number ?? null;
    const key = ((number ?? -1) + 1) * TASKS + (task ?? -1) + 1;
    const ofStream = keptIn(this.#printers, stream);
    return ofStream.get(key) ?? kept(ofStream, key, `${stream}#${task ?? ''}#${number ?? ''}`);
  }

  /** Two frameworks in one log count differently: batches, and steps of the optimizer. */
  counter(printer: string, framework: string): string {
    const ofPrinter = keptIn(this.#counters, printer);
    return ofPrinter.get(framework) ?? kept(ofPrinter, framework, `${printer}#${framework}`);
  }
}

function keptIn<K>(all: Map<string, Map<K, string>>, of: string): Map<K, string> {
  const known = all.get(of);
  if (known !== undefined) return known;
  const made = new Map<K, string>();
  if (all.size >= MOST_KEPT) all.clear();
  all.set(of, made);
  return made;
}

function kept<K>(names: Map<K, string>, key: K, name: string): string {
  if (names.size >= MOST_KEPT) names.clear();
  names.set(key, name);
  return name;
}
