// Fault: something that went wrong, as one line of a job's log reports it, before it is known where that is.

import type { AttributeValue } from '../../../../model/event.ts';
import type { Kind } from '../../../../model/kind.ts';
import type { RankLabel } from '../../../../model/rank-label.ts';
import type { Severity } from '../../../../model/severity.ts';

/**
 * `rank`: the rank that `rank` names, the job where that is not known; `named`: that rank, on whatever host it is;
 * `host`: this one; `device`: one that the line does not name; or another host by its name.
 */
export type FaultPlace = 'rank' | 'named' | 'job' | 'host' | 'device' | { readonly host: string };

export interface Fault {
  readonly kind: Kind;
  readonly place: FaultPlace;
  /** Who reports it, or with `named` of whom it is reported; null where the line does not say. */
  readonly rank?: RankLabel | null;
  readonly severity?: Severity;
  readonly state?: 'onset' | 'clear';
  /** A launcher reports it of one of its workers. */
  readonly byLauncher?: true;
  /** It counts where nothing behind it says of what the process ended. */
  readonly lastWord?: true;
  /** What it is instead where a failure was reported shortly before. */
  readonly afterFailure?: Kind | 'nothing';
  /** It ended the process that reports it, whose rank this is. */
  readonly ended?: Pick<Fault, 'rank' | 'attributes'>;
  /** It happened so long before what else the same lines report, ms: its printer knows the order. */
  readonly beforeMs?: number;
  /** It began this long before the line, ms. */
  readonly sinceMs?: number;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

/** Longest text that an attribute keeps of a line. */
export const MAX_TEXT = 200;
