// What doctor says: one line a source, the line that mends it, and what is worth doing first.

import { redactUrls } from '../../model/redact.ts';
import { safeText } from '../../model/safe-text.ts';
import type { SourceHealth, SourceStatus } from '../../sources/source.ts';
import type { DaemonSeen } from './daemon.ts';

const WORDS: Readonly<Record<SourceStatus, string>> = {
  works: 'works',
  absent: 'not here',
  no_permission: 'no rights',
  failed: 'failed',
  off: 'off',
};

/** What is most worth mending comes first: what should work and does not, then what lacks a right, then what is missing. */
const URGENCY: readonly SourceStatus[] = ['failed', 'no_permission', 'absent', 'off'];

export interface DoctorReport {
  readonly host: string;
  readonly configuration: string;
  readonly sources: readonly SourceHealth[];
  /** Null where it was not asked. */
  readonly daemon: DaemonSeen | null;
  /** The line worth following first; null where nothing is to be mended. */
  readonly first: string | null;
  /** 0 when at least one source works and none failed. */
  readonly status: 0 | 1;
}

/** `required` names the sources that are set to "on": their absence counts as a failure. */
export function doctorReport(
  host: string,
  configuration: string,
  sources: readonly SourceHealth[],
  required: readonly string[],
  daemon: DaemonSeen | null = null,
): DoctorReport {
  const judged = sources.map(
    (health): SourceHealth =>
      health.status === 'absent' && required.includes(health.source) ? { ...health, status: 'failed' } : health,
  );
  const mendable = judged
    .filter((health) => health.remedy !== null && health.status !== 'works')
    .sort((a, b) => URGENCY.indexOf(a.status) - URGENCY.indexOf(b.status));
  const works = judged.some((health) => health.status === 'works');
  const failed = judged.some((health) => health.status === 'failed');
  const first = mendable[0];
  return {
    host,
    configuration,
    daemon,
    sources: judged,
    first: first === undefined ? null : `${first.source}: ${first.remedy}`,
    status: works && !failed ? 0 : 1,
  };
}

export function doctorText(report: DoctorReport): string {
  const width = Math.max(...report.sources.map((health) => health.source.length));
  const lines = report.sources.flatMap((health) => {
    const line = `  ${plain(health.source).padEnd(width)}  ${WORDS[health.status].padEnd(9)}  ${plain(health.detail)}`;
    const indent = `  ${' '.repeat(width)}             `;
    const notes = (health.notes ?? []).map((note) => `${indent}${plain(note)}`);
    return health.remedy === null ? [line, ...notes] : [line, ...notes, `${indent}→ ${plain(health.remedy)}`];
  });
  const works = report.sources.filter((health) => health.status === 'works').length;
  const first = report.first === null ? 'Nothing needs mending.' : `Worth doing first → ${plain(report.first)}`;
  return [
    `faultline doctor · ${report.host} · ${report.configuration}`,
    ...(report.daemon?.lines ?? []).map((line, i) => `${i === 0 ? 'daemon ' : '       '} ${plain(line)}`),
    '',
    ...lines,
    '',
    `${works} of ${report.sources.length} sources work. ${first}`,
    '',
  ].join('\n');
}

export function doctorDocument(report: DoctorReport): object {
  const { status: _, daemon, ...shown } = report;
  const { lines: __, ...told } = daemon ?? { lines: [] };
  return { schema: 'faultline/doctor/1', ...shown, daemon: daemon === null ? null : told, works: report.status === 0 };
}

/** Devices and drivers name themselves; what they say must not steer a terminal. */
function plain(text: string): string {
  return safeText(redactUrls(text.replace(/[\n\t\r]/g, ' '))).slice(0, 400);
}
