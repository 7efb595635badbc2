// Input decoder: the events that the lines of one saved log report, by the detectors that read live logs, on the times of its lines.

import { type Detected, Detection } from '../../detection/detection.ts';
import type { StepSeen } from '../../detection/text/job/decoded.ts';
import { jobOfLine } from '../../detection/text/job/job-number.ts';
import { Messages } from '../../detection/text/report/messages.ts';
import { type Reported, reportEvents } from '../../detection/text/report/report.ts';
import { Reports } from '../../detection/text/report/reports.ts';
import { TextDetection } from '../../detection/text/text-detection.ts';
import { recall } from '../../helpers/remember.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { savedEntries, savedLogEvents } from '../../sources/bmc/log/saved-log.ts';
import type { Author } from '../../sources/saved-text/author.ts';
import { asAuthored } from './authored.ts';
import { BrokenLine } from './broken-line.ts';
import { carriedEntry, carriedLine, hasWordOfFault } from './carried-line.ts';
import { LateCore } from './late-core.ts';
import { PodLog } from './pod-log.ts';

/** Time passes in steps of this: what only time shows is not missed for a line that came later. */
const STEP_MS = 250;
/** One log may be of a whole cluster. */
const MOST_HOSTS = 16_384;
/** Behind a line of a report so many may come before the next one that says something. */
const REPORT_LINES = 512;
/** Jobs are read with all that is known of their speed. */
const MOST_JOB_HOSTS = 1024;

export interface DecoderOptions {
  /** Of the text: some reports are named only there. */
  readonly path: string;
  /** It is the log of a scheduler's daemon: a line that names no job is none of a job. */
  readonly isDaemon?: boolean;
  /** Who could have written the text; left out: not known. */
  readonly author?: Author;
  readonly onEvent: (host: string, event: EventInput) => void;
  readonly onSteps: (steps: readonly StepSeen[]) => void;
  readonly onReport: (report: Reported, line: number) => void;
}

/** Of lines that no rule takes so many with a word of one are looked at for a carrier, and so many without; as many again behind each that has one. */
const MOST_LOOKS = 256;
/** syslog(3) */
const DAEMON = 3;

function asUsers(record: TextRecord, text: string, facility: number): TextRecord {
  const { undated } = record.attributes;
  const attributes = { priority: 4, facility, ...(undated === undefined ? {} : { undated }) };
  return {
    ...record,
    source: 'kernel-log',
    trust: 'tenant',
    stream: String(record.attributes.path ?? record.stream),
    text,
    attributes,
  };
}

interface Clocked {
  nowMs: number;
}

export class InputDecoder {
  readonly #options: DecoderOptions;
  readonly #kernels = new Map<string, Clocked & { readonly text: TextDetection }>();
  readonly #jobs = new Map<string, JobDetection>();
  /** Hosts whose job needs the next lines, whatever words they have. */
  readonly #attending = new Set<string>();
  /** Hosts whose kernel is in the middle of a report. */
  readonly #reporting = new Set<string>();
  readonly #reports = new Map<string, Reports>();
  /** The last line of a report, by host. */
  readonly #lastReported = new Map<string, TextRecord>();
  /** Of the line that belonged to a report last, and of the last one. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  #at = 0;
  readonly #looks = { number: MOST_LOOKS };
  readonly #entryLooks = { number: MOST_LOOKS };
  readonly #broken = new BrokenLine();
  readonly #podLog = new PodLog();
  #form: string | null = null;

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  /** The first report's form that the text has; null where it has none. */
  get report(): string | null {
    return this.#form;
  }

  /** The next lines count, whatever words they have: they may belong to a report, or to what a job's line began. */
  get attends(): boolean {
    if (this.#at - this.#reportedAt < REPORT_LINES) return true;
    return this.#attending.size + this.#reporting.size > 0;
  }

  take(record: TextRecord, host: string): void {
    this.#at = record.position;
    if (record.source !== 'job-log') {
      if (this.#kernel(record, host)) this.#broken.drop();
      else this.#broken.begin(record);
    } else {
      const line = this.#podLog.named(record);
      if (!this.#reported(line, host) && !this.#carried(line, host)) this.#ofJob(line, host);
    }
  }

  /** A message that is known, behind what carries it or broken in two. Who wrote such a line nothing shows: it is a user's word. */
  #carried(record: TextRecord, host: string): boolean {
    if (this.#attending.has(host)) return false;
    const whole = this.#broken.whole(record);
    const isRead = this.#carriedBy(record, host) || whole.some((each) => this.#carriedBy(each, host));
    if (!isRead && whole.length === 0) this.#broken.begin(record);
    return isRead;
  }

  #carriedBy(record: TextRecord, host: string): boolean {
    const left = hasWordOfFault(record.text) ? this.#looks : this.#entryLooks;
    if (left.number === 0) return false;
    left.number -= 1;
    const carried = left === this.#looks ? carriedLine(record.text) : carriedEntry(record.text);
    if (carried === null) return false;
    left.number = MOST_LOOKS;
    const { of, text } = carried;
    if (of === 'kernel' || of === 'program')
      return this.#kernel(asUsers(record, text, of === 'kernel' ? 0 : DAEMON), host);
    if (of === 'job') this.#ofJob({ ...record, text }, host);
    else if (of === 'entry') this.#entry(text, record, host);
    else {
      const report = new Messages(host).take(text);
      if (report !== null) this.#report(host, reportEvents(record, report, report.form).map((event) => asAuthored(event, 'user'))); // biome-ignore format: one rule
    }
    return true;
  }

  #entry(text: string, record: TextRecord, host: string): void {
    const { entries } = savedEntries(text);
    const name = String(record.attributes.path ?? record.stream);
    this.#report(host, savedLogEvents(entries, { host, name }).map((event) => asAuthored(event, 'user'))); // biome-ignore format: one rule
  }

  #reported(record: TextRecord, host: string): boolean {
    const reports = recall(this.#reports, host, () => new Reports(host, this.#options.path), MOST_JOB_HOSTS);
    const report = reports.take(record.text);
    if (report === null) return false;
    this.#form ??= report.form;
    this.#reportedAt = record.position;
    this.#lastReported.set(host, record);
    this.#options.onReport(report, record.position);
    this.#report(host, this.#eventsOf(record, report));
    return true;
  }

  #eventsOf(record: TextRecord, report: Reported & { readonly form: string }): EventInput[] {
    return reportEvents(record, report, report.form).map((event) =>
      asAuthored(event, this.#options.author ?? 'unknown'),
    );
  }

  /** Time passes for the jobs of the host also by lines that are none of theirs. */
  passed(timeMs: number, host: string): void {
    const job = this.#jobs.get(host);
    if (job === undefined) return;
    this.#report(host, job.pass(timeMs));
    this.#note(host, job);
  }

  end(): void {
    for (const [host, record] of this.#lastReported)
      for (const report of this.#reports.get(host)?.end() ?? []) {
        this.#options.onReport(report, record.position);
        this.#report(host, this.#eventsOf(record, report));
      }
    for (const [host, { text }] of this.#kernels) this.#report(host, text.settle(Number.POSITIVE_INFINITY));
    for (const [host, job] of this.#jobs) this.#report(host, job.end());
    for (const { host, event } of this.#podLog.end()) this.#options.onEvent(host, event);
    this.#kernels.clear();
    this.#jobs.clear();
    this.#attending.clear();
    this.#reporting.clear();
  }

  /** Whether the line reports anything, or is a part of what does. */
  #kernel(record: TextRecord, host: string): boolean {
    const make = () => ({ text: new TextDetection(host), nowMs: record.observedMs });
    const kernel = recall(this.#kernels, host, make, MOST_HOSTS);
    if (record.observedMs - kernel.nowMs >= STEP_MS) {
      kernel.nowMs = record.observedMs;
      if (kernel.text.waiting) this.#report(host, kernel.text.settle(record.observedMs));
    }
    const { events } = kernel.text.decode(record);
    this.#report(host, events);
    if (kernel.text.attendsKernel) this.#reporting.add(host);
    else this.#reporting.delete(host);
    return events.length > 0 || kernel.text.waiting || kernel.text.attendsKernel;
  }

  #ofJob(record: TextRecord, host: string): void {
    const job = this.#options.isDaemon === true ? jobOfLine(record.text) : undefined;
    if (job === undefined) this.#job(record, host);
    else if (job !== null) this.#job({ ...record, attributes: { ...record.attributes, job } }, host);
  }

  #job(record: TextRecord, host: string): void {
    const job = recall(this.#jobs, host, () => new JobDetection(host, this.#options.onSteps), MOST_JOB_HOSTS + 1);
    if (this.#jobs.size > MOST_JOB_HOSTS) this.#endOldest();
    this.#report(host, job.take(record));
    this.#note(host, job);
  }

  /** Of that host no line came for the longest time. */
  #endOldest(): void {
    for (const [host, job] of this.#jobs) {
      this.#jobs.delete(host);
      this.#attending.delete(host);
      this.#report(host, job.end());
      return;
    }
  }

  #note(host: string, job: JobDetection): void {
    if (job.attends) this.#attending.add(host);
    else this.#attending.delete(host);
  }

  #report(host: string, events: readonly EventInput[]): void {
    for (const event of events) if (this.#podLog.take(host, event)) this.#options.onEvent(host, event);
  }
}

class JobDetection {
  readonly #core = new LateCore();
  readonly #detection: Detection;
  #nowMs = Number.NEGATIVE_INFINITY;
  /** All lines of one log are of one job. */
  #job = '';

  constructor(host: string, onSteps: DecoderOptions['onSteps']) {
    this.#detection = new Detection(this.#core, host, { onSteps, logsAlone: true });
  }

  take(record: TextRecord): EventInput[] {
    const { job } = record.attributes;
    if (typeof job === 'string') this.#job = job;
    return [...this.pass(record.observedMs), ...eventsOf(this.#detection.text(record)), ...this.#edges()];
  }

  get attends(): boolean {
    return this.#detection.attends('job', this.#job);
  }

  pass(timeMs: number): EventInput[] {
    if (timeMs - this.#nowMs < STEP_MS) return [];
    this.#nowMs = timeMs;
    return this.#detection.waiting ? [...eventsOf(this.#detection.settle(timeMs)), ...this.#edges()] : [];
  }

  end(): EventInput[] {
    const events = [
      ...eventsOf(this.#detection.settle(this.#nowMs)),
      ...eventsOf(this.#detection.finish()),
      ...this.#edges(),
    ];
    this.#core.close();
    return events;
  }

  #edges(): EventInput[] {
    const edges = this.#core.edges();
    return edges.length === 0 ? [] : eventsOf(this.#detection.edges(edges, this.#nowMs));
  }
}

function eventsOf(detected: readonly Detected[]): EventInput[] {
  return detected.map(({ event }) => event);
}
