// Source: the one interface of the line's left end.

import type { Emit } from '../model/record.ts';

export type SourceStatus = 'works' | 'absent' | 'no_permission' | 'failed' | 'off';

export interface SourceHealth {
  readonly source: string;
  readonly status: SourceStatus;
  /** One line: what is there ("8 GPUs, driver 570.86"), or why not. */
  readonly detail: string;
  /** The exact line that mends it, null where nothing needs mending. */
  readonly remedy: string | null;
}

/**
 * Reads one kind of thing. `start` never throws and never blocks: what is missing is said in `health()` and taken up
 * when it appears. After `stop` resolves nothing is emitted any more; `stop` is bounded to a second whatever hangs.
 */
export interface Source {
  readonly name: string;
  start(emit: Emit, signal: AbortSignal): void;
  health(): readonly SourceHealth[];
  stop(): Promise<void>;
}
