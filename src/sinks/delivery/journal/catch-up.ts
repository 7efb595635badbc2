// Catch up: what an earlier run wrote to the incident log and, killed, did not bring to the spool any more.

import type { Logged } from '../../../incidents/log/after.ts';
import type { Incident } from '../../../model/incident.ts';
import type { DiskLane } from '../spool/disk-lane.ts';
import { type Mark, SentJournal } from './sent-journal.ts';

export interface CatchUpOptions {
  /** Of the journal. */
  readonly path: string;
  readonly lane: DiskLane;
  /** What an earlier run knew of incidents last, those that changed last at the end. */
  readonly known?: readonly Incident[] | undefined;
  /** What the incident log holds behind this revision, or from its beginning. */
  readonly loggedAfter?: ((mark: Mark | null) => Promise<readonly Logged[]>) | undefined;
}

export interface CaughtUp {
  readonly journal: SentJournal;
  /** In the order of the log; incidents come without their events. */
  readonly unsent: readonly Logged[];
}

/** Never rejects. */
export async function catchUp({ path, lane, known = [], loggedAfter }: CatchUpOptions): Promise<CaughtUp> {
  const journal = new SentJournal(path, lane);
  if (await journal.open()) return { journal, unsent: (await loggedAfter?.(journal.mark).catch(() => [])) ?? [] };
  // Where nothing was sent before, the history stays history.
  const last = known.at(-1);
  await journal.begin(last === undefined ? null : { id: last.id, revision: last.revision });
  return { journal, unsent: [] };
}
