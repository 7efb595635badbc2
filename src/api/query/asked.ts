// Asked: what is asked of the incidents of all runs, and the answer, of those that are in memory or of all that the log has.

import type { Incident } from '../../model/incident.ts';
import type { Said } from '../../model/note.ts';

export interface AskedIncidents {
  /** Conditions, order and part, as they stand behind the question mark; one that is wrong is refused before. */
  readonly parameters: string;
  readonly nowMs: number;
  /** page: whole incidents. groups: those that no other took up, with their events. */
  readonly want: 'page' | 'groups' | 'statistics';
}

export interface FoundIncidents {
  /** Of the part that is asked for; none for statistics. */
  readonly incidents: readonly Incident[];
  readonly nextCursor: string | null;
  readonly total: number;
  /** Incident id → the incidents that it took up. */
  readonly merged: Readonly<Record<string, readonly string[]>>;
  /** Null but for statistics. */
  readonly statistics: object | null;
  /** What the log has of what people said about these, by incident id. */
  readonly said: Readonly<Record<string, Said>>;
  /** From when on nothing is missing, epoch ms. */
  readonly completeSinceMs: number;
}
