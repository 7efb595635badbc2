// Topology: who feeds, holds and runs whom. Links come from the configuration and from what the host shows.

import type { Component } from './component.ts';

/**
 * feeds: power or cooling flows from `from` to `to` (outlet → psu). contains: `from` holds `to` (host → gpu).
 * runs: work `to` runs on `from` (gpu → rank). member_of: `from` is part of `to` (rank → job).
 */
export type Relation = 'feeds' | 'contains' | 'runs' | 'member_of';

/** Trouble in `from` can reach `to`. */
export interface Link {
  readonly from: Component;
  readonly to: Component;
  readonly relation: Relation;
  readonly source: 'configuration' | 'host';
  /** How sure it is that trouble goes this way, 0 to 1; left out where it is known. */
  readonly quality?: number;
}
