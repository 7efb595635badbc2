// Seen: what the daemon answered at one look, read with care: a daemon of another release may say less.

import { ask } from '../../api/client.ts';
import { SEVERITIES, type Severity } from '../../model/severity.ts';

export interface SeenIncident {
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  readonly confidence: number;
  readonly openedMs: number;
  /** Component texts of its root and of what followed. */
  readonly about: ReadonlySet<string>;
}

export interface SeenReading {
  readonly component: string;
  readonly quantity: string;
  readonly value: number;
  readonly usual: number | null;
}

export interface SeenJob {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly name: string | null;
  readonly user: string | null;
  readonly devices: readonly string[];
  readonly iteration: number | null;
  readonly stepMs: number | null;
}

export interface SeenSource {
  readonly source: string;
  readonly status: string;
  readonly detail: string;
}

export interface Seen {
  readonly host: string;
  readonly uptimeS: number;
  readonly incidents: readonly SeenIncident[];
  readonly readings: readonly SeenReading[];
  readonly jobs: readonly SeenJob[];
  /** Component text → "gpu 0". */
  readonly names: ReadonlyMap<string, string>;
  /** Component text of a device → the names of the jobs that have it. */
  readonly uses: ReadonlyMap<string, readonly string[]>;
  readonly sources: readonly SeenSource[];
}

const ANSWER_MS = 5000;

type Fields = Readonly<Record<string, unknown>>;

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {}); // each field is looked at
const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** Rejects as `ask` does, where the daemon cannot be asked. */
export async function look(sockets: readonly string[]): Promise<Seen> {
  const get = async (path: string): Promise<Fields> =>
    fields(await ask('GET', path, sockets, {}, undefined, ANSWER_MS));
  const [status, incidents, jobs, devices, now] = await Promise.all([
    get('/v1/status'),
    get('/v1/incidents?state=open&limit=500'),
    get('/v1/jobs'),
    get('/v1/devices'),
    get('/v1/now'),
  ]);
  return {
    host: text(status.host),
    uptimeS: number(status.uptime_s) ?? 0,
    incidents: list(incidents.incidents).flatMap(incidentFrom),
    readings: list(now.readings).flatMap(readingFrom),
    jobs: list(jobs.jobs).map(jobFrom),
    names: new Map(list(devices.devices).flatMap(nameFrom)),
    uses: new Map(list(devices.devices).map((device) => [text(device.device), usersFrom(device)])),
    sources: list(status.sources).map(({ source, status: works, detail }) => ({
      source: text(source),
      status: text(works),
      detail: text(detail),
    })),
  };
}

/** The open ones alone. */
function incidentFrom(incident: Fields): SeenIncident[] {
  const { id, state, severity, title, confidence, opened_at, merged_into, root, chain } = incident;
  const openedMs = Date.parse(text(opened_at));
  if (state !== 'open' || textOrNull(merged_into) !== null || Number.isNaN(openedMs)) return [];
  return [
    {
      id: text(id),
      severity: SEVERITIES.find((each) => each === severity) ?? 'info',
      title: text(title),
      confidence: number(confidence) ?? 0,
      openedMs,
      about: new Set([fields(root), ...list(chain)].flatMap(({ component }) => componentFrom(fields(component)))),
    },
  ];
}

function componentFrom({ type, id }: Fields): string[] {
  return typeof type === 'string' && typeof id === 'string' ? [`${type}/${id}`] : [];
}

function readingFrom({ component, quantity, value, usual }: Fields): SeenReading[] {
  const read = number(value);
  return read === null
    ? []
    : [{ component: text(component), quantity: text(quantity), value: read, usual: number(usual) }];
}

function jobFrom({ id, aliases, name, user, devices, training_step }: Fields): SeenJob {
  const step = fields(training_step);
  return {
    id: text(id),
    aliases: texts(aliases),
    name: textOrNull(name),
    user: textOrNull(user),
    devices: texts(devices),
    iteration: number(step.iteration),
    stepMs: number(step.step_time_ms),
  };
}

function nameFrom({ device, aliases }: Fields): [string, string][] {
  const name = texts(aliases).find((alias) => /^[a-z]+ \d{1,6}$/.test(alias));
  return name === undefined ? [] : [[text(device), name]];
}

function usersFrom({ uses }: Fields): string[] {
  return list(uses).flatMap(({ job, name }) => textOrNull(name) ?? textOrNull(job) ?? []);
}
