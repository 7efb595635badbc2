// A scenario as its file writes it: durations are text ("8s"), quantities SI, and any value may come from `vary`.

import type { Change } from './changes.ts';

export type Scalar = string | number | boolean;
export type Duration = string;

/** Drawn by the seed; `usual` is the value of seed 0. */
export type Variable =
  | { readonly from: number | Duration; readonly to: number | Duration; readonly usual: number | Duration }
  | { readonly one_of: readonly Scalar[]; readonly usual: Scalar; readonly except?: Scalar }
  /** The choices are those that `of` has for the value of an earlier variable. */
  | { readonly by: Scalar; readonly of: Readonly<Record<string, readonly Scalar[]>>; readonly usual: Scalar }
  | { readonly gpu_of: string; readonly usual: number };

export interface HostDocument {
  readonly name: string;
  readonly gpus?: {
    readonly count: number;
    readonly model?: string;
    readonly addresses?: readonly string[];
    readonly power?: number;
    readonly limit?: number;
    readonly temperature?: number;
    readonly slowdown_temperature?: number;
    /** Hz-free: MHz, as NVML counts. */
    readonly sm_clock_mhz?: number;
    readonly memory_clock_mhz?: number;
    readonly driver?: string;
  };
  readonly cpus?: { readonly packages: number; readonly power?: number; readonly limit?: number };
  readonly bmc?: BmcDocument;
}

export interface BmcDocument {
  /** old: Power and Thermal; new: PowerSubsystem, ThermalSubsystem, EnvironmentMetrics. */
  readonly model?: 'old' | 'new';
  readonly supplies?: number;
  readonly fans?: number;
  /** W of everything but GPUs and CPUs. */
  readonly base_power?: number;
  /** Power limit, W; none when left out. */
  readonly limit?: number;
  /** s that its clock is ahead. */
  readonly clock_ahead?: number;
}

export interface PduDocument {
  readonly name: string;
  readonly model?: string;
  readonly phases: number;
  readonly outlets: number;
  readonly voltage: number;
  readonly current?: number;
}

export interface JobDocument {
  readonly id: string;
  readonly framework?: 'megatron' | 'torchtitan';
  readonly step_time_ms: number;
  readonly ranks?: readonly number[];
  readonly world_size?: number;
  readonly tokens_per_step?: number;
  readonly iterations?: number;
  /** Each rank writes its own line with its name; accuracy runs only. */
  readonly every_rank?: boolean;
}

/** An inference server; accuracy runs only. */
export interface ServiceDocument {
  readonly name: string;
  /** Requests that usually run. */
  readonly running: number;
  /** Of each request while so many run. */
  readonly tokens_per_second: number;
}

export type PolledSource = 'gpu' | 'cpu' | 'pdu' | 'bmc';

/** `at: 8s`, `at: { from, to, usual }`, or that after another step. */
export type TimeDocument =
  | Duration
  | {
      readonly after?: string;
      readonly by?: Duration;
      readonly from?: Duration;
      readonly to?: Duration;
      readonly usual?: Duration;
    };

export interface StepDocument extends Change {
  readonly id?: string;
  readonly at: TimeDocument;
  readonly for?: Duration;
  /** The step comes again and again, each time up to `jitter` later than due. */
  readonly repeat?: { readonly times: number; readonly every: Duration; readonly jitter?: Duration };
}

export interface TruthIncidentDocument {
  readonly root: { readonly kind: string; readonly component: string };
  /** Stages in order; kinds of one stage may come in any order; "a | b" accepts either. */
  readonly chain?: readonly (string | readonly string[])[];
  readonly impact?: readonly string[];
  readonly action?: string | readonly string[];
  /** Id of the timeline step that begins the trouble. */
  readonly cause: string;
  readonly within?: Duration;
  /** Nothing on the host can tell the cause: "no root cause yet" is the right answer. */
  readonly undecided?: boolean | string;
}

export interface ScenarioDocument {
  readonly name: string;
  readonly title: string;
  readonly duration: Duration;
  readonly vary?: Readonly<Record<string, Variable>>;
  readonly world: {
    readonly hosts: readonly HostDocument[];
    readonly pdus?: readonly PduDocument[];
    /** Paths along which power flows, components in text form. */
    readonly feeds?: readonly (readonly string[])[];
    readonly jobs?: readonly JobDocument[];
    readonly services?: readonly ServiceDocument[];
    /** Pairs: where, and what runs there. */
    readonly runs?: readonly (readonly [string, string])[];
    /** How often the sources look; accuracy runs only. */
    readonly poll?: Readonly<Partial<Record<PolledSource, Duration>>>;
  };
  readonly timeline: readonly StepDocument[];
  readonly noise?: { readonly jitter?: number; readonly kernel_lines?: number; readonly load_steps?: number };
  readonly truth: {
    readonly incidents: readonly TruthIncidentDocument[];
    /** Roots that may also be found, as kinds. */
    readonly may?: readonly string[];
    /** Kinds or components that must not be blamed; `*` stands for anything. */
    readonly must_not?: readonly string[];
  };
}
