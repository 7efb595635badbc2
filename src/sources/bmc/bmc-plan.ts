// What discovery found behind one BMC: which resources to read, how often, and what they are of.

import type { ReadingsDocument } from '../../model/documents/readings.ts';
import type { LoopLimits } from './decode/cooling.ts';
import type { Side, Temperature } from './decode/parts.ts';
import type { LegacyUse } from './decode/power.ts';
import type { Quirks } from './decode/quirks.ts';
import type { LogPlan } from './log/log-services.ts';

/** A supply or fan of the newer model, each a resource of its own. */
export interface Member {
  readonly path: string;
  readonly slot: string;
  /** Metrics of a supply. */
  readonly metrics: string | null;
}

/** Members of one collection: asked for at once where the service can, else one by one. */
export interface Collected {
  readonly collection: string | null;
  readonly members: readonly Member[];
}

/** Connections of a coolant unit on one side; `limits` by path. */
export interface Loops extends Collected {
  readonly is: 'loops';
  readonly unit: string;
  readonly side: Side;
  readonly limits: ReadonlyMap<string, LoopLimits>;
}

export type CoolingReading =
  | Loops
  | ({ readonly is: 'pumps' | 'reservoirs'; readonly unit: string } & Collected)
  /** By the summary where that lists the detectors, else one by one; `unit` null: inside the host. */
  | ({ readonly is: 'leaks'; readonly unit: string | null; readonly summary: string | null } & Collected);

/** One thing to read; what is read together is one entry. */
export type Reading =
  | CoolingReading
  | ({ readonly is: 'power'; readonly path: string } & LegacyUse)
  | ({ readonly is: 'supplies' } & Collected)
  | { readonly is: 'power_subsystem'; readonly path: string }
  | { readonly is: 'environment'; readonly path: string }
  | { readonly is: 'thermal'; readonly path: string }
  | ({ readonly is: 'fans' } & Collected)
  /** `limits`: of the intake's sensor, where it has some; else the sensor is read each time for its health. */
  | { readonly is: 'thermal_metrics'; readonly path: string; readonly limits: Temperature | null }
  | ({ readonly is: 'sensors' } & Collected)
  | { readonly is: 'health'; readonly path: string; readonly of: 'system' | 'chassis' }
  | { readonly is: 'manager'; readonly path: string }
  | {
      readonly is: 'gpu';
      readonly path: string;
      readonly environment: string | null;
      readonly metrics: string | null;
      /** What discovery read at the processor itself, where that is not read again. */
      readonly body?: unknown;
    };

/** A coolant unit that the service tells of. */
export interface CoolantUnit {
  /** Its id; empty where the service is that unit's own. */
  readonly unit: string;
  readonly identity: ReadingsDocument['identity'];
}

export interface BmcPlan {
  readonly identity: ReadingsDocument['identity'];
  readonly units: readonly CoolantUnit[];
  readonly quirks: Quirks;
  /** Read at every poll: what a power event shows in. */
  readonly fast: readonly Reading[];
  /** Read in turn in the time between. */
  readonly slow: readonly Reading[];
  /** For the probe all of each GPU; for the daemon how long each was slowed down: NVML tells the rest, and by their address. */
  readonly gpus: readonly Reading[];
  readonly logs: readonly LogPlan[];
  /** Where the service sends events as they happen; null where it does not. */
  readonly stream: string | null;
  /** It sends them only to listeners that subscribe, which nothing here does. */
  readonly onlySubscriptions: boolean;
  readonly warnings: readonly string[];
}
