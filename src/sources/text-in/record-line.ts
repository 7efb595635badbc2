// One record of a log shipper, as names and values: Fluent Bit's, Vector's, Fluentd's, the collector's of journald, or a job's own JSON.

import type { SaidWhose } from './whose-lines.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface RecordLine {
  readonly text: string;
  readonly wallMs: number | null;
  readonly digits: number;
  readonly host: string | null;
  readonly program: string | null;
  readonly kernel: boolean;
  readonly facility: number;
  readonly priority: number;
  readonly whose: SaidWhose;
  readonly service: string | null;
  readonly traceId: string | null;
  readonly spanId: string | null;
}

const TEXT = ['log', 'message', 'MESSAGE', 'msg', 'body', 'content'];
const HOST = ['_HOSTNAME', 'hostname', 'host', 'host.name', 'node_name', 'node'];
const PROGRAM = ['SYSLOG_IDENTIFIER', 'ident', 'appname', 'program', '_COMM', 'container_name', 'tag'];
const JOB = ['faultline.job.id', 'faultline_job', 'job_id', 'job', 'slurm.job.id', 'slurm_job_id', 'SLURM_JOB_ID'];
const RANK = ['faultline.rank', 'job.rank', 'rank', 'RANK'];
const SERVICE = ['service.name', 'service_name', 'service'];
const LONGEST = 65_536;
const LONGEST_NAME = 256;

/** Null for a record without text. Names that are elsewhere in it are looked for there: `kubernetes`, `resource`, `attributes`. */
export function recordLine(record: Fields): RecordLine | null {
  const text = TEXT.map((name) => record[name]).find((value) => typeof value === 'string' && value !== '');
  if (typeof text !== 'string') return null;
  const kubernetes = objectIn(record, 'kubernetes');
  const places = [record, objectIn(record, 'resource'), objectIn(record, 'attributes'), objectIn(record, 'labels')];
  const said = (names: readonly string[], where: readonly Fields[] = places) => first(where, names);
  const pri = numberOf(record.pri);
  const facility = numberOf(record.SYSLOG_FACILITY) ?? numberOf(record.facility) ?? (pri === null ? null : pri >> 3);
  const rank = numberOf(said(RANK));
  return {
    text: text.slice(0, LONGEST),
    ...timeOf(record),
    host: textOf(kubernetes.host) ?? textOf(kubernetes.pod_node_name) ?? said(HOST, [record]),
    program: said(PROGRAM, [record]),
    kernel: (record._TRANSPORT === 'kernel' && (facility ?? 0) === 0) || isKmsg(record),
    facility: facility ?? (record._TRANSPORT === 'kernel' ? 0 : 1),
    priority: numberOf(record.PRIORITY) ?? numberOf(record.priority) ?? (pri === null ? 6 : pri & 7),
    whose: {
      job: said(JOB),
      podUid: first([kubernetes], ['pod_id', 'pod_uid']) ?? said(['k8s.pod.uid']),
      podName: first([kubernetes], ['pod_name']) ?? said(['k8s.pod.name', 'pod_name']),
      namespace: first([kubernetes], ['namespace_name', 'pod_namespace', 'namespace']) ?? said(['k8s.namespace.name']),
      rank: rank !== null && rank < 1_048_576 ? rank : null,
    },
    service: said(SERVICE),
    traceId: said(['trace_id', 'traceId', 'trace.id']),
    spanId: said(['span_id', 'spanId', 'span.id']),
  };
}

/** What Fluent Bit's kmsg input gives: {priority, sequence, sec, usec, msg}. */
function isKmsg({ sequence, sec, usec, msg }: Fields): boolean {
  return typeof sequence === 'number' && typeof sec === 'number' && typeof usec === 'number' && typeof msg === 'string';
}

const STAMPS = ['@timestamp', 'timestamp', 'time', 'date', 'ts'];
const MICROS = ['_SOURCE_REALTIME_TIMESTAMP', '__REALTIME_TIMESTAMP'];

function timeOf(record: Fields): { wallMs: number | null; digits: number } {
  for (const name of MICROS) {
    const micros = numberOf(record[name]);
    if (micros !== null) return { wallMs: micros / 1000, digits: 6 };
  }
  for (const name of STAMPS) {
    const value = record[name];
    if (typeof value === 'number' && value > 0) return { wallMs: inMs(value), digits: 6 };
    if (typeof value !== 'string') continue;
    const wallMs =
      /^\d{4}-\d\d-\d\d[T ]/.test(value) && /(?:Z|[+-]\d\d:?\d\d)$/.test(value)
        ? Date.parse(value.replace(' ', 'T'))
        : Number.NaN;
    if (!Number.isNaN(wallMs)) return { wallMs, digits: Math.min(9, /[.,](\d+)/.exec(value)?.[1]?.length ?? 0) };
  }
  return { wallMs: null, digits: 0 };
}

/** Seconds, ms, µs or ns since 1970, by their size: between the years 2001 and 5138 they do not overlap. */
function inMs(value: number): number {
  if (value < 1e11) return value * 1000;
  if (value < 1e14) return value;
  return value < 1e17 ? value / 1000 : value / 1e6;
}

function objectIn(record: Fields, name: string): Fields {
  const value = record[name];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function first(places: readonly Fields[], names: readonly string[]): string | null {
  for (const name of names)
    for (const place of places) {
      const text = textOf(place[name]);
      if (text !== null) return text;
    }
  return null;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME ? value : null;
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,20}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : null;
}
