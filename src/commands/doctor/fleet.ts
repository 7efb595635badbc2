// What `doctor --fleet` prints: one line of JSON with fields that stay, for programs that collect it from many hosts.

import type { SourceStatus } from '../../sources/source.ts';
import type { DoctorReport } from './report.ts';

/** From good to bad. What is off on purpose is good, as is what this host does not have. */
const FROM_GOOD: readonly SourceStatus[] = ['off', 'works', 'absent', 'partial', 'no_permission', 'failed'];
/** What people rely on and is not there. */
const LOST: readonly SourceStatus[] = ['partial', 'no_permission', 'failed'];

export interface FleetLine {
  readonly schema: 'faultline/doctor-fleet/1';
  readonly host: string;
  /** Of the daemon that runs; where none does, of the program that was asked. */
  readonly version: string;
  readonly daemon: 'runs' | 'none' | 'unknown';
  /** Whose view the sources are. */
  readonly view: 'daemon' | 'caller';
  readonly shadow: boolean;
  /** The worst state of any source: works, absent, partial, no_permission, failed; off where all are off. */
  readonly worst: SourceStatus;
  readonly sources: readonly {
    readonly source: string;
    readonly state: SourceStatus;
    /** What of it is not seen, and the line that changes it; null where nothing is lost. */
    readonly lost: string | null;
    readonly remedy: string | null;
  }[];
  readonly sinks: readonly { readonly sink: string; readonly state: string; readonly detail: string }[];
  /** What of the daemon itself is in trouble: its incident log, what it remembers. */
  readonly trouble: readonly string[];
  /** The exit status that goes with this line. */
  readonly exit: 0 | 1;
}

export function fleetLine(report: DoctorReport, ownVersion: string): FleetLine {
  const { host, daemon, view, shadow, sources, sinks, status } = report;
  const worst = sources.reduce<SourceStatus>((so, { status: state }) => (rank(state) > rank(so) ? state : so), 'off');
  const files = (daemon?.state_trouble ?? []).flatMap(({ unwritten, damaged }) => [unwritten, damaged]);
  const trouble = [daemon?.log_trouble ?? null, ...files].filter((text) => text !== null);
  return {
    schema: 'faultline/doctor-fleet/1',
    host,
    version: daemon?.version ?? ownVersion,
    daemon: daemon?.state ?? 'unknown',
    view,
    shadow,
    worst,
    sources: sources.map(({ source, status: state, detail, remedy }) => {
      const lost = LOST.includes(state);
      return {
        source,
        state,
        lost: lost ? short(detail) : null,
        remedy: lost && remedy !== null ? short(remedy) : null,
      };
    }),
    sinks: sinks.map(({ sink, status: state, detail }) => ({ sink, state, detail: short(detail) })),
    trouble: trouble.map(short),
    exit: status,
  };
}

const rank = (status: SourceStatus): number => FROM_GOOD.indexOf(status);

/** Devices and drivers name themselves, as long as they like. */
const short = (text: string): string => text.slice(0, 400);
