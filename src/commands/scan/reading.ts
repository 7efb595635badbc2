// Reading: takes one input after the other apart into what its lines report.

import { dirname } from 'node:path';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { TextRecord } from '../../model/record.ts';
import type { SavedInput } from '../../sources/saved-text/input.ts';
import { SavedText } from '../../sources/saved-text/saved-text.ts';
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
}

export class Reading {
  readonly inputs: ScannedInput[] = [];
  /** Hosts that lines name. */
  readonly named = new Set<string>();
  /** Logs whose lines name none, by the label that stands for their host. */
  readonly unnamed = new Map<string, Unnamed>();
  readonly #options: ReadingOptions;
  readonly #labels = new Labels();

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  async read({ name, savedMs, bytes }: SavedInput): Promise<void> {
    const { found, steps, readings, wanted } = this.#options;
    const label = this.#labels.of(name);
    const decoder = new InputDecoder({
      onEvent: (host, event) => found.add(host, event),
      onSteps: (seen) => steps.take(name, seen),
      onReport: (report, line) => readings.take(name, line, report),
    });
    let kernel = false;
    let nameless = false;
    const text = new SavedText({
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

/** A line without a time is of the time of the lines before it. */
function inTime({ observedMs }: TextRecord, { fromMs, toMs }: Wanted): boolean {
  return observedMs >= fromMs && observedMs <= toMs;
}
