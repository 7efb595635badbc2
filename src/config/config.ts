// Config: what is in force, parsed once; durations in ms, paths absolute, defaults filled in.

import type { GpuHourRate } from '../model/incident.ts';
import type { Link } from '../model/topology.ts';
import type { PrometheusConfig } from './resolve-prometheus.ts';

export type Enabled = 'auto' | 'on' | 'off';

export interface PduConfig {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly version: '1' | '2c' | '3';
  /** v1, v2c; read from a file or a ${VARIABLE} of the configuration. */
  readonly community: string | null;
  readonly user: SnmpUser | null;
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly retries: number;
}

export interface SnmpUser {
  readonly name: string;
  readonly level: 'noAuthNoPriv' | 'authNoPriv' | 'authPriv';
  readonly authProtocol: 'md5' | 'sha' | 'sha224' | 'sha256' | 'sha384' | 'sha512' | null;
  readonly authKey: string | null;
  readonly privProtocol: 'des' | 'aes' | 'aes256b' | 'aes256r' | null;
  readonly privKey: string | null;
}

export interface BmcConfig {
  /** The host that the BMC is of. */
  readonly host: string;
  /** Scheme, host and port. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  /** PEM; null: the system's authorities. */
  readonly ca: string | null;
  readonly insecure: boolean;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

export const JOB_FRAMEWORKS = [
  'auto',
  'megatron',
  'torchtitan',
  'transformers',
  'lightning',
  'nemo',
  'deepspeed',
  'maxtext',
  'verl',
  'composer',
] as const;
export type JobFramework = (typeof JOB_FRAMEWORKS)[number];

export interface JobLogConfig {
  /** Job id, used as component `job/<id>`. */
  readonly job: string;
  readonly path: string;
  readonly framework: JobFramework;
  /** Global ranks that run on this host; empty when unknown. */
  readonly ranks: readonly number[];
  /** Ranks of the whole job; null when unknown. */
  readonly worldSize: number | null;
}

export interface ServiceLogConfig {
  /** Name, used as component `service/<name>`. */
  readonly service: string;
  readonly path: string;
}

export interface DumpFolderConfig {
  /** Wildcards in its last part only. */
  readonly path: string;
  readonly pattern: string;
  /** Null: told by the ranks' environment or the folder's name. */
  readonly job: string | null;
}

/** Where and how the requests of one signal are sent. */
export interface OtlpTarget {
  /** Over gRPC scheme and authority or a unix: address; over HTTP the whole URL. */
  readonly endpoint: string;
  readonly protocol: 'grpc' | 'http/protobuf';
  readonly tls: boolean;
  /** Lower-case names; the values may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: 'none' | 'gzip';
  readonly caFile: string | null;
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
}

export interface OtlpSpoolCaps {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** A signal that is null is off. */
export interface OtlpConfig {
  readonly serviceName: string;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly metrics: (OtlpTarget & { readonly intervalMs: number; readonly maxSeries: number }) | null;
  readonly logs: OtlpTarget | null;
  /** `ratio`: share of incidents that get a trace, 0 to 1. */
  readonly traces: (OtlpTarget & { readonly ratio: number }) | null;
  readonly spool: { readonly metrics: OtlpSpoolCaps; readonly logs: OtlpSpoolCaps; readonly traces: OtlpSpoolCaps };
}

export interface Config {
  /** File it was read from, null for the built-in defaults. */
  readonly file: string | null;
  readonly host: string;
  readonly roots: { readonly proc: string; readonly sys: string };
  readonly directories: { readonly state: string; readonly log: string; readonly runtime: string };
  readonly sources: {
    readonly gpu: {
      readonly enabled: Enabled;
      readonly library: string;
      readonly poll: boolean;
      readonly intervalMs: number;
      readonly burstIntervalMs: number;
      readonly callDeadlineMs: number;
    };
    readonly cpu: {
      readonly enabled: Enabled;
      readonly intervalMs: number;
      /** How often energy is read for the extremes of power between two samples; null: it is not. */
      readonly fastIntervalMs: number | null;
    };
    readonly kernelLog: { readonly enabled: Enabled; readonly path: string; readonly userLines: boolean };
    readonly system: {
      readonly enabled: Enabled;
      readonly intervalMs: number;
      /** Mount points, or folders inside them, that must not fill up. */
      readonly filesystems: readonly string[];
      readonly shm: string;
    };
    readonly nic: {
      readonly enabled: Enabled;
      readonly intervalMs: number;
      /** Interface names and PCI addresses that carry the job, whatever they look like. */
      readonly fabric: readonly string[];
    };
    readonly hwmon: { readonly enabled: Enabled; readonly intervalMs: number };
    readonly pci: { readonly enabled: Enabled; readonly intervalMs: number };
    readonly pdus: readonly PduConfig[];
    readonly bmcs: readonly BmcConfig[];
    readonly jobLogs: readonly JobLogConfig[];
    readonly serviceLogs: readonly ServiceLogConfig[];
    readonly flightRecorder: {
      readonly enabled: Enabled;
      readonly intervalMs: number;
      /** Look at the environment of processes. */
      readonly processes: boolean;
      readonly folders: readonly DumpFolderConfig[];
      readonly trigger: boolean;
    };
  };
  readonly topology: { readonly links: readonly Link[] };
  readonly correlation: {
    /** Events later than this against the newest one count as history. */
    readonly latenessMs: number;
    /** How long everything must be clear before an incident is resolved. */
    readonly holdMs: number;
  };
  readonly incidents: { readonly maxBytes: number; readonly maxFiles: number; readonly maxAgeMs: number };
  /** Null where no price of a GPU-hour is configured. */
  readonly impact: { readonly rate: GpuHourRate | null };
  /** Whether root may put in made-up faults. */
  readonly inject: boolean;
  /** All that is watched is made up. */
  readonly simulated: boolean;
  readonly record: { readonly path: string | null; readonly maxBytes: number };
  /** Null where nothing is exported over OTLP. */
  readonly otlp: OtlpConfig | null;
  /** Null where no metrics are shown to Prometheus. */
  readonly prometheus: PrometheusConfig | null;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error';
}
