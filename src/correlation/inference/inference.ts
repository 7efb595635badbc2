// Inference: a rule that concludes from several conditions that something happened which no source read.

import type { FaultEvent } from '../../model/event.ts';
import type { Kind } from '../../model/kind.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import type { Facts } from '../window/facts.ts';

/** What an inference may look at: what is known, and nothing of what is believed of it. */
export interface Known {
  /** Conditions of a kind that have begun. */
  ofKind(kind: Kind): readonly Facts[];
  readonly topology: TopologyIndex;
}

export interface Inference {
  readonly name: string;
  /** Kinds of conditions that can change what it finds. None that any inference infers. */
  readonly watches: readonly Kind[];
  /** Kinds of events that it may find. */
  readonly infers: readonly Kind[];
  /** All that follows from what is known now: a pure function that does not depend on the order of arrival. */
  infer(known: Known): readonly FaultEvent[];
}
