// Record: the three things that a source hands to the pipeline — samples, text, finished events — and what it discovers.

import type { Component } from './component.ts';
import type { Attributes, Evidence, FaultEvent, Trust } from './event.ts';
import type { Kind } from './kind.ts';
import type { Severity } from './severity.ts';
import type { Interval } from './time.ts';
import type { Link } from './topology.ts';

/** Samples of several series read together. Times are epoch ms on the steady clock (native.ts), values SI. */
export interface SampleBatch {
  readonly source: string;
  readonly trust: Trust;
  /** Series keys (`<component>#<quantity>`), one per sample. */
  readonly keys: readonly string[];
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
  /** W3C trace context of whoever took them, where they came with one; events that they cause link to it. */
  readonly traceparent?: string;
}

/** One line of text that another process or user wrote; hostile input. */
export interface TextRecord {
  readonly source: string;
  readonly trust: Trust;
  /** Which stream it came from: "/dev/kmsg", "job/llama-70b:/logs/rank0.log". */
  readonly stream: string;
  /** Position in the stream: kernel sequence number or byte offset of the line; distinguishes equal lines. */
  readonly position: number;
  /** The source's own time, null where the line carries none that can be trusted. */
  readonly timeMs: number | null;
  readonly timeDigits: number;
  readonly observedMs: number;
  readonly text: string;
  /** Of a saved log: its name and the line, `path:12`. */
  readonly place?: string;
  /** The program that wrote it, where that is neither the kernel nor the source itself: "apcupsd". */
  readonly writer?: string;
  /** As it is in the log, where `text` has more than that: the name of the program whose own log it is. */
  readonly quote?: string;
  /** kmsg: syslog priority 0-7 and facility; job log: job id, file ... */
  readonly attributes: Attributes;
}

/** An event before it has an id: what a source or a decoder knows. Left-out fields get the kind's defaults. */
export interface EventInput {
  readonly kind: Kind;
  readonly component: Component | null;
  readonly severity?: Severity;
  readonly timeMs: number;
  readonly timeDigits?: number;
  readonly interval?: Interval;
  readonly observedMs: number;
  readonly trust: Trust;
  readonly state?: FaultEvent['state'];
  readonly count?: number;
  readonly source: string;
  readonly attributes?: Attributes;
  readonly evidence?: readonly Evidence[];
  /** Tells apart events that would otherwise be equal: a sequence number, a line offset. */
  readonly discriminator?: string | number;
  /** Someone looked, and it was so then: when it began is not said. */
  readonly looked?: boolean;
}

/** What a source found on the host: a component, its place, and facts about it. */
export interface Discovery {
  readonly component: Component;
  readonly links: readonly Link[];
  readonly attributes?: Attributes;
}

/** Where sources hand over to the pipeline. Calls never throw and never block. */
export interface Emit {
  samples(batch: SampleBatch): void;
  text(record: TextRecord): void;
  event(input: EventInput): void;
  discovery(discovery: Discovery): void;
  /** A source could not finish by a mistake of its own code: counted, logged and reported, and the source continues. */
  failed?(error: unknown): void;
}
