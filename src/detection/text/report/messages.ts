// Messages: what tools, daemons and events say in one line that is whole by itself, in whatever text.

import { SystemEventLog } from './event-log.ts';
import { PodEvents } from './pod-events.ts';
import { ProgramLog } from './program-log.ts';
import type { Reported } from './report.ts';
import { SlurmNodes } from './slurm-nodes.ts';
import { ToolStates } from './tool-states.ts';

/** Each line of these says all, whatever is before it. */
const READERS = [PodEvents, SlurmNodes, SystemEventLog, ToolStates, ProgramLog];

export class Messages {
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
  }

  /** Null where the line is not one of these, or reports nothing. */
  take(line: string): (Reported & { readonly form: string }) | null {
    const host = this.#host;
    for (const make of READERS) {
      const reader = new make(host);
      const reported = reader.take(line);
      if (reported !== null && reported.findings.length > 0) return { ...reported, form: reader.form };
    }
    return null;
  }
}
