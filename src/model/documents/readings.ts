// Readings document: `faultline/readings/1`, which every probe prints.

import type { DeviceState, Reading } from '../reading.ts';

export const READINGS_SCHEMA = 'faultline/readings/1';

/** Times are RFC 3339 UTC, quantities SI, absent is null. */
export interface ReadingsDocument {
  readonly schema: typeof READINGS_SCHEMA;
  readonly target: string;
  readonly observed_at: string;
  readonly identity: {
    readonly vendor: string | null;
    readonly model: string | null;
    readonly serial: string | null;
    readonly firmware: string | null;
  };
  readonly readings: readonly Reading[];
  readonly states: readonly DeviceState[];
  readonly warnings: readonly string[];
}
