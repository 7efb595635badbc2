// Decodes the log lines of one inference service: its load, and what each request gets against what is usual at that load.

import catalog from '#catalog/detectors.json' with { type: 'json' };
import { type Component, componentText } from '../../model/component.ts';
import { seriesKey } from '../../model/reading.ts';
import type { EventInput, SampleBatch, TextRecord } from '../../model/record.ts';
import { WallTimes } from '../../model/wall-times.ts';
import { carried } from './carried.ts';
import { lineEvidence } from './evidence.ts';
import { stripAnsi } from './job/ansi.ts';
import { componentOf } from './job/fault/fault-event.ts';
import { lineTime, readPrefix } from './job/prefix.ts';
import { LEAST_RUNNING, type Load, LoadBaseline } from './service/load-baseline.ts';
import { ServerFaults } from './service/server-faults.ts';
import { parseServerFigures } from './service/server-figures.ts';
import { isServerStart, parsePromptLine, parseServerLine, type ServerLine } from './service/server-line.ts';
import { streamPlace } from './stream-place.ts';

const MAX_LINE = 2048;
const MAX_ENGINES = 64;
/** Lines that come closer together are taken together: vLLM writes every 10 s, SGLang every few decode steps. */
const TOGETHER_MS = 9000;
/** An engine that has printed nothing for so long is left out. */
const RECENT_MS = 30_000;

interface Engine {
  readonly baseline: LoadBaseline;
  pending: ServerLine[];
  tookMs: number;
  /** Tokens per second that it last printed, and when. */
  readonly rates: Map<'generation' | 'prompt', { readonly timeMs: number; readonly value: number }>;
  /** What it last printed, against what is usual; null where that is not known. */
  last: { readonly timeMs: number; readonly running: number; readonly now: number; readonly usual: number } | null;
}

export class ServiceLineDecoder {
  readonly component: Component;
  readonly #engines = new Map<number, Engine>();
  #slow: number | null = null;

  readonly #faults = new ServerFaults();
  readonly #wall: WallTimes;

  constructor(service: string, wall = new WallTimes()) {
    this.#wall = wall;
    this.component = { type: 'service', id: service };
  }

  /** Samples of the service; null for lines that report nothing of its load. */
  decode(record: TextRecord): SampleBatch | null {
    const text = stripAnsi(record.text.slice(0, MAX_LINE));
    if (isServerStart(text)) this.#engines.clear();
    const line = parseServerLine(text);
    if (line === null) return this.#others(record, text);
    const history = record.attributes.history === true;
    const timeMs = this.#timeOf(record, text);
    const engine = this.#engine(line.engine);
    if (engine === null) return null;
    rate(engine, 'generation', timeMs, line.generation);
    rate(engine, 'prompt', timeMs, line.prompt);
    engine.pending.push(line);
    if (!history && timeMs - engine.tookMs < TOGETHER_MS && engine.pending.length < MAX_ENGINES) return null;
    const lines = engine.pending;
    engine.pending = [];
    engine.tookMs = timeMs;
    const load = loadOf(lines);
    const usual = engine.baseline.usual(load);
    engine.last = usual === null ? null : { timeMs, running: load.running, now: load.perRequest, usual };
    return history ? null : this.#samples(record.source, timeMs, lines, load.running);
  }

  /** Lines of what is read in, and single figures. */
  #others(record: TextRecord, text: string): SampleBatch | null {
    if (record.attributes.history === true) return null;
    const prompts = parsePromptLine(text);
    const figures = prompts === null ? parseServerFigures(text) : [];
    if (prompts === null && figures.length === 0) return null;
    const timeMs = this.#timeOf(record, text);
    if (prompts === null) {
      const known = figures.map(({ quantity, value }) => [quantity, value] as const);
      return batchOf(this.component, record.source, timeMs, known);
    }
    const engine = this.#engine(prompts.engine);
    if (engine !== null) rate(engine, 'prompt', timeMs, prompts.prompt);
    return null;
  }

  #timeOf(record: TextRecord, text: string): number {
    return record.timeMs ?? lineTime(readPrefix(text), record.observedMs, this.#wall).timeMs;
  }

  /** The next lines count, whatever words they have. */
  get attends(): boolean {
    return this.#faults.open;
  }

  /** What the line reports of an engine or a worker that is gone; null for nearly every line. */
  fault(record: TextRecord, host: string): EventInput | null {
    const text = stripAnsi(record.text.slice(0, MAX_LINE));
    const fault = this.#faults.line(text);
    if (fault === null) return null;
    const known = record.timeMs === null ? lineTime(readPrefix(text), record.observedMs, this.#wall) : null;
    return {
      kind: fault.kind,
      component: componentOf({ ...fault, rank: null }, this.component, host),
      timeMs: known?.timeMs ?? record.timeMs ?? record.observedMs,
      timeDigits: known?.digits ?? record.timeDigits,
      observedMs: record.observedMs,
      trust: 'tenant',
      source: record.source,
      attributes: { ...carried(record), ...fault.attributes },
      evidence: [lineEvidence(record)],
      discriminator: streamPlace(record),
    };
  }

  #samples(source: string, timeMs: number, lines: readonly ServerLine[], running: number): SampleBatch {
    const judged = this.#judged(timeMs);
    this.#slow = judged === null ? this.#slow : judged.now < SLOW.clear * judged.usual ? judged.usual : null;
    // No load is left: what was slow is over with its requests.
    const over = running < LEAST_RUNNING && this.#slow !== null ? { now: this.#slow, usual: this.#slow } : null;
    const speed = judged ?? over;
    const measured: readonly (readonly [string, number | null])[] = [
      ['running_requests', running],
      ['waiting_requests', mean(lines.map(({ waiting }) => waiting))],
      ['kv_cache_usage', mean(lines.map(({ cacheUsage }) => cacheUsage))],
      ['prefix_cache_hit_ratio', mean(lines.map(({ prefixHits }) => prefixHits))],
      ['generation_tokens_per_second', this.#rate('generation', timeMs)],
      ['prompt_tokens_per_second', this.#rate('prompt', timeMs)],
      ['usual_tokens_per_second_per_request', speed?.usual ?? null],
      ['tokens_per_second_per_request', speed?.now ?? null],
    ];
    const known = measured.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
    return batchOf(this.component, source, timeMs, known);
  }

  /** Of all engines together; null where none printed it of late. */
  #rate(what: 'generation' | 'prompt', timeMs: number): number | null {
    const recent = [...this.#engines.values()]
      .map(({ rates }) => rates.get(what))
      .filter((last) => last !== undefined && timeMs - last.timeMs <= RECENT_MS);
    return recent.length === 0 ? null : recent.reduce((sum, last) => sum + (last?.value ?? 0), 0);
  }

  /** All engines together, each request counted once. */
  #judged(timeMs: number): { readonly now: number; readonly usual: number } | null {
    let [running, now, usual] = [0, 0, 0];
    for (const { last } of this.#engines.values()) {
      if (last === null || timeMs - last.timeMs > RECENT_MS) continue;
      running += last.running;
      now += last.running * last.now;
      usual += last.running * last.usual;
    }
    return running === 0 ? null : { now: now / running, usual: usual / running };
  }

  #engine(number: number): Engine | null {
    const known = this.#engines.get(number);
    if (known !== undefined) return known;
    if (this.#engines.size >= MAX_ENGINES) return null;
    const fresh = {
      baseline: new LoadBaseline(SLOW.limit),
      pending: [],
      rates: new Map(),
      tookMs: Number.NEGATIVE_INFINITY,
      last: null,
    };
    this.#engines.set(number, fresh);
    return fresh;
  }
}

/** The limits of the detector that judges these samples. */
const SLOW = ((): { readonly limit: number; readonly clear: number } => {
  const row = catalog.detectors.find(({ name }) => name === 'service-throughput');
  return { limit: row?.limit ?? 0, clear: row?.clear ?? 0 };
})();

function loadOf(lines: readonly ServerLine[]): Load {
  const running = mean(lines.map((line) => line.running)) ?? 0;
  const cache = mean(lines.map((line) => line.cacheUsage));
  return {
    running,
    perRequest: running === 0 ? 0 : (mean(lines.map((line) => line.generation)) ?? 0) / running,
    context: cache === null || running === 0 ? null : cache / running,
    prompt: mean(lines.map((line) => line.prompt)),
  };
}

function rate(engine: Engine, what: 'generation' | 'prompt', timeMs: number, value: number | null): void {
  if (value !== null) engine.rates.set(what, { timeMs, value });
}

function batchOf(
  component: Component,
  source: string,
  timeMs: number,
  known: readonly (readonly [quantity: string, value: number])[],
): SampleBatch {
  return {
    source,
    trust: 'tenant',
    keys: known.map(([quantity]) => seriesKey(componentText(component), quantity)),
    timesMs: known.map(() => timeMs),
    values: known.map(([, value]) => value),
  };
}

/** Of those that are known. */
function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
