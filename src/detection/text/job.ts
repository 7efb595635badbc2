// Decodes the log lines of one training job: progress of each step, samples of it, and the events it tells of.

import type { Component } from '../../model/component.ts';
import type { AttributeValue } from '../../model/event.ts';
import type { EventInput, SampleBatch, TextRecord } from '../../model/record.ts';
import { formatTime } from '../../model/time.ts';
import { WallTimes } from '../../model/wall-times.ts';
import { lineEvidence } from './evidence.ts';
import { stripAnsi } from './job/ansi.ts';
import { JobState, type LineBase } from './job/job-state.ts';
import { parseMegatron } from './job/megatron.ts';
import { type Milestone, parseMilestone } from './job/milestone.ts';
import { type PauseLine, parsePause } from './job/pause-line.ts';
import { type LineTime, lineTime, type RankLabel, readPrefix } from './job/prefix.ts';
import { type Progress, progressSamples, type StepLine } from './job/progress.ts';
import { parseTorchtitan } from './job/torchtitan.ts';
import { parseWorldSize, WorkSize } from './job/work-size.ts';
import { WrappedLine } from './job/wrapped-line.ts';

/** Progress lines are under 1 KiB; of a longer line only the head is looked at. */
const MAX_LINE = 4096;
const MAX_STREAMS = 256;

export type Framework = 'auto' | 'megatron' | 'torchtitan';

export interface StepSeen {
  /** Position of the line (the first one, where it was broken in several) in its stream. */
  readonly position: number;
  readonly timeMs: number;
  readonly progress: Progress;
}

/** A line that says why steps are late: seen before, while or after they are. */
export interface PauseMark extends PauseLine {
  readonly component: Component;
  readonly timeMs: number;
}

/** A step as one rank tells it, its own or the next after the last that it told. */
export interface RankStep {
  readonly label: RankLabel;
  readonly timeMs: number;
  readonly progress: Progress;
}

export interface JobDecoded {
  readonly steps: readonly StepSeen[];
  readonly events: readonly EventInput[];
  readonly pauses: readonly PauseMark[];
  readonly samples: SampleBatch | null;
  readonly ranks: readonly RankStep[];
  /** The job does more or less in a step from here on, or on more or fewer GPUs: what was usual of its speed is void. */
  readonly anew: boolean;
}

/** Keeps state over the lines of all files of one job; every line is tenant text and nothing in it is believed further. */
export class JobLineDecoder {
  readonly component: Component;
  readonly #framework: Framework;
  readonly #state = new JobState();
  readonly #work = new WorkSize();
  readonly #wrapped = new Map<string, WrappedLine>();

  readonly #wall: WallTimes;

  constructor(job: string, framework: Framework = 'auto', wall = new WallTimes()) {
    this.#wall = wall;
    this.component = { type: 'job', id: job };
    this.#framework = framework;
  }

  decode(record: TextRecord): JobDecoded {
    const text = stripAnsi(record.text.length > MAX_LINE ? record.text.slice(0, MAX_LINE) : record.text);
    const lines = this.#stream(record.stream).add(record, text, (line) => this.#mayWrap(line));
    return this.#decodeAll(lines);
  }

  /** Lines that still waited for their rest, at the end of the input. */
  flush(): JobDecoded {
    return this.#decodeAll([...this.#wrapped.values()].flatMap((wrapped) => wrapped.flush()));
  }

  #decodeAll(lines: readonly { record: TextRecord; text: string }[]): JobDecoded {
    const steps: StepSeen[] = [];
    const events: EventInput[] = [];
    const pauses: PauseMark[] = [];
    const ranks: RankStep[] = [];
    let samples: SampleBatch | null = null;
    let anew = false;
    for (const { record, text } of lines) {
      anew = this.#work.world(parseWorldSize(text)) || anew;
      const line = this.#line(record, text);
      if (line === null) continue;
      anew = this.#work.batch(line.step?.progress.global_batch_size ?? null) || anew;
      if (line.step !== null) steps.push(line.step);
      events.push(...line.events);
      if (line.pause !== null) pauses.push(line.pause);
      if (line.rank !== null) ranks.push(line.rank);
      samples = join(samples, line.samples);
    }
    return { steps, events, pauses, samples, ranks, anew };
  }

  #line(record: TextRecord, text: string) {
    const step = this.#parse(text);
    const milestone = step === null ? parseMilestone(text) : null;
    const pause = step === null ? pauseOf(milestone, text) : null;
    if (step === null && milestone === null && pause === null) return null;
    const prefix = readPrefix(text);
    const time = record.timeMs === null ? lineTime(prefix, record.observedMs, this.#wall) : recordLineTime(record);
    const base = this.#base(record, time, prefix.rank);
    const printer = `${record.stream}#${prefix.label?.number ?? ''}`;
    if (step === null) {
      if (pause?.ends === true) this.#state.resume(printer, pause.iteration, time);
      const events = milestone === null ? [] : this.#state.milestone(milestone, time, base);
      const mark = pause === null ? null : { ...pause, component: this.component, timeMs: time.timeMs };
      return { step: null, events, pause: mark, samples: null, rank: null };
    }
    const timed = this.#state.stepTime(printer, step, time, record.attributes.history === true);
    const progress: Progress = {
      ...timed,
      time: time.from === 'line' ? formatTime(time.timeMs, time.digits) : null,
      rank: prefix.rank,
    };
    const { fresh, moved, events } = this.#state.step(printer, step, time, base);
    const samples = fresh ? progressSamples(this.component.id, record.source, progress, time.timeMs) : null;
    const { timeMs } = time;
    const rank = moved && prefix.label !== null ? { label: prefix.label, timeMs, progress } : null;
    return { step: { position: record.position, timeMs, progress }, events, pause: null, samples, rank };
  }

  /** Only Megatron's lines are so long that they come broken, and say by a bar where they end. */
  #mayWrap(text: string): boolean {
    return this.#framework !== 'torchtitan' && parseMegatron(text) !== null;
  }

  #parse(text: string): StepLine | null {
    const megatron = this.#framework === 'torchtitan' ? null : parseMegatron(text);
    return megatron ?? (this.#framework === 'megatron' ? null : parseTorchtitan(text));
  }

  #base(record: TextRecord, time: LineTime, rank: number | null): LineBase {
    const attributes: Record<string, AttributeValue> = {};
    if (time.from === 'arrival') attributes.time_from = 'arrival';
    if (rank !== null) attributes.rank = rank;
    if (record.attributes.history === true) attributes.history = true;
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
      discriminator: `${record.stream}:${record.position}`,
    };
  }

  #stream(name: string): WrappedLine {
    const wrapped = this.#wrapped.get(name) ?? new WrappedLine();
    this.#wrapped.delete(name);
    this.#wrapped.set(name, wrapped);
    for (const oldest of this.#wrapped.keys()) {
      if (this.#wrapped.size <= MAX_STREAMS) break;
      this.#wrapped.delete(oldest);
    }
    return wrapped;
  }
}

function pauseOf(milestone: Milestone | null, text: string): PauseLine | null {
  if (milestone === null) return parsePause(text);
  if (milestone.what === 'started') return null;
  return { why: 'checkpoint', ends: milestone.what === 'saved', iteration: null };
}

function recordLineTime(record: TextRecord): LineTime {
  return { timeMs: record.timeMs ?? record.observedMs, digits: record.timeDigits, from: 'line' };
}

function join(a: SampleBatch | null, b: SampleBatch | null): SampleBatch | null {
  if (a === null || b === null) return a ?? b;
  return {
    ...a,
    keys: [...a.keys, ...b.keys],
    timesMs: [...a.timesMs, ...b.timesMs],
    values: [...a.values, ...b.values],
  };
}
