// What doctor prints: one line a source, the line that fixes it, and what is worth doing first.

import { redactUrls } from '../../model/redact.ts';
import { safeText } from '../../model/safe-text.ts';
import type { SinkHealth } from '../../sinks/sink.ts';
import type { SourceHealth, SourceStatus } from '../../sources/source.ts';
import type { DaemonSeen } from './daemon.ts';

const WORDS: Readonly<Record<SourceStatus, string>> = {
  works: 'works',
  partial: 'in part',
  absent: 'not here',
  no_permission: 'no rights',
  failed: 'failed',
  off: 'off',
};

/** What is most worth fixing comes first: what should work and does not, then what lacks a right, then what is missing. */
const URGENCY: readonly SourceStatus[] = ['failed', 'no_permission', 'partial', 'absent', 'off'];

export interface DoctorReport {
  readonly host: string;
  readonly configuration: string;
  /** Whose view the sources are: the running daemon's, or that of whoever asks where none answers. */
  readonly view: 'daemon' | 'caller';
  readonly sources: readonly SourceHealth[];
  /** Empty where no daemon answers: only it knows. */
  readonly sinks: readonly SinkHealth[];
  /** Where this user's rights differ from the daemon's; null where they do not, or no daemon answers. */
  readonly caller_note: string | null;
  /** Null where it was not asked. */
  readonly daemon: DaemonSeen | null;
  /** Shadow mode: nothing is sent. Of the daemon, else of the configuration. */
  readonly shadow: boolean;
  /** The line worth following first; null where nothing is to be fixed. */
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
  callerNote: string | null = null,
  configured: { readonly shadow: boolean } = { shadow: false },
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
    view: (daemon?.sources ?? null) === null ? 'caller' : 'daemon',
    sources: judged,
    // The one that the others read from sends nothing anywhere.
    sinks: (daemon?.sinks ?? []).filter(({ sink }) => sink !== 'self'),
    caller_note: callerNote,
    shadow: daemon?.shadow ?? configured.shadow,
    first: first === undefined ? null : `${first.source}: ${first.remedy}`,
    status: works && !failed ? 0 : 1,
  };
}

export function doctorText(report: DoctorReport): string {
  const { sources, sinks, daemon } = report;
  const width = Math.max(...sources.map(({ source }) => source.length), ...sinks.map(({ sink }) => sink.length));
  const row = (name: string, word: string, detail: string): string =>
    `  ${plain(name).padEnd(width)}  ${word.padEnd(9)}  ${plain(detail)}`;
  const indent = `  ${' '.repeat(width)}             `;
  const lines = sources.flatMap((health) => [
    row(health.source, WORDS[health.status], health.detail),
    ...(health.notes ?? []).map((note) => `${indent}${plain(note)}`),
    ...(health.remedy === null ? [] : [`${indent}→ ${plain(health.remedy)}`]),
  ]);
  const out = sinks.map(({ sink, status, detail }) => row(sink, status, detail));
  const count = (status: SourceStatus): number => sources.filter((health) => health.status === status).length;
  const partial = count('partial') === 0 ? '' : `, ${count('partial')} in part`;
  const first = report.first === null ? 'Nothing needs fixing.' : `Worth doing first → ${plain(report.first)}`;
  return [
    `faultline doctor · ${report.host} · ${report.configuration}`,
    ...(daemon?.lines ?? []).map((line, i) => `${i === 0 ? 'daemon ' : '       '} ${plain(line)}`),
    ...(report.shadow ? ['shadow  incidents are kept on this host, nothing is sent (shadow: true)'] : []),
    '',
    ...lines,
    ...(report.caller_note === null ? [] : [`  note: ${plain(report.caller_note)}`]),
    ...(out.length === 0 ? [] : ['', 'sends to', ...out]),
    '',
    `${count('works')} of ${sources.length} sources work${partial}. ${first}`,
    '',
  ].join('\n');
}

export function doctorDocument(report: DoctorReport): object {
  const { status: _, daemon, ...shown } = report;
  const { lines: __, sources: ___, sinks: ____, ...rest } = daemon ?? { lines: [], sources: [], sinks: [] };
  return { schema: 'faultline/doctor/1', ...shown, daemon: daemon === null ? null : rest, works: report.status === 0 };
}

/** Devices and drivers name themselves; what they say must not steer a terminal. */
function plain(text: string): string {
  return safeText(redactUrls(text.replace(/[\n\t\r]/g, ' '))).slice(0, 400);
}
