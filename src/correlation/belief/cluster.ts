// Cluster: one root with all that follows from it, and how far what was told of it still holds.

import type { ChainLink } from '../../model/incident.ts';
import type { Severity } from '../../model/severity.ts';
import type { Interval } from '../../model/time.ts';
import type { Condition } from '../window/condition.ts';
import type { Weighed } from './weighing.ts';

export interface Assigned {
  readonly condition: Condition;
  readonly root: Condition;
  /** All causes weighed, best first, believed or not. */
  readonly weighed: readonly Weighed[];
  /** Direct causes within the same cluster, best first; empty for a root. */
  readonly causedBy: readonly Weighed[];
  /** None of what was weighed leads out of the cluster. */
  readonly inside: boolean;
  /** What a digest says of it, as of the last look; once it is over counts are told exactly. */
  said: Said | null;
  saidAtEnd: Said | null;
  /** How it was told last. */
  link: ChainLink | null;
}

/** What a condition's part of a digest was drawn from, and that part. */
export interface Said {
  readonly onset: Interval;
  readonly eventId: string;
  readonly severity: Severity;
  readonly count: number;
  readonly sources: number;
  readonly text: string;
}

export class Cluster {
  readonly root: Condition;
  /** Root first, then by onset. */
  readonly members: readonly Assigned[];
  /** The member that began first: by it clusters are ordered. */
  readonly earliest: Condition;
  /** Something that is told changed since the last look. */
  outdated = true;
  /** As of the last look. */
  ended = false;
  endKnown = false;
  #endMs: number | null = null;

  constructor(members: readonly Assigned[], root: Condition, earliest: Condition) {
    this.members = members;
    this.root = root;
    this.earliest = earliest;
  }

  /** When the last of its conditions ended, ms; null while one lasts. */
  get endMs(): number | null {
    if (!this.endKnown) {
      this.#endMs = endOf(this.members);
      this.endKnown = true;
    }
    return this.#endMs;
  }
}

function endOf(members: readonly Assigned[]): number | null {
  let end = 0;
  for (const { condition } of members) {
    if (condition.endMs === null) return null;
    end = Math.max(end, condition.endMs);
  }
  return end;
}
