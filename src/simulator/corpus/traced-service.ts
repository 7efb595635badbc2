// A service in an accuracy run that sends its requests over OTLP: as JSON, through the receiver's own decoder and windows.

import { Services } from '../../sources/otlp-in/impact/services.ts';
import { TakeMetrics } from '../../sources/otlp-in/impact/take-metrics.ts';
import { takeTraces } from '../../sources/otlp-in/impact/take-traces.ts';
import { readJson } from '../../sources/otlp-in/wire/read-json.ts';
import { METRICS, TRACES } from '../../sources/otlp-in/wire/shapes.ts';
import type { Sender } from '../../sources/sender.ts';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedTraced } from '../scenario/world.ts';
import { type Actor, inForce, poll, type Stage, wallAheadMs } from './stage.ts';

const SOURCE = 'otlp-in';
/** OTEL_BSP_SCHEDULE_DELAY and OTEL_METRIC_EXPORT_INTERVAL. */
const SEND_EVERY_MS = { spans: 5000, metrics: 60_000 } as const;
/** What is in force when requests end is what they were like: so far apart at most. */
const SERVE_EVERY_MS = 500;
/** Of the logarithm: most requests take from half to twice as long as the middle one. */
const SPREAD = 0.35;
/** How many come differs from second to second. */
const UNEVEN = 0.1;
/** Of http.server.request.duration, s. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const SERVER = 2;
const ERROR = 2;
const CUMULATIVE = 2;
/** Where it runs is in `world.runs`. */
const NO_WORK = { version: 0, works: [], devices: [], conflicts: [] };

interface Request {
  readonly endMs: number;
  readonly durationMs: number;
  readonly failed: boolean;
}

/** Of the host, run by root. */
const COLLECTOR: Sender = { name: 'uid-0', uid: 0 };

export class TracedService implements Actor {
  readonly #stage: Stage;
  readonly #service: PlannedTraced;
  readonly #random: RandomStream;
  /** Of requests that end between two looks, what is not a whole one yet. */
  #rest = 0;
  /** Ended, and not sent yet. */
  #waiting: Request[] = [];
  /** Histograms since the service began, by whether the requests failed. */
  readonly #counts = new Map([false, true].map((failed) => [failed, new Array<number>(BOUNDS.length + 1).fill(0)]));
  #startMs = 0;
  #services: Services;
  #metrics: TakeMetrics;

  constructor(stage: Stage, service: PlannedTraced) {
    this.#stage = stage;
    this.#service = service;
    this.#random = stage.random(`traced ${service.name}`);
    [this.#services, this.#metrics] = this.#receiver();
  }

  start(): void {
    this.#startMs = this.#stage.now();
    const { name, sends } = this.#service;
    poll(this.#stage, `traced ${name}`, SERVE_EVERY_MS, (nowMs) => void this.#waiting.push(...this.#served(nowMs)));
    poll(this.#stage, `sent ${name}`, SEND_EVERY_MS[sends], () => this.#send());
  }

  restart(): void {
    this.#services.stop();
    [this.#services, this.#metrics] = this.#receiver();
  }

  stop(): void {
    this.#services.stop();
  }

  #receiver(): [Services, TakeMetrics] {
    const { emit, clock, plan } = this.#stage;
    const services = new Services({
      source: SOURCE,
      host: plan.world.host.name,
      mostServices: 64,
      now: () => this.#wall(),
      steady: (wallMs) => wallMs - wallAheadMs(this.#stage),
      view: () => NO_WORK,
      emit,
      repeat: (periodMs, work) => clock.every(periodMs, work),
    });
    return [services, new TakeMetrics(services)];
  }

  #wall(): number {
    return this.#stage.now() + wallAheadMs(this.#stage);
  }

  #send(): void {
    const requests = this.#waiting.splice(0);
    const wallMs = this.#wall();
    if (this.#service.sends === 'metrics') {
      const message = this.#histogram(requests, wallMs);
      this.#metrics.take(readJson(bytes(message), METRICS), wallMs, COLLECTOR);
    } else if (requests.length > 0)
      takeTraces(readJson(bytes(this.#spans(requests)), TRACES), this.#services, wallMs, COLLECTOR);
  }

  /** What ended since the last look. */
  #served(nowMs: number): Request[] {
    const { perSecond, latencyMs, failing: usual, name } = this.#service;
    const changes = inForce(this.#stage.inForce, 'requests').filter(({ service }) => service === name);
    const rate = changes.reduce((product, { rate: factor = 1 }) => product * factor, perSecond);
    const failing = changes.findLast((change) => change.failing !== undefined)?.failing ?? usual;
    const due = this.#rest + (jitter(this.#random, rate, UNEVEN) * SERVE_EVERY_MS) / 1000;
    this.#rest = due % 1;
    const ahead = wallAheadMs(this.#stage);
    return Array.from({ length: Math.floor(due) }, () => {
      let durationMs = latencyMs * Math.exp(SPREAD * gaussian(this.#random));
      for (const { slower = 1, share = 1 } of changes) if (this.#random() < share) durationMs *= slower;
      const failed = this.#random() < failing;
      return { endMs: nowMs + ahead - this.#random() * SERVE_EVERY_MS, durationMs, failed };
    });
  }

  #spans(requests: readonly Request[]): object {
    const spans = requests.map(({ endMs, durationMs, failed }) => ({
      traceId: this.#id(4),
      spanId: this.#id(2),
      kind: SERVER,
      name: 'POST /v1/completions',
      startTimeUnixNano: nanos(endMs - durationMs),
      endTimeUnixNano: nanos(endMs),
      status: failed ? { code: ERROR } : {},
    }));
    return { resourceSpans: [{ resource: this.#resource, scopeSpans: [{ spans }] }] };
  }

  #histogram(requests: readonly Request[], wallMs: number): object {
    for (const { durationMs, failed } of requests) {
      const bucket = BOUNDS.findIndex((bound) => durationMs / 1000 <= bound);
      const counts = this.#counts.get(failed) ?? [];
      const at = bucket < 0 ? BOUNDS.length : bucket;
      counts[at] = (counts[at] ?? 0) + 1;
    }
    const dataPoints = [...this.#counts].map(([failed, counts]) => ({
      startTimeUnixNano: nanos(this.#startMs),
      timeUnixNano: nanos(wallMs),
      count: String(counts.reduce((sum, count) => sum + count, 0)),
      bucketCounts: counts.map(String),
      explicitBounds: BOUNDS,
      attributes: [{ key: 'http.response.status_code', value: { intValue: failed ? '500' : '200' } }],
    }));
    const histogram = { aggregationTemporality: CUMULATIVE, dataPoints };
    const metrics = [{ name: 'http.server.request.duration', unit: 's', histogram }];
    return { resourceMetrics: [{ resource: this.#resource, scopeMetrics: [{ metrics }] }] };
  }

  get #resource(): object {
    return { attributes: [{ key: 'service.name', value: { stringValue: this.#service.name } }] };
  }

  /** Hex of so many words of 32 bits, not zero. */
  #id(words: number): string {
    return Array.from({ length: words }, () =>
      Math.floor(1 + this.#random() * 0xfffffffe)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
  }
}

function bytes(message: object): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

function nanos(ms: number): string {
  return `${Math.floor(ms)}${String(Math.floor((ms % 1) * 1e6)).padStart(6, '0')}`;
}

/** Box and Muller. */
function gaussian(random: RandomStream): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
