// Reading: takes one input after the other apart into what its lines report.

import { dirname } from 'node:path';
import { JOB_WORDS } from '../../detection/text/words/job-words.ts';
import { KERNEL_WORDS } from '../../detection/text/words/kernel-words.ts';
import { REPORT_WORDS } from '../../detection/text/words/report-words.ts';
import { joined, scannerOf } from '../../detection/text/words/word-set.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { TextRecord } from '../../model/record.ts';
import type { NativeWordScanner } from '../../native.ts';
import type { SavedInput } from '../../sources/saved-text/input.ts';
import { FORM_WORDS, SavedText, type SavedTextOptions } from '../../sources/saved-text/saved-text.ts';
import type { ScannedInput } from './document.ts';
import type { FoundEvents } from './found-events.ts';
import type { Unnamed } from './host-names.ts';
import { InputDecoder } from './input-decoder.ts';
import { Labels } from './labels.ts';
import type { Readings } from './readings.ts';
import type { Steps } from './steps.ts';
import { isWanted, type Wanted } from './wanted.ts';

export interface Read {
  readonly events: { readonly event: FaultEvent; readonly host: string }[];
  readonly incidents: Incident[];
}

export interface ReadingOptions {
  readonly found: FoundEvents;
  readonly steps: Steps;
  readonly readings: Readings;
  readonly wanted: Wanted;
  /** Every line is read, not only those with a word of some rule. */
  readonly everyLine?: boolean;
}

export class Reading {
  readonly inputs: ScannedInput[] = [];
  /** Hosts that lines name. */
  readonly named = new Set<string>();
  /** Logs whose lines name none, by the label that stands for their host. */
  readonly unnamed = new Map<string, Unnamed>();
  readonly #options: ReadingOptions;
  readonly #labels = new Labels();
  #scanner: NativeWordScanner | null = null;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  #skimming(attends: () => boolean): Pick<SavedTextOptions, 'scanner' | 'attends'> {
    if (this.#options.everyLine === true) return {};
    this.#scanner ??= scannerOf(WORDS, true);
    return { scanner: this.#scanner, attends };
  }

  async read({ name, savedMs, bytes }: SavedInput): Promise<void> {
    const { found, steps, readings, wanted } = this.#options;
    const label = this.#labels.of(name);
    const decoder = new InputDecoder({
      path: name,
      onEvent: (host, event) => found.add(host, event),
      onSteps: (seen) => steps.take(name, seen),
      onReport: (report, line) => readings.take(name, line, report),
    });
    let kernel = false;
    let nameless = false;
    const text = new SavedText({
      ...this.#skimming(() => decoder.attends),
      name,
      job: label,
      savedMs,
      onRecord: (record, host) => {
        if (host === null) nameless = true;
        else this.named.add(host);
        kernel ||= record.source === 'kernel-log';
        if (inTime(record, wanted) && (host === null || isWanted(wanted, host))) decoder.take(record, host ?? label);
      },
      onTime: (timeMs, host) => decoder.passed(timeMs, host ?? label),
    });
    for await (const piece of bytes) text.push(piece);
    text.end();
    decoder.end();
    if (nameless) this.unnamed.set(label, { kernel, folder: dirname(name) });
    const { lines, undated, dating } = text;
    const format = text.format === 'plain' ? (decoder.report ?? text.format) : text.format;
    this.inputs.push({ name, format, lines, undated_lines: undated, assumed: [...dating.assumed] });
  }
}

/** Of all that a scan reads. */
const WORDS = joined(KERNEL_WORDS, JOB_WORDS, REPORT_WORDS, { words: FORM_WORDS, anyCase: [] });

/** A line without a time is of the time of the lines before it. */
function inTime({ observedMs }: TextRecord, { fromMs, toMs }: Wanted): boolean {
  return observedMs >= fromMs && observedMs <= toMs;
}
