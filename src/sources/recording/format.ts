// The recording: JSON Lines of what sources emitted, in order of arrival, so that it can be run again.

import type { WorkView } from '../../identity/work/work.ts';
import type { GpuHourRate } from '../../model/incident.ts';
import type { Discovery, EventInput, SampleBatch, TextRecord } from '../../model/record.ts';
import type { Link } from '../../model/topology.ts';

export const RECORDING_SCHEMA = 'faultline/recording/1';

/** First line of a recording: what replay needs to build the same line. */
export interface RecordingHeader {
  readonly schema: typeof RECORDING_SCHEMA;
  readonly host: string;
  readonly version: string;
  readonly started_ms: number;
  readonly lateness_ms: number;
  readonly hold_ms: number;
  readonly links: readonly Link[];
  /** Left out by recorders that did not know it yet. */
  readonly gpu_hour_rate?: GpuHourRate | null;
}

/** Whose work is on the host, from this time on. */
export type RecordedWork = Omit<WorkView, 'version'>;

/** `at` is the time of arrival, epoch ms. */
export type RecordingEntry =
  | { readonly at: number; readonly samples: SampleBatch }
  | { readonly at: number; readonly background: SampleBatch }
  | { readonly at: number; readonly text: TextRecord }
  | { readonly at: number; readonly event: EventInput }
  | { readonly at: number; readonly discovery: Discovery }
  | { readonly at: number; readonly work: RecordedWork }
  | { readonly at: number; readonly lost: number }
  | { readonly at: number; readonly end: true };
