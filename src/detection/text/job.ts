// Decodes the log lines of one training job: progress of each step, samples of it, and the events it reports.

import { recall } from '../../helpers/remember.ts';
import type { Component } from '../../model/component.ts';
import type { AttributeValue } from '../../model/event.ts';
import type { EventInput, TextRecord } from '../../model/record.ts';
import { WallTimes } from '../../model/wall-times.ts';
import { carried } from './carried.ts';
import { lineEvidence } from './evidence.ts';
import { stripAnsi } from './job/ansi.ts';
import { behindBar } from './job/bar.ts';
import { parseColumns } from './job/columns-line.ts';
import { type Found, type JobDecoded, join, type LineDecoded, newlyDecoded } from './job/decoded.ts';
import type { Fault } from './job/fault/fault.ts';
import { faultEvent, type JobPlaces, NO_PLACES } from './job/fault/fault-event.ts';
import { JobFaults } from './job/fault/job-faults.ts';
import { LastWords } from './job/fault/last-words.ts';
import type { Framework } from './job/framework.ts';
import { parseFreeLine } from './job/free-line.ts';
import { type Based, JobState, type LineBase, type NumberedStep } from './job/job-state.ts';
import { parseMilestone } from './job/milestone.ts';
import { Pace } from './job/pace.ts';
import { parsePairs } from './job/pairs-line.ts';
import { pauseOf } from './job/pause-line.ts';
import { byWriter, type LineTime, lineTime, type Prefix, readPrefix, stepPrefix } from './job/prefix.ts';
import { PrinterNames } from './job/printer-names.ts';
import { progressSamples, type StepLine } from './job/progress.ts';
import { Saving } from './job/saving.ts';
import { mayTellStep } from './job/step-line.ts';
import { StepReader } from './job/step-reader.ts';
import { seenAt, stampOf } from './job/step-seen.ts';
import { type ShapedLine, StepShapes } from './job/step-shape.ts';
import { UserLines } from './job/user-lines.ts';
import { parseWorldSize, WorkSize } from './job/work-size.ts';
import { WrappedLine } from './job/wrapped-line.ts';
import { expectedBy, type JobFramework } from './job-framework.ts';
import { wholeLogged } from './logged-json.ts';
import { streamPlace } from './stream-place.ts';

/** Progress lines are under 1 KiB; of a longer line only the head is looked at. */
const MAX_LINE = 4096;
const MAX_STREAMS = 256;
const NO_NUMBER = /^(?!.*(?:Error|Exception|error:)).*\b(?:nan|inf)/i;
const NONE = new UserLines();
const NOTHING: readonly never[] = [];

/** One rank, or the printer that names none, in one stream. */
interface Printer {
  readonly reader: StepReader;
  last: TextRecord;
}

/** What all that one line reports has in common. */
interface Line extends Based {
  readonly record: TextRecord;
  readonly prefix: Prefix;
  readonly printer: string;
  readonly time: LineTime;
}

/** Keeps state over the lines of all files of one job; every line is tenant text and nothing in it is believed further. */
export class JobLineDecoder {
  readonly component: Component;
  readonly #wanted: (framework: Framework) => boolean;
  readonly #places: JobPlaces;
  readonly #faults: JobFaults;
  readonly #lastWords = new LastWords();
  readonly #state = new JobState();
  readonly #work = new WorkSize();
  readonly #pace = new Pace();
  readonly #saving = new Saving();
  readonly #names = new PrinterNames();
  readonly #wrapped = new Map<string, WrappedLine>();
  /** One of these was open after the last line that was not of a known shape. */
  #mayWait = false;
  readonly #printers = new Map<string, Printer>();
  /** The printer that reported last waits for a line that closes what it reported. */
  #open = false;
  /** A known framework reported steps: what else looks like one is not. */
  #framed = false;
  /** Rows of a table may follow, which have no words. */
  #inTable = false;

  /** Of the line that was asked of last. */
  #columns: { readonly text: string; readonly step: StepLine | null } | null = null;
  #lastFault: { readonly record: TextRecord; readonly text: string } | null = null;
  #prefix: { readonly text: string; readonly prefix: Prefix } | null = null;
  readonly #shapes: StepShapes;
  /** The one step of the last line that was read by its words. */
  #single: StepLine | null = null;
  readonly #wall: WallTimes;

  readonly #own: () => UserLines;

  /** `own`: the lines that the configuration describes, now. */
  constructor(
    job: string,
    expected: JobFramework = 'auto',
    wall = new WallTimes(),
    places: JobPlaces = NO_PLACES,
    own: () => UserLines = () => NONE,
  ) {
    this.#own = own;
    this.#places = places;
    this.#faults = new JobFaults((label) => places.rankOf(job, label));
    this.#wall = wall;
    this.component = { type: 'job', id: job };
    const frameworks = expectedBy(expected);
    this.#wanted = (framework) => frameworks === null || frameworks.includes(framework);
    this.#shapes = new StepShapes(this.#wanted);
  }

  decode(record: TextRecord): JobDecoded {
    const wrapped = recall(this.#wrapped, record.stream, () => new WrappedLine(), MAX_STREAMS);
    const shaped =
      this.#open || this.#inTable || wrapped.open || !this.#own().none ? null : this.#shapes.read(record.text);
    if (shaped !== null) return this.#decodeShaped(record, shaped);
    const text = stripAnsi(record.text.length > MAX_LINE ? record.text.slice(0, MAX_LINE) : record.text);
    const decoded = this.#decodeAll(wrapped.add(record, text, (line) => this.#mayWrap(line)));
    this.#mayWait ||= wrapped.open;
    if (decoded.steps.length === 1 && text === record.text) this.#learn(text, wrapped);
    return decoded;
  }

  /** A line of a known shape: all that is asked of other lines was asked of the first of its kind. */
  #decodeShaped(record: TextRecord, { step, prefix }: ShapedLine): JobDecoded {
    const line = this.#contextOf(record, prefix);
    this.#stepped(record);
    step.time = stampOf(line.time);
    step.rank = line.prefix.rank;
    const decoded = this.#step(line, step);
    const { samples } = decoded;
    return {
      steps: decoded.step === null ? [] : [decoded.step],
      events: record.attributes.known === true ? NOTHING : decoded.events,
      faults: NOTHING,
      pauses: NOTHING,
      samples,
      ranks: decoded.rank === null ? NOTHING : [decoded.rank],
      workChanged: this.#work.batch(step.global_batch_size),
    };
  }

  /** The line reported a step, and is whole. */
  #learn(text: string, wrapped: WrappedLine): void {
    const step = this.#single;
    if (step !== null && !this.#open && !this.#inTable && !wrapped.open) this.#shapes.learn(text, step);
  }

  /** Lines that still waited for their rest, at the end of the input. */
  flush(): JobDecoded {
    const whole = this.#decodeAll([...this.#wrapped.values()].flatMap((wrapped) => wrapped.flush()));
    const waited = [...this.#printers.values()].flatMap(({ reader, last }) => {
      const line = this.#context(last, last.text);
      return reader.flush().map((step) => this.#step(line, step));
    });
    return {
      ...whole,
      faults: [...whole.faults, ...this.#cutOff()],
      steps: [...whole.steps, ...waited.flatMap(({ step }) => (step === null ? [] : [step]))],
      events: [...whole.events, ...waited.flatMap(({ events }) => events)],
      samples: waited.reduce((samples, line) => join(samples, line.samples), whole.samples),
    };
  }

  /** What a table that was cut off had listed, as of the last line that reported a fault or was part of it. */
  #cutOff(): EventInput[] {
    if (this.#lastFault === null) return [];
    const { record, text } = this.#lastFault;
    const { time, base } = this.#context(record, text);
    return this.#faults.end(time.timeMs).map((fault) => faultEvent(fault, this.component.id, base(), this.#places));
  }

  /** The exception that the log ended with, once it has been silent for long enough, ms. */
  settle(nowMs: number): EventInput[] {
    const event = this.#lastWords.take(nowMs);
    return event === null ? [] : [event];
  }

  /** `settle` may have something to report. */
  get waiting(): boolean {
    return this.#lastWords.waiting;
  }

  /** The next lines count, whether or not they have a word of any rule: they may belong to what was begun. */
  get attends(): boolean {
    if (this.#open || this.#inTable || this.#faults.open || this.#lastWords.waiting) return true;
    if (this.#mayWait) for (const wrapped of this.#wrapped.values()) if (wrapped.open) return true;
    return false;
  }

  #decodeAll(lines: readonly { record: TextRecord; text: string }[]): JobDecoded {
    const found = newlyDecoded();
    this.#single = null;
    for (const { record, text } of lines) {
      found.workChanged = this.#work.world(parseWorldSize(text)) || found.workChanged;
      const lines = this.#line(record, text);
      // An earlier run reported what it says: it only tells what was normal.
      const unread = lines.length === 0 ? text : behindBar(text);
      if (unread !== null && record.attributes.known !== true) found.faults.push(...this.#faultsOf(record, unread));
      for (const line of lines) this.#put(found, record, line);
    }
    if (lines.length !== 1) this.#single = null;
    return found;
  }

  #put(found: Found, record: TextRecord, line: LineDecoded): void {
    found.workChanged = this.#work.batch(line.step?.progress.global_batch_size ?? null) || found.workChanged;
    if (line.step !== null) found.steps.push(line.step);
    if (record.attributes.known !== true) found.events.push(...line.events);
    if (line.pause !== null) found.pauses.push(line.pause);
    if (line.rank !== null) found.ranks.push(line.rank);
    found.samples = join(found.samples, line.samples);
  }

  #line(record: TextRecord, text: string): LineDecoded[] {
    const own = this.#own().none ? null : this.#userLine(record, text);
    if (own !== null) return own;
    const hinted = this.#open || mayTellStep(text);
    const alone = this.#columnsOf(text) ?? (hinted ? null : parsePairs(text, this.#wanted));
    const steps = alone !== null ? [alone] : hinted ? this.#read(record, text) : [];
    if (steps.length > 0) {
      this.#framed = true;
      return this.#stepsOf(record, text, steps);
    }
    const milestone = parseMilestone(text);
    const pause = pauseOf(milestone, text);
    if (milestone === null && pause === null) {
      const free = this.#framed || !this.#wanted('other') ? null : this.#free(record, text);
      return free === null ? [] : this.#stepsOf(record, text, [free]);
    }
    if (milestone?.what === 'started') this.#faults.alive(true);
    if (milestone !== null) this.#lastWords.drop();
    const { time, base, printer } = this.#context(record, text);
    if (pause?.ends === true && pause.after !== null)
      this.#state.resume(this.#names.counter(printer, pause.after.framework), pause.after.iteration, time);
    const events = milestone === null ? [] : this.#state.milestone(milestone, time, base);
    if (milestone?.what === 'started' || pause?.ends === true) this.#saving.ended();
    else if (pause?.why === 'checkpoint') this.#saving.begun(time.timeMs);
    const mark = pause === null ? null : { ...pause, component: this.component, timeMs: time.timeMs };
    return [{ step: null, events, pause: mark, samples: null, rank: null }];
  }

  /** A step whose numbers are nan or inf is one, although rows of faults have such words, too. */
  #free(record: TextRecord, text: string): StepLine | null {
    const concerned = this.#faults.concerns(text);
    if (concerned && (this.#faults.open || !NO_NUMBER.test(text))) return null;
    const step = parseFreeLine(text, record.attributes.numbers === true ? 1 : 2);
    return concerned && typeof step?.loss !== 'string' && typeof step?.grad_norm !== 'string' ? null : step;
  }

  #stepsOf(record: TextRecord, text: string, steps: readonly StepLine[]): LineDecoded[] {
    const line = this.#contextOf(record, stepPrefix(this.#prefixOf(text), text));
    this.#stepped(record);
    const [single = null, ...more] = steps;
    this.#single = more.length === 0 ? single : null;
    return steps.map((step) => this.#step(line, step));
  }

  #stepped(record: TextRecord): void {
    this.#faults.alive();
    this.#lastWords.step(record.observedMs);
  }

  /** Null where the configuration describes no such line. */
  #userLine(record: TextRecord, text: string): LineDecoded[] | null {
    const found = this.#own().find(text);
    if (found === null) return null;
    const { name, kind, step } = found;
    if (step !== null) this.#framed = true;
    const lines = step === null ? [] : this.#stepsOf(record, text, [step]);
    if (kind === null) return lines;
    const { base } = this.#context(record, text);
    const event = { ...base(), kind, attributes: { ...base().attributes, line: name } };
    return [...lines, { step: null, events: [event], pause: null, samples: null, rank: null }];
  }

  #context(record: TextRecord, text: string): Line {
    return this.#contextOf(record, this.#prefixOf(text));
  }

  #contextOf(record: TextRecord, read: Prefix): Line {
    const prefix = byWriter(read, record.attributes);
    const time = record.timeMs === null ? lineTime(prefix, record.observedMs, this.#wall) : recordLineTime(record);
    // Nearly all steps report nothing else, so that no evidence of them is needed.
    let made: LineBase | null = null;
    const base = (): LineBase => {
      made ??= this.#base(record, time, prefix.rank);
      return made;
    };
    return { record, prefix, printer: this.#names.printer(record.stream, read), time, base };
  }

  #step({ record, prefix, printer, time, base }: Line, step: StepLine): LineDecoded {
    const { timeMs } = time;
    if (!isNumbered(step)) {
      const events = this.#state.uncounted(step, base);
      return { step: seenAt(record, time, prefix.rank, step), events, pause: null, samples: null, rank: null };
    }
    const counter = this.#names.counter(printer, step.framework);
    const timed = this.#state.stepTime(counter, step, time, record.attributes.history === true);
    const entry = seenAt(record, time, prefix.rank, timed);
    const { progress } = entry;
    this.#pace.step(timeMs, progress.step_time_ms);
    const { reported, moved, events } = this.#state.step(counter, step, time, base);
    const samples =
      reported === null ? null : progressSamples(this.component.id, record.source, progress, timeMs, reported);
    const rank = moved && prefix.label !== null ? { label: prefix.label, timeMs, progress } : null;
    return { step: entry, events, pause: null, samples, rank };
  }

  #faultsOf(record: TextRecord, line: string): EventInput[] {
    const text = record.text.length > MAX_LINE ? (wholeLogged(record.text, MAX_LINE) ?? line) : line;
    if (!this.#faults.concerns(text)) {
      if (this.#lastWords.waiting) this.#lastWords.line(this.#printerOf(record, text), record.observedMs);
      return [];
    }
    this.#lastFault = { record, text };
    const { prefix, printer, time, base } = this.#context(record, text);
    const before = this.#faults.unsure;
    const found = this.#faults.line(text, printer, prefix.label, time.timeMs);
    const { unsure } = this.#faults;
    if (unsure !== before) this.#lastWords.drop();
    const thrown = unsure !== null && unsure !== before;
    if (found.length === 0 && !thrown) return [];
    const around = { ...this.#pace.at(time.timeMs), ...this.#saving.at(time.timeMs) };
    const paced = { ...base(), attributes: { ...base().attributes, ...around } };
    const eventOf = (fault: Fault) => faultEvent(fault, this.component.id, paced, this.#places);
    if (thrown) this.#lastWords.hold(eventOf(unsure), printer, record.observedMs);
    else this.#lastWords.reported(found, printer);
    return found.map(eventOf);
  }

  /** Only lines of columns are so long that they come broken, and say by a bar where they end. */
  #mayWrap(text: string): boolean {
    return this.#columnsOf(text) !== null;
  }

  /** Asked twice of each line: whether it may be broken, and what it reports. */
  #columnsOf(text: string): StepLine | null {
    if (this.#columns?.text !== text) this.#columns = { text, step: parseColumns(text, this.#wanted) };
    return this.#columns.step;
  }

  #printerOf({ stream }: TextRecord, text: string): string {
    return this.#names.printer(stream, this.#prefixOf(text));
  }

  #prefixOf(text: string): Prefix {
    if (this.#prefix?.text !== text) this.#prefix = { text, prefix: readPrefix(text) };
    return this.#prefix.prefix;
  }

  #read(record: TextRecord, text: string): StepLine[] {
    const name = this.#printerOf(record, text);
    const printer = recall(
      this.#printers,
      name,
      () => ({ reader: new StepReader(this.#wanted), last: record }),
      MAX_STREAMS,
    );
    printer.last = record;
    const steps = printer.reader.read(text);
    this.#open = printer.reader.open;
    this.#inTable ||= printer.reader.inTable;
    if (steps.length > 0) return steps;
    const pairs = parsePairs(text, this.#wanted);
    return pairs === null ? [] : [pairs];
  }

  #base(record: TextRecord, time: LineTime, rank: number | null): LineBase {
    const attributes: Record<string, AttributeValue> = {};
    if (time.from === 'arrival') attributes.time_from = 'arrival';
    Object.assign(attributes, rank === null ? {} : { rank }, carried(record));
    return {
      component: this.component,
      timeMs: time.timeMs,
      timeDigits: time.digits,
      ...(time.interval === undefined ? {} : { interval: time.interval }),
      observedMs: record.observedMs,
      trust: 'tenant',
      source: record.source,
      attributes,
      evidence: [lineEvidence(record)],
      discriminator: streamPlace(record),
    };
  }
}

function recordLineTime(record: TextRecord): LineTime {
  return { timeMs: record.timeMs ?? record.observedMs, digits: record.timeDigits, from: 'line' };
}

function isNumbered(step: StepLine): step is NumberedStep {
  return step.iteration !== null;
}
