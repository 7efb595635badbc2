// Now document: `faultline/now/1`, the newest readings that people watch, as the daemon has them.

export const NOW_SCHEMA = 'faultline/now/1';

export interface NowReading {
  /** Text form of the component. */
  readonly component: string;
  readonly quantity: string;
  /** SI. */
  readonly value: number;
  readonly time: string;
  /** Median of what is kept of it, the last minutes; of step times only, else null. */
  readonly usual: number | null;
}

export interface NowDocument {
  readonly schema: typeof NOW_SCHEMA;
  readonly host: string;
  readonly time: string;
  readonly readings: readonly NowReading[];
}
