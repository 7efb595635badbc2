// A scenario as its file writes it: durations are text ("8s"), quantities SI, and any value may come from `vary`.

import type { Severity } from '../../model/severity.ts';
import type { Relation } from '../../model/topology.ts';
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

export type NicDriver = 'mlx5' | 'bnxt' | 'efa';

export interface HostDocument {
  readonly name: string;
  readonly gpus?: {
    readonly count: number;
    readonly model?: string;
    readonly vendor?: 'nvidia' | 'amd';
    readonly addresses?: readonly string[];
    readonly power?: number;
    readonly limit?: number;
    readonly temperature?: number;
    readonly slowdown_temperature?: number;
    /** Hz-free: MHz, as NVML counts. */
    readonly sm_clock_mhz?: number;
    readonly memory_clock_mhz?: number;
    readonly driver?: string;
    /** Usual share of time in which a kernel runs; not read where left out and nothing changes it. */
    readonly utilization?: number;
    readonly memory_temperature?: number;
    /** NVLinks of each GPU. */
    readonly nvlinks?: number;
  };
  readonly nics?: {
    readonly count: number;
    readonly driver?: NicDriver;
    readonly link?: 'infiniband' | 'ethernet';
    /** Gbit/s. */
    readonly rate?: number;
    readonly addresses?: readonly string[];
  };
  /** Usual share of space in use, by path. */
  readonly filesystems?: Readonly<Record<string, number>>;
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
  readonly branches?: number;
  /** A. */
  readonly breaker_rating?: number;
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
  /** The watched host where its log is; all of them when left out. */
  readonly host?: string;
}

/** An inference server; accuracy runs only. */
export interface ServiceDocument {
  readonly name: string;
  /** Requests that usually run. */
  readonly running: number;
  /** Of each request while so many run. */
  readonly tokens_per_second: number;
}

/** A service that sends its requests over OTLP; accuracy runs only. */
export interface TracedDocument {
  readonly name: string;
  /** A span for each request, or a histogram of them every minute. */
  readonly sends?: 'spans' | 'metrics';
  readonly per_second: number;
  /** Of the middle one. */
  readonly latency_ms: number;
  /** Share of them that usually fails. */
  readonly failing?: number;
}

export type PolledSource = 'gpu' | 'cpu' | 'pdu' | 'bmc' | 'nic' | 'system' | 'pci';

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
  /** The watched host that it happens on; the first one when left out. */
  readonly host?: string;
  readonly for?: Duration;
  /** The step comes again and again, each time up to `jitter` later than due. */
  readonly repeat?: { readonly times: number; readonly every: Duration; readonly jitter?: Duration };
}

/** `5m` counts from the beginning of the timeline. */
export type MomentDocument = Duration | AfterStep;

export interface AfterStep {
  readonly after?: string;
  /** The end of a step: what its `for` says. */
  readonly after_end_of?: string;
  readonly by?: Duration;
}

export interface TruthIncidentDocument {
  /** May be left out where the truth is undecided: any open question is right then. */
  readonly root?: { readonly kind: string; readonly component: string };
  /** Stages in order; kinds of one stage may come in any order; "a | b" accepts either. */
  readonly chain?: readonly (string | readonly string[])[];
  readonly impact?: readonly string[];
  readonly action?: string | readonly string[];
  /** Id of the timeline step that begins the trouble. */
  readonly cause: string;
  /** How soon after `cause`, 30 s where left out; or until a time after another step. */
  readonly within?: Duration | AfterStep;
  /** Before this no warning of it: what is planned holds it back. */
  readonly not_before?: MomentDocument;
  /** Nothing on the host can tell the cause: "no root cause yet" is the right answer. `allowed`: that, or the root above. */
  readonly undecided?: boolean | string;
  /** The watched host that finds it; the first one when left out. */
  readonly host?: string;
  readonly wrong_actions?: string | readonly string[];
  /** Bounds of what a named root is claimed with, 0 to 1, and of the severity. */
  readonly highest_confidence?: number;
  readonly lowest_confidence?: number;
  readonly highest_severity?: Severity;
  readonly lowest_severity?: Severity;
}

/** Settings of the daemon; its defaults count where left out. */
export interface SettingsDocument {
  readonly lateness?: Duration;
  readonly hold?: Duration;
  /** Paths that must not fill up, besides the usual ones. */
  readonly filesystems?: readonly string[];
  /** Sources that are switched off. */
  readonly off?: readonly string[];
}

export interface ScenarioDocument {
  readonly name: string;
  readonly title: string;
  readonly duration: Duration;
  /** When the timeline begins, UTC: `2026-03-14T02:10:00Z`; accuracy runs only. */
  readonly begins?: string;
  readonly vary?: Readonly<Record<string, Variable>>;
  readonly world: {
    readonly hosts: readonly HostDocument[];
    readonly pdus?: readonly PduDocument[];
    /** Paths along which power flows, components in text form. */
    readonly feeds?: readonly (readonly string[])[];
    readonly jobs?: readonly JobDocument[];
    readonly services?: readonly ServiceDocument[];
    readonly traced?: readonly TracedDocument[];
    /** Pairs: where, and what runs there. */
    readonly runs?: readonly (readonly [string, string])[];
    /** How often the sources look; accuracy runs only. */
    readonly poll?: Readonly<Partial<Record<PolledSource, Duration>>>;
    readonly links?: readonly { readonly from: string; readonly to: string; readonly relation: Relation }[];
    /** Hosts on which a daemon runs; the first host alone when left out. */
    readonly watched?: readonly string[];
  };
  readonly settings?: SettingsDocument;
  readonly timeline: readonly StepDocument[];
  readonly noise?: { readonly jitter?: number; readonly kernel_lines?: number; readonly load_steps?: number };
  readonly truth: {
    readonly incidents: readonly TruthIncidentDocument[];
    /** Roots that may also be found, as kinds. */
    readonly may?: readonly string[];
    /** Kinds or components that must not be blamed; `*` stands for anything. */
    readonly must_not?: readonly string[];
    /** Of every incident: actions that none may ask for, and the most that one may be claimed with. */
    readonly wrong_actions?: string | readonly string[];
    readonly highest_confidence?: number;
    readonly highest_severity?: Severity;
    /** As `must_not`, but only of the incidents asked for: each of these may have an incident of its own. */
    readonly apart?: readonly string[];
    /** Before this there is no warning of anything. */
    readonly quiet_until?: MomentDocument;
    /** No incident is critical at any time. */
    readonly no_page?: boolean;
  };
}
