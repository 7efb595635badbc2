// Pipeline options: what the daemon, replay, scan and demo give the line that they share.

import type { RepeatBook } from '../correlation/repeats/repeat-book.ts';
import type { PastEvents } from '../correlation/window/past-events.ts';
import type { LeftBehind } from '../detection/rules/left-behind.ts';
import type { StepSeen } from '../detection/text/job/decoded.ts';
import type { RulesConfig } from '../detection/user-rules/index.ts';
import type { Identity } from '../identity/identity.ts';
import type { PastIncident } from '../incidents/log/past.ts';
import type { FaultEvent } from '../model/event.ts';
import type { GpuHourRate, Incident } from '../model/incident.ts';
import type { Made } from '../model/made.ts';
import type { Discovery, SampleBatch } from '../model/record.ts';
import type { Link } from '../model/topology.ts';
import type { OnWork } from '../model/work.ts';
import type { Drained, NativeCore } from '../native.ts';
import type { Recorder } from '../sources/recording/recorder.ts';

export interface PipelineOptions {
  readonly host: string;
  readonly core: NativeCore;
  /** What is known of this host. Left out: one of its own. */
  readonly identity?: Identity;
  readonly latenessMs: number;
  readonly holdMs: number;
  readonly links: readonly Link[];
  /** Open incidents of an earlier run. */
  readonly restored?: readonly Incident[];
  /** Plans of an earlier run that may still explain something, and faults under them. */
  readonly plans?: readonly FaultEvent[];
  /** What was over in an earlier run and may still be the cause of what follows. */
  readonly causes?: readonly FaultEvent[];
  /** What earlier runs noted of devices, and how often what happened then had no consequence. Left out: nothing. */
  readonly repeats?: RepeatBook;
  readonly pastEvents?: PastEvents;
  readonly settings?: LeftBehind;
  /** Incidents that an earlier run resolved, the newest ones. */
  readonly closed?: readonly Incident[];
  /** More of them, of which less is known. */
  readonly past?: readonly PastIncident[];
  readonly recorder?: Recorder | null;
  /** Marks all that comes out as made up; null or left out where it is real. */
  readonly made?: Made | null;
  /** Price of a GPU-hour; null or left out where none is configured. */
  readonly gpuHourRate?: GpuHourRate | null;
  /** See CorrelatorOptions. */
  readonly adviseOnWords?: boolean;
  /** Detectors and rules of the site. Left out: what is built in. */
  readonly rules?: RulesConfig;
  readonly onEvent: (event: FaultEvent) => void;
  /** Something is published at this time if event time moves on by then. */
  readonly onDue?: (atMs: number) => void;
  readonly onIncident: (incident: Incident) => void;
  readonly onDiscovery?: (discovery: Discovery) => void;
  /** Samples that came from sources, as they came. */
  readonly onSamples?: (batch: SampleBatch) => void;
  /** Steps that the lines of jobs report, with all their numbers. */
  readonly onSteps?: (steps: readonly StepSeen[]) => void;
  /** Kernel records and notices of the core, for the sources that asked for them. */
  readonly onNative?: (drained: Drained) => void;
  /** True when the source works, so that its silence means something; unknown in a replay. */
  readonly watches?: (source: string) => boolean;
  /** Called with the pipeline's own work on events and incidents. Without it no clock is read for that and nothing is made. */
  readonly onWork?: OnWork;
  /** Takes what is thrown in a turn of the pipeline's own, which no source waits for. Left out: it ends the process. */
  readonly caught?: (error: unknown) => void;
  /** The clock: the core's, or that of a recording. */
  readonly now: () => number;
}
