// Alert: what another system reports, in one form whatever sent it. All texts are bounded, and hostile.

import { createHash } from 'node:crypto';
import { parseTime } from '../../model/time.ts';
import { at, type Mapping } from './mapping.ts';

export interface Alert {
  /** Of name and labels: the same alert, whoever passes it on. */
  readonly fingerprint: string;
  readonly name: string;
  readonly firing: boolean;
  readonly severity: string | null;
  readonly summary: string | null;
  /** Wall clock, epoch ms; null where it does not say. */
  readonly startsMs: number | null;
  readonly labels: ReadonlyMap<string, string>;
}

export class NotAnAlert extends Error {}

/** Of one request. */
export const MOST_ALERTS = 1000;
const MOST_LABELS = 64;
const LONGEST_NAME = 128;
const LONGEST_VALUE = 256;
const LONGEST_SUMMARY = 400;

/** Webhook of Alertmanager, version 4. Throws NotAnAlert. */
export function fromWebhook(body: unknown): Alert[] {
  const { version, alerts } = object(body, 'the body');
  if (version !== undefined && version !== '4') throw new NotAnAlert(`version must be "4", and is ${shown(version)}`);
  return list(alerts, 'alerts').map((one, i) => {
    const { status, labels, annotations, startsAt } = object(one, `alerts[${i}]`);
    if (status !== 'firing' && status !== 'resolved')
      throw new NotAnAlert(`alerts[${i}].status must be firing or resolved, and is ${shown(status)}`);
    return prometheusAlert({ labels, annotations, startsAt }, status === 'firing', `alerts[${i}]`);
  });
}

/** What Prometheus and VMAlert post to an Alertmanager, API v2. Throws NotAnAlert. */
export function fromAlertmanagerApi(body: unknown, nowMs: number): Alert[] {
  return list(body, 'the body').map((one, i) => {
    const { labels, annotations, startsAt, endsAt } = object(one, `[${i}]`);
    const ends = timeOf(endsAt);
    return prometheusAlert({ labels, annotations, startsAt }, ends === null || ends > nowMs, `[${i}]`);
  });
}

/** By the pointers of the configuration. Throws NotAnAlert. */
export function fromGeneric(body: unknown, mapping: Mapping): Alert[] {
  const items = mapping.items === null ? [body] : list(at(body, mapping.items), mapping.items);
  return items.map((one, i) => {
    const read = (pointer: string | null): unknown => (pointer === null ? undefined : at(one, pointer));
    const name = text(read(mapping.alert), LONGEST_NAME);
    if (name === null) throw new NotAnAlert(`alert ${i} has no text at ${mapping.alert}`);
    const status = text(read(mapping.status), LONGEST_VALUE);
    const labels = read(mapping.labels);
    return finished({
      name,
      firing: status === null || !mapping.resolved.includes(status),
      severity: text(read(mapping.severity), LONGEST_NAME),
      summary: text(read(mapping.summary), LONGEST_SUMMARY),
      startsMs: timeOf(read(mapping.starts)),
      labels: labels === undefined ? new Map() : labelsOf(labels, `alert ${i}: ${mapping.labels}`),
    });
  });
}

function prometheusAlert(
  { labels: given, annotations, startsAt }: { labels: unknown; annotations: unknown; startsAt: unknown },
  firing: boolean,
  where: string,
): Alert {
  const labels = labelsOf(given, `${where}.labels`);
  const name = labels.get('alertname');
  if (name === undefined) throw new NotAnAlert(`${where}.labels has no alertname`);
  const notes =
    annotations === undefined || annotations === null
      ? new Map<string, string>()
      : labelsOf(annotations, `${where}.annotations`);
  return finished({
    name,
    firing,
    severity: labels.get('severity') ?? null,
    summary: notes.get('summary') ?? notes.get('description') ?? null,
    startsMs: timeOf(startsAt),
    labels,
  });
}

function finished(alert: Omit<Alert, 'fingerprint'>): Alert {
  const pairs = [...alert.labels].sort(([a], [b]) => (a < b ? -1 : 1));
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([alert.name, pairs]))
    .digest('hex')
    .slice(0, 16);
  return { ...alert, fingerprint };
}

function labelsOf(value: unknown, where: string): ReadonlyMap<string, string> {
  const entries = Object.entries(object(value, where));
  if (entries.length > MOST_LABELS)
    throw new NotAnAlert(`${where} has ${entries.length} entries; at most ${MOST_LABELS} are taken`);
  return new Map(
    entries.flatMap(([key, given]): [string, string][] => {
      const own = text(given, LONGEST_VALUE);
      return own === null ? [] : [[key.slice(0, LONGEST_NAME), own]];
    }),
  );
}

function timeOf(value: unknown): number | null {
  const parsed = typeof value === 'string' ? parseTime(value.slice(0, 40)) : null;
  // Go's zero time means that it is not known.
  return parsed === null || parsed.epochMs <= 0 ? null : parsed.epochMs;
}

/** Numbers and booleans are what they are written as; null for what is neither. */
function text(value: unknown, longest: number): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value.slice(0, longest).toWellFormed() : null;
}

function object(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new NotAnAlert(`${where} must be an object`);
}

function list(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new NotAnAlert(`${where} must be a list`);
  if (value.length > MOST_ALERTS)
    throw new NotAnAlert(`${where} has ${value.length} alerts; at most ${MOST_ALERTS} are taken at once`);
  return value;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 32)) : 'not a text';
}
