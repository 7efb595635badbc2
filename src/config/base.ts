// The base of the configuration in force: parsed once; durations in ms, paths absolute, defaults filled in.

import type { GpuHourRate } from '../model/incident.ts';
import type { Silence } from '../model/note.ts';
import type { Link } from '../model/topology.ts';
import { type ApiConfig, resolveApi } from './api.ts';
import type { ABOUT_INCIDENTS, ABOUT_THE_HOST, ABOUT_THE_LOG } from './base-schema.ts';
import { type Surroundings, standardDirectories } from './directories.ts';
import { durationMs, sizeBytes } from './quantity.ts';
import type { RawOf, Resolving } from './section.ts';
import { silencesOf } from './silences.ts';
import { topologyLinks } from './topology-links.ts';
import type { KnownTopology } from './topology-names.ts';

export interface BaseConfig {
  readonly host: string;
  readonly roots: { readonly proc: string; readonly sys: string };
  readonly directories: { readonly state: string; readonly log: string; readonly runtime: string };
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
  readonly silences: readonly Silence[];
  readonly api: ApiConfig;
  /** All that is watched is made up. */
  readonly simulated: boolean;
  /** Nothing is sent: no export, no notification. */
  readonly shadow: boolean;
  readonly record: { readonly path: string | null; readonly maxBytes: number };
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error';
}

export type RawBase = RawOf<typeof ABOUT_THE_HOST & typeof ABOUT_INCIDENTS & typeof ABOUT_THE_LOG>;

/** `known`: the components that the sources read, by what their sections say. */
export function resolveBase(raw: RawBase, at: Resolving, surroundings: Surroundings, known: KnownTopology): BaseConfig {
  const { absolute, host } = at;
  const standard = standardDirectories(surroundings);
  const { gpu_hour_rate: amount, currency } = raw.impact;
  return {
    host,
    roots: { proc: absolute(raw.roots.proc), sys: absolute(raw.roots.sys) },
    directories: {
      state: absolute(raw.directories.state ?? standard.state),
      log: absolute(raw.directories.log ?? standard.log),
      runtime: absolute(raw.directories.runtime ?? standard.runtime),
    },
    topology: { links: topologyLinks(raw.topology, at, known) },
    correlation: { latenessMs: durationMs(raw.correlation.lateness), holdMs: durationMs(raw.correlation.hold) },
    incidents: {
      maxBytes: sizeBytes(raw.incidents.max_bytes),
      maxFiles: raw.incidents.max_files,
      maxAgeMs: durationMs(raw.incidents.max_age),
    },
    impact: { rate: amount === undefined ? null : { amount, currency } },
    inject: raw.inject.enabled === 'on',
    silences: silencesOf(raw.silences, at),
    api: resolveApi(raw.api, at),
    simulated: raw.simulated,
    shadow: raw.shadow,
    record: {
      path: raw.record.path === undefined ? null : absolute(raw.record.path),
      maxBytes: sizeBytes(raw.record.max_bytes),
    },
    logLevel: raw.log_level,
  };
}
