// Self-inputs: what the daemon can be asked about itself.

import type { LogCounts } from '../../incidents/log/trouble.ts';
import type { Incident } from '../../model/incident.ts';
import type { CoreStats } from '../../native.ts';
import type { Source } from '../../sources/source.ts';
import type { SinkCounts } from '../sink.ts';

/** Each call returns at once. */
export interface SelfInputs {
  readonly version: string;
  /** The steady clock, epoch ms. */
  readonly now: () => number;
  readonly procRoot: string;
  readonly restored: readonly Incident[];
  readonly core: () => CoreStats;
  readonly sources: () => readonly Pick<Source, 'name' | 'health' | 'counts' | 'childPid'>[];
  readonly log: () => (LogCounts & { readonly waitingBytes: number }) | null;
  readonly sinks: () => readonly SinkCounts[];
  /** Connections that were let go, by the server that they came to. */
  readonly servers: () => Readonly<Record<string, { readonly refused: number; readonly evicted: number }>>;
}
