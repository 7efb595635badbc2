// Incident world: a host of two GPUs, a supply and a job on a made-up clock, whose daemon is killed, stopped and started at will.

import { Recent } from '../src/api/recent.ts';
import { Pipeline } from '../src/daemon/pipeline.ts';
import { type Component, componentText, parseComponent } from '../src/model/component.ts';
import { incidentFromDocument, wholeIncidentToDocument } from '../src/model/documents/incident.ts';
import type { Incident } from '../src/model/incident.ts';
import type { Kind } from '../src/model/kind.ts';
import type { EventInput } from '../src/model/record.ts';
import { type NativeCore, native } from '../src/native.ts';
import type { Span } from '../src/sinks/otlp/traces/spans.ts';
import { TraceBook } from '../src/sinks/otlp/traces/trace-book.ts';

export const T0 = Date.UTC(2026, 10, 27, 14, 32, 0);
const LATENESS_MS = 5_000;
const HOLD_MS = 5_000;
const STEP_MS = 250;
const ORIGIN = { resource: {} as never, scope: { name: 'faultline', version: '1' } }; // no span is serialised here

/** Written to the kernel log, from which a daemon that starts again reads all of it again. */
export const FAULTS = [
  ['gpu.lost', 'gpu/0000:1b:00.0'],
  ['gpu.memory.dbe', 'gpu/0000:1b:00.0'],
  ['gpu.app_fault', 'gpu/0000:43:00.0'],
  ['host.oom', 'process/4711'],
  ['job.rank_crashed', 'rank/ddp/0'],
  ['job.collective_timeout', 'rank/ddp/1'],
  ['gpu.reset', 'gpu/0000:1b:00.0'],
] as const;
/** Polled: begin and end, and are found again by a daemon that starts while they last. */
export const STATES = [
  ['gpu.power_brake', 'gpu/0000:1b:00.0'],
  ['gpu.power_brake', 'gpu/0000:43:00.0'],
  ['gpu.thermal_throttle', 'gpu/0000:43:00.0'],
  ['psu.input_lost', 'psu/node-3/1'],
  ['job.throughput_drop', 'job/ddp'],
  ['host.maintenance', 'gpu/0000:43:00.0'],
] as const;

export type Step =
  | { readonly do: 'fault' | 'turn'; readonly which: number; readonly lateMs: number }
  | { readonly do: 'wait'; readonly ms: number }
  /** From now until time passes the spool does not get what is written to the log. */
  | { readonly do: 'lag' }
  | { readonly do: 'kill' | 'stop'; readonly awayMs: number };

function place(text: string): Component {
  const component = parseComponent(text);
  if (component === null) throw new Error(text);
  return component;
}

export class IncidentWorld {
  /** Every revision that was written, in order. */
  readonly log: Incident[] = [];
  readonly spans: Span[] = [];
  /** What the API shows of incidents. */
  recent = new Recent();
  nowMs = T0;
  /** Spool and its journal: what went out, and how much of the log was reported. */
  readonly #sent = new Map<string, Set<string>>();
  #reported = 0;
  #lags = false;
  readonly #remembered: number;
  readonly #kernelLog: EventInput[] = [];
  readonly #lasting = new Set<number>();
  #sequence = 0;
  #core: NativeCore;
  #pipeline: Pipeline;
  #book: TraceBook;

  /** `remembered`: how many resolved incidents a daemon that starts takes from the log. */
  constructor(remembered: number) {
    this.#remembered = remembered;
    [this.#core, this.#pipeline, this.#book] = this.#start();
  }

  take(step: Step): void {
    switch (step.do) {
      case 'fault':
        this.#fault(step.which, step.lateMs);
        break;
      case 'turn':
        this.#turn(step.which, step.lateMs);
        break;
      case 'wait':
        this.wait(step.ms);
        break;
      case 'lag':
        this.#lags = true;
        break;
      case 'stop':
        this.#pipeline.reportWaiting();
        this.catchUp();
        this.#again(step.awayMs);
        break;
      case 'kill':
        this.#again(step.awayMs);
    }
  }

  /** Lets time pass, as the daemon's own pace does. */
  wait(ms: number, stepMs = STEP_MS): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs = Math.min(this.nowMs + stepMs, endMs);
      this.#pipeline.advance(this.nowMs);
      this.catchUp();
      this.#send(this.#book.due());
    }
  }

  /** All that lasts ends, and as much time passes as any of it is remembered. */
  end(): void {
    for (const which of [...this.#lasting]) this.#turn(which, 0);
    for (const gpu of ['gpu/0000:1b:00.0', 'gpu/0000:43:00.0']) this.#kernel('gpu.reset', gpu, 0);
    this.wait(60_000);
    this.#pipeline.resolveStale(this.nowMs);
    this.wait(2 * 86_400_000, 600_000);
    this.close();
  }

  close(): void {
    this.#core.close();
  }

  /** Newest revision of each incident. */
  newest(): Map<string, Incident> {
    const newest = new Map<string, Incident>();
    for (const incident of this.log) {
      newest.delete(incident.id);
      newest.set(incident.id, incident);
    }
    return newest;
  }

  #again(awayMs: number): void {
    this.#core.close();
    this.#lags = false;
    this.nowMs += awayMs;
    this.recent = new Recent();
    [this.#core, this.#pipeline, this.#book] = this.#start();
    for (const input of this.#kernelLog) this.#pipeline.event({ ...input, observedMs: this.nowMs });
    for (const which of this.#lasting) this.#onset(which, 0);
  }

  #start(): [NativeCore, Pipeline, TraceBook] {
    const read = [...this.newest().values()].map(reread);
    const restored = read.filter(({ state }) => state === 'open');
    const closed = read.filter(({ state }) => state === 'resolved').slice(-this.#remembered);
    const core = new (native().Core)({ historySeconds: 10, maxSeries: 16 });
    for (const incident of restored) this.recent.incident(incident);
    const sent = new Map(this.#sent);
    const book = new TraceBook({ origin: ORIGIN, ratio: 1, now: () => this.nowMs, settleMs: 20_000, sent });
    const untold = this.log.slice(this.#reported).map(reread);
    const waits = new Set(untold.map(({ id }) => id));
    for (const incident of [...restored, ...closed]) if (!waits.has(incident.id)) book.restore(incident);
    for (const incident of untold) this.#send(book.incident(incident), book);
    this.#reported = this.log.length;
    const pipeline = new Pipeline({
      host: 'node-3',
      core,
      latenessMs: LATENESS_MS,
      holdMs: HOLD_MS,
      links: [],
      restored,
      closed,
      past: read.flatMap(({ resolvedMs, ...life }) => (resolvedMs === null ? [] : [{ ...life, resolvedMs }])),
      now: () => this.nowMs,
      onEvent: (event) => book.event(event),
      onIncident: (incident) => {
        this.log.push(incident);
        this.recent.incident(incident);
        if (this.#lags) return;
        this.#send(book.incident(incident), book);
        this.#reported = this.log.length;
      },
    });
    return [core, pipeline, book];
  }

  /** The spool gets what waits for it. */
  catchUp(): void {
    this.#lags = false;
    for (const incident of this.log.slice(this.#reported)) this.#send(this.#book.incident(incident));
    this.#reported = this.log.length;
  }

  #send(spans: readonly Span[], book = this.#book): void {
    this.spans.push(...spans);
    for (const { incidentId, part } of book.takeUnnoted(Number.POSITIVE_INFINITY)) {
      this.#sent.set(incidentId, (this.#sent.get(incidentId) ?? new Set()).add(part));
    }
  }

  #fault(which: number, lateMs: number): void {
    const [kind, at] = FAULTS[which % FAULTS.length] ?? FAULTS[0];
    this.#kernel(kind, at, lateMs);
  }

  #kernel(kind: Kind, at: string, lateMs: number): void {
    this.#sequence += 1;
    const input: EventInput = {
      kind,
      component: place(at),
      timeMs: this.nowMs - lateMs,
      observedMs: this.nowMs,
      trust: 'kernel',
      source: 'kernel-log',
      discriminator: this.#sequence,
    };
    this.#kernelLog.push(input);
    this.#pipeline.event(input);
  }

  #turn(which: number, lateMs: number): void {
    const index = which % STATES.length;
    if (!this.#lasting.has(index)) {
      this.#lasting.add(index);
      this.#onset(index, lateMs);
      return;
    }
    this.#lasting.delete(index);
    this.#pipeline.event(this.#state(index, 'clear', 0));
  }

  #onset(index: number, lateMs: number): void {
    this.#pipeline.event(this.#state(index, 'onset', lateMs));
  }

  #state(index: number, state: 'onset' | 'clear', lateMs: number): EventInput {
    const [kind, at] = STATES[index] ?? STATES[0];
    const source = kind === 'host.maintenance' ? 'maintenance' : kind === 'job.throughput_drop' ? 'job-log' : 'gpu';
    const trust = source === 'job-log' ? 'tenant' : 'driver';
    return { kind, component: place(at), timeMs: this.nowMs - lateMs, observedMs: this.nowMs, trust, state, source };
  }
}

/** As it comes back from the log. */
function reread(incident: Incident): Incident {
  const read = incidentFromDocument(JSON.parse(JSON.stringify(wholeIncidentToDocument(incident))));
  if (read === null) throw new Error(`${incident.id} cannot be read back`);
  return incident.state === 'open' ? read : { ...read, events: [] };
}

/** What an incident is about: kind and place of each link. */
export function subjects({ chain }: Incident): Set<string> {
  return new Set(chain.map(({ kind, component }) => `${kind} ${component === null ? '?' : componentText(component)}`));
}
