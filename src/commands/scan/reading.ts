// Reading: takes one input after the other apart into what its lines report.

import { JobHosts, sharedRoom } from '../../detection/text/job/job-hosts.ts';
import { JobNumber } from '../../detection/text/job/job-number.ts';
import { PLANNED_WORDS } from '../../detection/text/planned-line.ts';
import { JOB_NODE_WORDS, JobNodes } from '../../detection/text/programs/job-nodes.ts';
import { JOB_WORDS, LOAD_WORDS } from '../../detection/text/words/job-words.ts';
import { KERNEL_WORDS } from '../../detection/text/words/kernel-words.ts';
import { REPORT_WORDS } from '../../detection/text/words/report-words.ts';
import { joined, scannerOf } from '../../detection/text/words/word-set.ts';
import type { Component } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import type { NativeWordScanner } from '../../native.ts';
import { isSavedLog, MOST_SAVED, savedEntries, savedLogEvents } from '../../sources/bmc/log/saved-log.ts';
import { peeked } from '../../sources/saved-text/bytes.ts';
import { asWritten } from '../../sources/saved-text/pasted.ts';
import type { SavedInput } from '../../sources/saved-text/saved-input.ts';
import { FORM_WORDS, SavedText, type SavedTextOptions } from '../../sources/saved-text/saved-text.ts';
import { readAhead } from '../../sources/saved-text/uptimes.ts';
import { AboutHosts } from './about-hosts.ts';
import { asAuthored } from './authored.ts';
import { UnreadTexts } from './by-words.ts';
import type { ScannedInput } from './document.ts';
import { FoundEvents, saysMuch } from './found-events.ts';
import { isGuide } from './guide-text.ts';
import { healthyIn } from './healthy.ts';
import type { Unnamed } from './host-names.ts';
import { InputDecoder } from './input-decoder.ts';
import { type Label, Labels } from './labels.ts';
import { Times } from './left-out.ts';
import { MISSED_WORDS, Missed } from './missed.ts';
import { notUnderstood } from './not-understood.ts';
import { isOfMachine, isOfNode, listsPods } from './of-cluster.ts';
import { hostWaitedFor, isWide } from './placed.ts';
import { Plans } from './plans.ts';
import { Quoted } from './quoted.ts';
import { Readings } from './readings.ts';
import { Rejected } from './rejected.ts';
import { ServedModel } from './served-model.ts';
import type { ServerLoads } from './server-loads.ts';
import { Steps } from './steps.ts';
import { typedOn } from './typed-on.ts';
import { isWanted, type Wanted } from './wanted.ts';

export interface Read {
  readonly events: { readonly event: FaultEvent; readonly host: string }[];
  readonly incidents: Incident[];
  /** Logs without any time, of which another log dates what they report. */
  readonly datedByOthers: Set<string>;
}

export interface ReadingOptions {
  readonly found: FoundEvents;
  readonly steps: Steps;
  readonly readings: Readings;
  readonly servers?: ServerLoads;
  readonly wanted: Wanted;
  /** Every line is read, not only those with a word of some rule. */
  readonly everyLine?: boolean;
  /** What is read are the samples of a document: to be counted. */
  readonly ofGuide?: boolean;
}

export class Reading {
  readonly inputs: ScannedInput[] = [];
  /** Hosts that lines name. */
  readonly named = new Set<string>();
  /** In which logs, by the host. */
  readonly namedIn = new Map<string, Set<string>>();
  /** Logs whose lines name none, by the label that stands for their host. */
  readonly unnamed = new Map<string, Unnamed>();
  /** What the logs of jobs say of where these ran, by the label. */
  readonly jobHosts = new Map<string, JobHosts>();
  /** Jobs that are called after their log. */
  readonly guessedJobs = new Set<string>();
  /** What the lines of such a log call its job, by what it was called. */
  readonly jobNames = new Map<string, string>();
  /** Logs of which no line has a time, with the job whose log it is, null where neither its name nor a line says it. */
  readonly undated = new Map<string, string | null>();
  /** Logs whose times are counted back from when the file was written, so that they may be hours off. */
  readonly countedBack = new Set<string>();
  /** On which node each job ran, as the log of its scheduler's daemon says. */
  readonly jobNodes = new JobNodes();
  readonly times = new Times();
  /** Texts in which no rule found anything. */
  readonly unread = new UnreadTexts();
  readonly plans = new Plans();
  readonly quoted = new Quoted();
  readonly rejected = new Rejected();
  readonly missed = new Missed();
  /** Entries of BMCs' logs beyond what is read of one. */
  entriesLeftOut = 0;
  /** Logs of BMCs that are longer than what is read of one. */
  readonly cut: string[] = [];
  readonly #options: ReadingOptions;
  readonly #labels = new Labels();
  readonly #room = sharedRoom();
  #scanner: NativeWordScanner | null = null;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  #skimming(attends: () => boolean): Pick<SavedTextOptions, 'scanner' | 'attends'> {
    if (this.#options.everyLine === true) return {};
    this.#scanner ??= scannerOf(WORDS, true);
    return { scanner: this.#scanner, attends };
  }

  #named(host: string, path: string): void {
    this.named.add(host);
    const paths = this.namedIn.get(host) ?? new Set();
    if (paths.size < MOST_PATHS) this.namedIn.set(host, paths.add(path));
  }

  async read(input: SavedInput): Promise<void> {
    const label = this.#labels.of(input.name);
    const { head, bytes } = await peeked(input.bytes, HEAD_BYTES);
    const given = { ...input, bytes };
    const text = head.toString('utf8');
    if (this.#options.ofGuide !== true && isGuide(input.name, text)) return this.#readGuide(given);
    const lines = isSavedLog(text) ? await this.#readEntries(given, label.host) : given;
    if (lines === null) return;
    // A log of a BMC may be pasted, too; what it is shows once what carries it is taken off.
    const written = await peeked(await asWritten(lines.bytes), HEAD_BYTES);
    const as = { ...lines, bytes: written.bytes };
    const isEntries = !head.equals(written.head) && isSavedLog(written.head.toString('utf8'));
    const rest = isEntries ? await this.#readEntries(as, label.host) : as;
    if (rest !== null) await this.#readLines(rest, label, text, written.head);
  }

  /** What its samples would report is of no host; that they are there is said. */
  async #readGuide(input: SavedInput): Promise<void> {
    const found = new FoundEvents();
    const apart = { found, steps: new Steps(), readings: new Readings(), wanted: this.#options.wanted, ofGuide: true };
    const reading = new Reading(apart);
    await reading.read(input);
    const samples = found.of(found.hosts).length;
    for (const { name, format, lines, undated_lines } of reading.inputs)
      this.inputs.push({ name, format, lines, undated_lines, assumed: [], ...(samples === 0 ? {} : { samples }) });
  }

  /** The log of a BMC, which is of entries rather than of lines. Returns the input where it is none, as its head may only seem one. */
  async #readEntries(input: SavedInput, label: string): Promise<SavedInput | null> {
    const { name, host, author = 'unknown' } = input;
    const { found, wanted } = this.#options;
    const { head, bytes } = await peeked(input.bytes, MOST_SAVED + 1);
    const isCut = head.length > MOST_SAVED;
    const text = head.subarray(0, MOST_SAVED).toString('utf8');
    const { entries, leftOut } = savedEntries(text);
    if (entries.length === 0) return { ...input, bytes };
    await bytes.return();
    for (const { createdMs } of entries) this.times.take(createdMs, wanted);
    for (const event of savedLogEvents(entries, { host: host ?? label, name }))
      if (event.timeMs >= wanted.fromMs && event.timeMs <= wanted.toMs)
        found.add(host ?? label, asAuthored(event, author));
    if (host === undefined) this.unnamed.set(label, { kernel: false, ofDevices: true, path: name, says: null });
    else this.#named(host, name);
    this.entriesLeftOut += leftOut;
    if (isCut) this.cut.push(name);
    const assumed = isCut ? [FIRST_PART] : [];
    this.inputs.push({ name, format: 'redfish_log', lines: text.split('\n').length, undated_lines: 0, assumed });
    return null;
  }

  async #readLines(
    { name, savedMs, author = 'unknown', bytes, host, bootedMs }: SavedInput,
    of: Label,
    head: string,
    asWrittenHead: Buffer,
  ): Promise<void> {
    const { found, steps, readings, servers, wanted } = this.#options;
    const { job, isGuessed, isDaemon, host: label } = of;
    const jobHosts = new JobHosts(this.#room);
    const served = new ServedModel();
    const number = new JobNumber();
    const first: EventInput[] = [];
    const about = new AboutHosts(label);
    let isUnderstood = false;
    let isFound = false;
    let isProgress = false;
    const decoder = new InputDecoder({
      path: name,
      isDaemon,
      author,
      onEvent: (of, event) => {
        isUnderstood = true;
        isFound ||= saysMuch(event);
        found.add(of, served.of(event));
        about.take(event);
        // What says itself when it was is of another time.
        if (!text.dating.hasDates && event.timeMs >= Math.floor(savedMs)) assumed.add('file_time');
        if (event.source !== 'job-log') return;
        ofJob = true;
        if (isGuessed && isOfJob(event.component, job)) this.guessedJobs.add(job);
        jobHosts.found(event);
        if (of === label && first.length < MOST_FIRST) first.push(event);
      },
      onSteps: (seen) => {
        isUnderstood = true;
        isProgress = true;
        ofJob = true;
        steps.take(name, seen);
      },
      onReport: (report, line) => {
        readings.take(name, line, report);
        if (report.findings.some(({ zoned }) => zoned === false)) assumed.add('zone');
        if (report.findings.some(({ age }) => age !== undefined)) assumed.add('age');
      },
    });
    const ahead = await readAhead(bytes);
    let kernel = false;
    let nameless = false;
    let ofJob = false;
    const assumed = new Set<string>();
    const text = new SavedText({
      ...this.#skimming(() => decoder.attends),
      name,
      author,
      job,
      savedMs,
      lastBootMs: ahead.lastBootMs,
      ...(host === undefined ? {} : { host }),
      ...(bootedMs === undefined ? {} : { bootedMs }),
      onRecord: (record, of) => {
        if (of === null) nameless = true;
        else this.#named(of, name);
        kernel ||= record.source === 'kernel-log';
        if (record.source === 'job-log') {
          if (isDaemon) this.jobNodes.take(record.text);
          else jobHosts.take(record.text);
          served.take(record.text);
          if (isGuessed) number.take(record.text);
        }
        this.times.take(record.observedMs, wanted);
        this.times.see(record.timeMs);
        this.quoted.see(record);
        this.rejected.take(record, of ?? label);
        this.missed.take(record, of ?? label);
        if (!inTime(record, wanted) || !(of === null || isWanted(wanted, of))) return;
        if (record.source === 'job-log') servers?.take(name, record.observedMs, record.text);
        decoder.take(record, of ?? label);
      },
      onQuoted: (place) => this.quoted.take(place),
      onPlan: (line, timeMs, of) => this.plans.take(of ?? label, timeMs, line, name),
      onTime: (timeMs, of) => {
        this.times.take(timeMs, wanted);
        this.times.see(timeMs);
        decoder.passed(timeMs, of ?? label);
      },
    });
    for await (const piece of ahead.bytes) text.push(piece);
    text.end();
    decoder.end();
    if (number.only !== null) {
      this.jobNames.set(job, number.only);
      this.guessedJobs.delete(job);
    }
    const says = first.map((event) => jobHosts.of(event)).find((each) => each !== null) ?? null;
    if (nameless) {
      const events = found.of([label]);
      const waitedFor = hostWaitedFor(events, jobHosts);
      const ofDevices = !ofJob && decoder.report !== null && !OF_CLUSTERS.has(decoder.report);
      const isNodes = decoder.report === 'program_log' && about.mentioned.length === 1 && isOfNode(events);
      const ofMachine = ofDevices ? isOfMachine(events) : isNodes;
      const isOfCluster = decoder.report === 'kubectl' && listsPods(asWrittenHead.toString('utf8'));
      const terminal = ofJob ? null : typedOn(head);
      if (terminal !== null) this.#named(terminal, name);
      const places = { terminal, says, waitedFor, ranOn: jobHosts.hosts, isWide: isWide(events, jobHosts) };
      this.unnamed.set(label, {
        kernel,
        ofDevices,
        ofMachine,
        isOfCluster,
        path: name,
        about: about.hosts,
        mentions: about.mentioned,
        ...places,
      });
    }
    if (jobHosts.hosts.length > 0 || jobHosts.ranks !== null) this.jobHosts.set(label, jobHosts);
    const { lines, undated, dating } = text;
    if (!dating.hasDates && assumed.has('file_time')) this.undated.set(name, number.only ?? (isGuessed ? null : job));
    if (dating.assumed.has('boot_time')) this.countedBack.add(name);
    const format = text.format === 'plain' ? (decoder.report ?? text.format) : text.format;
    const isUnread = !isUnderstood && decoder.report === null;
    const judged = !isUnderstood && asWrittenHead.length < HEAD_BYTES ? healthyIn(asWrittenHead.toString('utf8')) : [];
    const unread = isUnread && judged.length === 0 ? notUnderstood(head) : null;
    if (!isFound && judged.length === 0) {
      const lastBoot = { lastBootMs: ahead.lastBootMs, ...(bootedMs === undefined ? {} : { bootedMs }) };
      this.unread.take(asWrittenHead, label, { isReadInPart: isProgress || decoder.report !== null, name, author, job, savedMs, ...lastBoot, ...(host === undefined ? {} : { host }) }); // biome-ignore format: one line
    }
    this.inputs.push({
      name,
      format,
      lines,
      undated_lines: undated,
      assumed: [...new Set([...assumed, ...dating.assumed])],
      ...(unread === null ? {} : { not_understood: unread }),
      ...(judged.length === 0 ? {} : { judged }),
    });
  }
}

/** Reports that are of many hosts, or of any. */
const OF_CLUSTERS: ReadonlySet<string> = new Set(['kubectl', 'slurm', 'program_log', 'check_ipmi']);

/** What is said of an input of which only the beginning was read. */
const FIRST_PART = 'first_16_mib';
/** Shows what a text is. */
const HEAD_BYTES = 65_536;
/** Of one host: more logs than that say nothing new of where its folders are. */
const MOST_PATHS = 64;
/** Of a log that names no host: one of the first events that it reports is of a host that its lines name, or none is. */
const MOST_FIRST = 64;
/** Of all that a scan reads. */
const WORDS = joined(KERNEL_WORDS, JOB_WORDS, LOAD_WORDS, REPORT_WORDS, {
  words: [...FORM_WORDS, ...JOB_NODE_WORDS, ...PLANNED_WORDS, ...MISSED_WORDS],
  anyCase: [],
});

/** Lines of its log may be of another job, which they name. */
function isOfJob(component: Component | null, job: string): boolean {
  if (component?.type === 'rank') return component.id.startsWith(`${job}/`);
  return component?.type === 'job' && component.id === job;
}

/** A line without a time is of the time of the lines before it. */
function inTime({ observedMs }: TextRecord, { fromMs, toMs }: Wanted): boolean {
  return observedMs >= fromMs && observedMs <= toMs;
}
