// Accounting: what Slurm's accounting says of jobs, from a file that sacct wrote: --json of any version, or --parsable2.

const LARGEST_JOBS = 100_000;
const HOUR_MS = 3_600_000;

export interface Accounted {
  /** As users write it: 991, 991_3. */
  readonly id: string;
  readonly user: string | null;
  readonly account: string | null;
  readonly state: string;
  readonly startMs: number;
  /** Null while it runs. */
  readonly endMs: number | null;
  /** Of all its nodes. */
  readonly gpus: number;
  readonly nodes: number;
  readonly nodeList: string;
}

export const SACCT =
  'sacct -a -P -D -o JobID,JobIDRaw,User,Account,State,Start,End,AllocTRES,NNodes,NodeList -S now-7days';

/** Allocations that had GPUs; null where the text is neither of the two forms. Steps are left out: their hours are the job's. */
export function readAccounting(text: string): readonly Accounted[] | null {
  const first = text.trimStart()[0];
  const all = first === '{' ? fromJson(text) : fromTable(text);
  return all === null ? null : all.filter(({ gpus }) => gpus > 0).slice(0, LARGEST_JOBS);
}

/** GPU-hours on one of its nodes within a window: the nodes of a job have the same number, as far as the accounting says. */
export function accountedHours(job: Accounted, sinceMs: number, untilMs: number): number {
  const insideMs = Math.min(job.endMs ?? untilMs, untilMs) - Math.max(job.startMs, sinceMs);
  return insideMs <= 0 ? 0 : ((job.gpus / Math.max(job.nodes, 1)) * insideMs) / HOUR_MS;
}

function fromTable(text: string): Accounted[] | null {
  const [head = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  const names = head.split('|');
  const place = (name: string) => names.indexOf(name);
  if (place('JobID') < 0 || place('Start') < 0 || place('End') < 0 || place('AllocTRES') < 0) return null;
  return lines.flatMap((line) => {
    const cells = line.split('|');
    const cell = (name: string) => cells[place(name)] ?? '';
    const id = cell('JobID');
    const startMs = timeOf(cell('Start'));
    if (id === '' || id.includes('.') || startMs === null) return [];
    return {
      id,
      user: cell('User') || null,
      account: cell('Account') || null,
      state: cell('State').split(' ')[0] ?? '',
      startMs,
      endMs: timeOf(cell('End')),
      gpus: gpusIn(cell('AllocTRES')),
      nodes: Number(cell('NNodes')) || 1,
      nodeList: cell('NodeList'),
    };
  });
}

/** In the zone of this process, as sacct writes them; "Unknown" and "None" are no time. */
function timeOf(text: string): number | null {
  const written = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(text) ? text : /^\d{9,10}$/.test(text) ? Number(text) * 1000 : null; // biome-ignore format: one line
  const ms = written === null ? Number.NaN : new Date(written).getTime();
  return Number.isFinite(ms) ? ms : null;
}

/** billing=8,cpu=64,gres/gpu=8,gres/gpu:h100=8,mem=1T,node=2 → 8: the typed ones are the same again. */
function gpusIn(tres: string): number {
  const counts = new Map(tres.split(',').map((part) => [part.slice(0, part.lastIndexOf('=')), Number(part.slice(part.lastIndexOf('=') + 1))])); // biome-ignore format: one line
  const whole = counts.get('gres/gpu');
  if (whole !== undefined && Number.isFinite(whole)) return whole;
  const typed = [...counts].filter(([name, count]) => name.startsWith('gres/gpu:') && Number.isFinite(count));
  return typed.reduce((sum, [, count]) => sum + count, 0);
}

function fromJson(text: string): Accounted[] | null {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return null;
  }
  const jobs = field(document, 'jobs');
  return Array.isArray(jobs) ? jobs.flatMap((job) => jobFrom(job) ?? []) : null;
}

function jobFrom(job: unknown): Accounted | null {
  const array = field(job, 'array');
  const [arrayJob, task, raw] = [number(field(array, 'job_id')), number(field(array, 'task_id')), number(field(job, 'job_id'))]; // biome-ignore format: one line
  const time = field(job, 'time');
  const startS = number(field(time, 'start'));
  if (raw === null || startS === null || startS === 0) return null;
  const isTask = arrayJob !== null && arrayJob !== 0 && isSet(field(array, 'task_id')) && task !== null;
  const endS = number(field(time, 'end'));
  const allocated = field(field(job, 'tres'), 'allocated');
  return {
    id: isTask ? `${arrayJob}_${task}` : String(raw),
    user: textOf(field(job, 'user')) ?? textOf(field(field(job, 'association'), 'user')),
    account: textOf(field(job, 'account')) ?? textOf(field(field(job, 'association'), 'account')),
    state: stateOf(field(job, 'state')),
    startMs: startS * 1000,
    endMs: endS === null || endS === 0 ? null : endS * 1000,
    gpus: Array.isArray(allocated) ? gpusOf(allocated) : 0,
    nodes: number(field(job, 'allocation_nodes')) || 1,
    nodeList: textOf(field(job, 'nodes')) ?? '',
  };
}

function gpusOf(allocated: readonly unknown[]): number {
  const gpus = allocated.filter(
    (one) => field(one, 'type') === 'gres' && /^gpu(?::|$)/.test(String(field(one, 'name'))),
  );
  const whole = gpus.find((one) => field(one, 'name') === 'gpu');
  const counts = (whole === undefined ? gpus : [whole]).map((one) => number(field(one, 'count')) ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A word up to v0.0.39, `{current: [word, …]}` or a list of words from v0.0.40. */
function stateOf(state: unknown): string {
  const current = field(state, 'current') ?? state;
  return String(Array.isArray(current) ? (current[0] ?? '') : (current ?? ''));
}

/** A number, or `{set, infinite, number}` of later versions. */
function number(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (field(value, 'set') === false || field(value, 'infinite') === true) return null;
  const inner = field(value, 'number');
  return typeof inner === 'number' && Number.isFinite(inner) ? inner : null;
}

/** Of a plain number it is not known: only objects say that a task has no number. */
function isSet(value: unknown): boolean {
  return typeof value === 'object' ? field(value, 'set') !== false && value !== null : typeof value === 'number';
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name] // has it, of unknown type
    : undefined;
}
