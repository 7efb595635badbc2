// What discovery found behind one BMC: which resources to read, how often, and what they are of.

import type { ReadingsDocument } from '../../model/documents/readings.ts';
import type { LegacyUse } from './decode/power.ts';
import type { Quirks } from './decode/quirks.ts';

/** A supply or fan of the newer model, each a resource of its own. */
export interface Member {
  readonly path: string;
  readonly slot: string;
  /** Metrics of a supply. */
  readonly metrics: string | null;
}

/** One thing to read; what is read together is one entry. */
export type Reading =
  | ({ readonly is: 'power'; readonly path: string } & LegacyUse)
  | { readonly is: 'supplies'; readonly members: readonly Member[] }
  | { readonly is: 'power_subsystem'; readonly path: string }
  | { readonly is: 'environment'; readonly path: string }
  | { readonly is: 'thermal'; readonly path: string }
  | { readonly is: 'fans'; readonly members: readonly Member[] }
  | { readonly is: 'thermal_metrics'; readonly path: string }
  | { readonly is: 'sensors'; readonly members: readonly Member[] }
  | { readonly is: 'health'; readonly path: string; readonly of: 'system' | 'chassis' }
  | { readonly is: 'manager'; readonly path: string }
  | { readonly is: 'gpu'; readonly path: string; readonly environment: string | null; readonly metrics: string | null };

export interface BmcPlan {
  readonly identity: ReadingsDocument['identity'];
  readonly quirks: Quirks;
  /** Read at every poll: what a power event shows in. */
  readonly fast: readonly Reading[];
  /** Read in turn in the time between. */
  readonly slow: readonly Reading[];
  /** Read by the probe only: on a host with a driver NVML tells more of its GPUs, and by their address. */
  readonly gpus: readonly Reading[];
  readonly warnings: readonly string[];
}
