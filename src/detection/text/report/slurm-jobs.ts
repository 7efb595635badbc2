// Reads the tables that sacct and squeue print of jobs that are over: of each job by itself, what became of it.

import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import { nodesOf, placesOf } from '../programs/nodes.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

/** "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode ", or with bars (sacct -p, -P). */
const HEAD = /(?:^|[ |])JobID(?:Raw)?(?:[ |]|$)/;
/** Of squeue: "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)", or what -o asks for. */
const QUEUE = /^ {0,24}JOBID {1,60}(?:[A-Z][A-Z_:()/]{1,24} {1,60}){0,24}(?:ST|STATE)(?: |$)/;
/** Below a head without bars: how wide each column is. */
const WIDTHS = /^-{3,64}(?: -{2,64}){2,64} {0,4}$/;
/** The row of a job, or of a task of an array, whose number some take out before they show it: "[JOBID]". */
const JOB = /^(?:\d{1,10}(?:_\d{1,7})?|[[<{]\w{1,24}[\]>}])$/;
/** Steps end as their job does, which may still run. */
const STEP = /^([^.]{1,32})\.[\w+]{1,16}$/;
const ENDED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)$/;

/** By how a state begins: a column of ten letters cuts it. */
const STATES: readonly (readonly [begins: string, kind: Kind, reason: string])[] = [
  ['OUT_OF_ME', 'host.oom', 'out of memory'],
  ['NODE_FAIL', 'job.node_failed', 'node failure'],
  ['BOOT_FAIL', 'job.failed', 'boot failure'],
  ['FAILED', 'job.failed', 'failed'],
  ['PREEMPTED', 'job.preempted', 'preemption'],
  ['TIMEOUT', 'job.cancelled', 'time limit'],
  ['DEADLINE', 'job.cancelled', 'deadline'],
  ['CANCELLED', 'job.cancelled', 'cancelled'],
];

export class SlurmJobs implements ReportReader {
  readonly form = 'slurm';
  #names: readonly string[] = [];
  /** Where each column begins; null where bars are between them. */
  #starts: readonly number[] | null = null;

  /** The job of the last row, while it runs. */
  #running: string | null = null;

  /** A job that ran out of memory: how much it used is in the rows of its steps, below. */
  #short: { readonly job: string; readonly findings: ReportedFinding[]; readonly line: string; used: number } | null =
    null;

  /** Of a table of squeue; empty in others. */
  #queue: readonly string[] = [];

  take(line: string): Reported | null {
    const isStep = this.#short !== null && line.trimStart().startsWith(`${this.#short.job}.`);
    const before = isStep ? [] : this.#ofShort();
    const read = this.#read(line);
    if (before.length === 0) return read;
    return { ...(read ?? NOTHING), findings: [...before, ...(read?.findings ?? [])] };
  }

  end(): Reported {
    return { ...NOTHING, findings: this.#ofShort() };
  }

  #ofShort(): ReportedFinding[] {
    const short = this.#short;
    this.#short = null;
    if (short === null) return [];
    const { findings, used, line } = short;
    return findings.map((finding) => ({
      ...finding,
      lines: [line],
      attributes: { ...finding.attributes, ...(used > 0 ? { used_kib: used } : {}) },
    }));
  }

  #read(line: string): Reported | null {
    if (QUEUE.test(line)) {
      this.#queue = line.trim().split(/\s{1,64}/);
      this.#names = [];
      return NOTHING;
    }
    if (this.#queue.length > 0) {
      const queued = queuedRow(line, this.#queue);
      if (queued !== null) return queued;
    }
    if (HEAD.test(line) && /\bState\b/.test(line)) {
      this.#queue = [];
      this.#names = line.includes('|') ? cells(line, null) : line.trim().split(/\s{1,64}/);
      this.#starts = null;
      return NOTHING;
    }
    if (this.#names.length === 0) return null;
    if (WIDTHS.test(line)) {
      this.#starts = [...line.matchAll(/-{2,64}/g)].map(({ index }) => index);
      return NOTHING;
    }
    if (!line.includes('|') && this.#starts === null) return null;
    const row = cells(line, line.includes('|') ? null : this.#starts);
    const value = (name: string): string => row[this.#names.indexOf(name)] ?? '';
    const job = value('JobID') || value('JobIDRaw');
    const state = value('State');
    const found = STATES.find(([begins]) => state.startsWith(begins));
    if (JOB.test(job)) this.#running = state.startsWith('RUNNING') ? job : null;
    if (this.#short !== null && STEP.exec(job)?.[1] === this.#short.job) {
      this.#short.used = Math.max(this.#short.used, kibOf(value('MaxRSS')) ?? 0);
      return NOTHING;
    }
    if (found !== undefined && JOB.test(job)) {
      const findings = findingsOf(job, found, value);
      if (found[1] !== 'host.oom') return { ...NOTHING, findings };
      this.#short = { job, findings, line, used: kibOf(value('MaxRSS')) ?? 0 };
      return NOTHING;
    }
    if (found !== undefined && this.#running !== null && STEP.exec(job)?.[1] === this.#running) {
      // One says it for all steps of the job.
      this.#running = null;
      return { ...NOTHING, findings: findingsOf(STEP.exec(job)?.[1] ?? job, found, value) };
    }
    const loose = line.includes('|') ? null : looseRow(line, this.#names);
    return loose === null ? null : { ...NOTHING, findings: findingsOf(loose.job, loose.state, loose.value) };
  }
}

/** Of a job of one node, its node is where memory ran out, and the one that failed; of several the table does not say which. */
function findingsOf(
  job: string,
  [begins, kind, reason]: (typeof STATES)[number],
  value: (name: string) => string,
): ReportedFinding[] {
  const exit = value('ExitCode');
  const list = value('NodeList');
  const ended = ENDED.exec(value('End'))?.[1];
  const when = ended === undefined ? {} : { timeMs: Date.parse(`${ended}Z`), zoned: false };
  const nodes = list === '' || list.startsWith('None') ? [] : nodesOf(list);
  const [only] = nodes.length === 1 ? nodes : [];
  const given: Record<string, AttributeValue> = { reason, told_by: 'scheduler' };
  const attributes: Record<string, AttributeValue> = { state: WHOLE[begins] ?? begins, ...given };
  const [, asked, per] = /^(\d{1,9}(?:\.\d{1,3})?[KMGTP])([cn]?)$/.exec(value('ReqMem')) ?? [];
  if (kind === 'host.oom' && asked !== undefined) attributes.asked_for = per === 'c' ? `${asked} per CPU` : asked;
  if (exit !== '') attributes.exit = exit.slice(0, 16);
  Object.assign(attributes, placesOf(list));
  const ofJob: ReportedFinding = { kind, component: { type: 'job', id: job }, attributes, ...when };
  if (kind !== 'job.node_failed' || only === undefined || !isNode(only)) return [ofJob];
  return [{ kind: 'host.down', component: { type: 'host', id: only }, attributes: { ...given, job }, ...when }, ofJob];
}

const POWERS = 'KMGTP';

/** "104857600K", "97.5G": as sacct writes sizes; of a bare number, bytes. Null of none. */
function kibOf(text: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?)([KMGTP]?)$/.exec(text) ?? [];
  if (digits === undefined) return null;
  return Math.round(unit === '' ? Number(digits) / 1024 : Number(digits) * 1024 ** POWERS.indexOf(unit));
}

const WHOLE: Readonly<Record<string, string>> = { OUT_OF_ME: 'OUT_OF_MEMORY' };
const isNode = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,127}$/.test(name);

/** A table whose rows do not stand below their rules, as pasting leaves them: by its only state, the job first, and the exit code last. */
function looseRow(
  line: string,
  names: readonly string[],
): { job: string; state: (typeof STATES)[number]; value: (name: string) => string } | null {
  const [job = '', ...cells] = line.trim().split(/\s{1,64}/);
  if (!/^JobID(?:Raw)?$/.test(names[0] ?? '') || !JOB.test(job)) return null;
  const states = cells.flatMap((cell) =>
    WHOLE_STATE.test(cell) ? STATES.filter(([begins]) => cell.startsWith(begins)) : [],
  );
  const [state, ...others] = states;
  if (state === undefined || others.length > 0) return null;
  const last = cells.at(-1) ?? '';
  const exit = names.at(-1) === 'ExitCode' && /^\d{1,3}:\d{1,3}$/.test(last) ? last : '';
  return { job, state, value: (name) => (name === 'ExitCode' ? exit : '') };
}

/** As squeue has it for short. */
const SHORT: Readonly<Record<string, string | undefined>> = {
  NF: 'NODE_FAIL',
  OOM: 'OUT_OF_MEMORY',
  BF: 'BOOT_FAIL',
  F: 'FAILED',
  PR: 'PREEMPTED',
  TO: 'TIMEOUT',
  DL: 'DEADLINE',
  CA: 'CANCELLED',
};

/** Why squeue has it that a job waits which was to begin, and could not on its nodes. */
const UNSTARTED = /\((?:launch failed requeued held|JobLaunchFailure|launch_failed_requeued_held)\)\s{0,8}$/;
const NOT_STARTED: (typeof STATES)[number] = ['LAUNCH_FAILED', 'job.failed', 'launch failed'];

/** A row of squeue, whose last column has the nodes, or the reason in brackets. Null where it is none. */
/** "(ReqNodeNotAvail, UnavailableNodes:gx-[20-23])": what a job asks for by name, or all that would do, is down, drained or reserved. */
const UNAVAILABLE = /\bUnavailableNodes:([A-Za-z0-9][\w.,[\]-]{0,255})/;

/** A table of jobs does not say why: it is looked at, and no incident. */
function unavailable(job: string, nodes: string): ReportedFinding {
  const attributes = { what: 'unavailable', job, reason: 'asked for by a job that waits' };
  return {
    kind: 'host.drained',
    severity: 'info',
    component: { type: 'host', id: nodes },
    attributes,
    discriminator: nodes,
  };
}

function queuedRow(line: string, names: readonly string[]): Reported | null {
  const [job = '', ...rest] = line.trim().split(/\s{1,64}/);
  const at = names.findIndex((name) => name === 'ST' || name === 'STATE');
  const said = rest[at - 1] ?? '';
  if (!JOB.test(job) || !/^[A-Z][A-Z_]{0,15}$/.test(said)) return null;
  const [, nodesOut] = UNAVAILABLE.exec(line) ?? [];
  if (nodesOut !== undefined) return { ...NOTHING, findings: [unavailable(job, nodesOut)] };
  const state = SHORT[said] ?? said;
  const found = UNSTARTED.test(line) ? NOT_STARTED : STATES.find(([begins]) => state.startsWith(begins));
  if (found === undefined) return NOTHING;
  const last = names.at(-1)?.startsWith('NODELIST') === true ? (rest.at(-1) ?? '') : '';
  const nodes = /[()]/.test(last) ? '' : last;
  return { ...NOTHING, findings: findingsOf(job, found, (name) => (name === 'NodeList' ? nodes : '')) };
}

const WHOLE_STATE = /^[A-Z_]{4,16}\+?$/;

/** What is in each column, without blanks. */
function cells(line: string, starts: readonly number[] | null): string[] {
  if (starts === null) return line.split('|').map((cell) => cell.trim());
  return starts.map((start, i) => line.slice(start, starts[i + 1]).trim());
}
