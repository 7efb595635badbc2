// Injection: made-up faults on root's request, on a pipeline of their own, so that nothing of them ever meets what is real.

import { ApiError } from '../api/api-error.ts';
import type { InjectTaken } from '../api/backend.ts';
import { type Caller, callerDocument, callerText } from '../api/caller.ts';
import { type InjectRequest, mayInject, readInject } from '../api/inject-request.ts';
import { componentFor, xidText } from '../api/inject-target.ts';
import { decodeKernelLine, kernelContext } from '../detection/text/kernel.ts';
import { hasRoom } from '../helpers/has-room.ts';
import { IncidentBook } from '../incidents/lifecycle.ts';
import { type Component, componentText } from '../model/component.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import type { Discovery, TextRecord } from '../model/record.ts';
import { type NativeCore, native } from '../native.ts';
import type { Config } from './config.ts';
import { Pipeline } from './pipeline.ts';

/** Devices of a large host with all their links; bounds what is kept for the day that an operator injects. */
const MOST_COMPONENTS = 4096;
const MOST_A_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Nothing is sampled in this pipeline: its detectors have no series. */
const CORE = { historySeconds: 10, maxSeries: 64 };

export interface InjectionOptions {
  readonly config: Pick<Config, 'host' | 'inject' | 'correlation' | 'topology'>;
  /** The steady clock, epoch ms. */
  readonly now: () => number;
  readonly watches: (source: string) => boolean;
  readonly onEvent: (event: FaultEvent) => void;
  readonly onIncident: (incident: Incident) => void;
  readonly log: (fields: object, text: string) => void;
}

interface Running {
  readonly pipeline: Pipeline;
  readonly core: NativeCore;
}

export class Injection {
  readonly #options: InjectionOptions;
  /** What the real line learned of this host, so that devices have the names here that they have there. */
  readonly #known = new Map<string, Discovery>();
  /** Null while nothing is injected: the daemon of every day does not pay for this. */
  #running: Running | null = null;
  #timer: NodeJS.Timeout | null = null;
  #endsMs = 0;
  #sequence = 0;
  #minuteMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #events: FaultEvent[] = [];
  #incidents: Incident[] = [];

  constructor(options: InjectionOptions) {
    this.#options = options;
  }

  discovery(discovery: Discovery): void {
    if (!this.#options.config.inject) return;
    const key = componentText(discovery.component);
    if (!hasRoom(this.#known, key, MOST_COMPONENTS)) return;
    this.#known.set(key, discovery);
    this.#running?.pipeline.discovery(discovery);
  }

  advance(nowMs: number): void {
    this.#running?.pipeline.advance(nowMs);
  }

  /** Throws an ApiError for who may not ask, and for what cannot be injected. */
  take(body: unknown, caller: Caller | null, own = process.geteuid?.() ?? null): InjectTaken {
    mayInject(caller, this.#options.config.inject, own);
    const request = readInject(body);
    this.#limit();
    this.#events = [];
    this.#incidents = [];
    const before = this.#running === null ? null : this.#endsMs;
    const notes = this.#do(request);
    if (request.what !== 'end' && before !== null && before > this.#options.now() + request.forMs + 1000)
      notes.push('something else that was injected stands for longer: all of it ends together, with that one');
    const kinds = this.#events.map(({ kind }) => kind);
    const fields = { injected: request.what, kinds, asked_by: callerDocument(caller) };
    const did = request.what === 'end' ? 'ended what was injected' : 'injected a fault: nothing real is behind it';
    this.#options.log(fields, `${callerText(caller)} ${did}`);
    const reported = { events: this.#events, incidents: this.#incidents, endsMs: this.#endsMs, notes };
    this.#events = [];
    this.#incidents = [];
    return reported;
  }

  /** Everything that was injected is over. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const running = this.#running;
    if (running === null) return;
    running.pipeline.resolveOpen(this.#options.now());
    this.#running = null;
    running.core.close();
  }

  /** Nothing that was injected outlives the daemon that it was injected into, a crash included. */
  endRestored(restored: readonly Incident[]): void {
    const injected = restored.filter(({ made }) => made === 'injected');
    const book = new IncidentBook(this.#options.config.host, injected);
    for (const { id } of injected) {
      const ended = book.resolve(id, this.#options.now());
      if (ended !== null) this.#options.onIncident(ended);
    }
  }

  #do(request: InjectRequest): string[] {
    if (request.what === 'end') {
      this.end();
      return [];
    }
    const known = [...this.#known.values()].map(({ component }) => component);
    if (request.what === 'event') {
      const component = componentFor(request.kind, request.component, known, this.#options.config.host);
      this.#event(request, component);
      return isKnown(component, known) ? [] : [unknownNote(component)];
    }
    if (request.what === 'kernel-line') {
      this.#line(request.text, request.forMs);
      return [];
    }
    const gpu = componentFor('gpu.lost', request.gpu, known, this.#options.config.host);
    this.#line(xidText(gpu, request.xid), request.forMs);
    return isKnown(gpu, known) ? [] : [unknownNote(gpu)];
  }

  #event({ kind, forMs }: Extract<InjectRequest, { what: 'event' }>, component: Component): void {
    const nowMs = this.#options.now();
    this.#start(forMs).event({
      kind,
      component,
      timeMs: nowMs,
      observedMs: nowMs,
      trust: 'system',
      state: 'onset',
      source: 'inject',
      evidence: [{ source: 'inject', timeMs: nowMs, text: `faultline inject ${kind}` }],
      discriminator: this.#next(),
    });
  }

  /** As if the kernel had written it: through the same decoders, on their own. */
  #line(text: string, forMs: number): void {
    const nowMs = this.#options.now();
    const record: TextRecord = {
      source: 'kernel-log',
      trust: 'kernel',
      stream: 'faultline inject',
      position: this.#next(),
      timeMs: nowMs,
      timeDigits: 6,
      observedMs: nowMs,
      text,
      attributes: { priority: 4, facility: 0 },
    };
    if (decodeKernelLine(record, kernelContext(this.#options.config.host)).length === 0) {
      throw new ApiError(
        422,
        'FL3413',
        'no decoder knows this line: from the kernel as well it would mean nothing. Write the whole text behind the time stamp, as dmesg shows it',
      );
    }
    this.#start(forMs).text(record);
  }

  #start(forMs: number): Pipeline {
    const nowMs = this.#options.now();
    this.#running ??= this.#make();
    this.#endsMs = Math.max(this.#endsMs, nowMs + forMs);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), this.#endsMs - nowMs).unref();
    return this.#running.pipeline;
  }

  #make(): Running {
    const { config, now, watches, onEvent, onIncident } = this.#options;
    const core = new (native().Core)(CORE);
    const pipeline = new Pipeline({
      host: config.host,
      core,
      ...config.correlation,
      links: config.topology.links,
      made: 'injected',
      now,
      watches,
      onEvent: (event) => {
        this.#events.push(event);
        onEvent(event);
      },
      onIncident: (incident) => {
        this.#incidents.push(incident);
        onIncident(incident);
      },
    });
    core.onWake(() => pipeline.drain());
    for (const discovery of this.#known.values()) pipeline.discovery(discovery);
    this.#endsMs = 0;
    return { pipeline, core };
  }

  #next(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** So that a script that went wrong cannot roll the incidents out of the log. */
  #limit(): void {
    const nowMs = this.#options.now();
    if (nowMs - this.#minuteMs >= MINUTE_MS) {
      this.#minuteMs = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= MOST_A_MINUTE) return;
    throw new ApiError(429, 'FL3415', `more than ${MOST_A_MINUTE} faults were injected within a minute. Wait a minute`);
  }
}

function isKnown(component: Component, known: readonly Component[]): boolean {
  return component.type === 'host' || known.some((each) => componentText(each) === componentText(component));
}

function unknownNote(component: Component): string {
  return `${componentText(component)} is not known on this host: the incident names it by its address alone`;
}
