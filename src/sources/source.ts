// Source: the one interface through which the pipeline is fed.

import type { Emit } from '../model/record.ts';
import type { KernelRecord, Notice } from '../native.ts';

/**
 * works: what people rely on is read. partial: it answers, and something that people rely on is not read; `detail` says what,
 * `remedy` the line that changes it.
 */
export type SourceStatus = 'works' | 'partial' | 'absent' | 'no_permission' | 'failed' | 'off';

export interface SourceHealth {
  readonly source: string;
  readonly status: SourceStatus;
  /** One line: what is there ("8 GPUs, driver 570.86"), or why not. */
  readonly detail: string;
  /** The exact line that fixes it, null where nothing needs fixing. */
  readonly remedy: string | null;
  /** True while what the source reads cannot be relied on, so that the daemon is not ready. */
  readonly unready?: boolean;
  /** Further lines about what works and what does not, for those who ask. */
  readonly notes?: readonly string[];
}

/** What a source did since it was made; each number only grows. What a source cannot know is left out. */
export interface SourceCounts {
  /** As in `SourceHealth`. */
  readonly source: string;
  /** Polls that were answered, or records and lines that were read. */
  readonly reads?: number;
  readonly failures?: number;
  readonly readSeconds?: number;
  /** Records that were gone before they could be read. */
  readonly lost?: number;
}

/**
 * Reads one kind of thing. `start` never throws and never blocks: what is missing is said in `health()` and taken up
 * when it appears. After `stop` resolves nothing is emitted any more; `stop` is bounded to a second whatever hangs.
 */
export interface Source {
  readonly name: string;
  start(emit: Emit, signal: AbortSignal): void;
  health(): readonly SourceHealth[];
  counts?(): readonly SourceCounts[];
  /** Pid of the child process that reads for this source; null while there is none. */
  childPid?(): number | null;
  /** Notices of the names that its definition lists. */
  handleNotice?(notice: Notice): void;
  /** Records of the kernel log, where its definition says that it takes them. */
  handleRecords?(records: readonly KernelRecord[]): void;
  /** Whether its silence may be an event now, so that time has to pass; left out: its definition says it all. */
  silenceMatters?(): boolean;
  /** Takes up other settings while it runs; false where it has to be made again for them. Left out: it always has. */
  reconfigure?(settings: unknown): boolean;
  /** Its health with what others made of what it read; left out: `health()` says it all. */
  judgedHealth?(): readonly SourceHealth[];
  stop(): Promise<void>;
  /** Called after a stop in a daemon that continues without it: what it taught others is not kept up to date any more. */
  forget?(): void;
}
