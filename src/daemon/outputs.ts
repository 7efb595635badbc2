// Outputs: the sinks, what they are fed once a second, and what machines ask it over HTTP.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { noRequests } from '../api/answer.ts';
import { ProbeListener } from '../api/probe-listener.ts';
import type { ProbeBackend } from '../api/probes.ts';
import type { ApiCounters } from '../api/route.ts';
import { errorCode } from '../helpers/error-code.ts';
import type { WorkView } from '../identity/work/work.ts';
import type { IncidentLog } from '../incidents/log/incident-log.ts';
import type { Loaded } from '../incidents/log/load.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import type { Discovery } from '../model/record.ts';
import type { SentNotification } from '../model/sent-notification.ts';
import type { OnWork } from '../model/work.ts';
import type { Aggregates, NativeCore } from '../native.ts';
import type { SinkContext } from '../sinks/define-sink.ts';
import { createSinks } from '../sinks/index.ts';
import type { SinkHealth } from '../sinks/sink.ts';
import { SinkSet } from '../sinks/sink-set.ts';
import { LabelBook } from '../sinks/work/label-book.ts';
import type { Source } from '../sources/source.ts';
import type { Config } from './config.ts';

const SERIES_MS = 1_000;
/** What the pipeline hands over while the sinks change, which takes two seconds at most. */
const MOST_HELD = 4096;

export interface OutputsOptions {
  readonly config: Config;
  readonly version: string;
  readonly core: NativeCore;
  readonly restored: readonly Incident[];
  /** The newest incidents of earlier runs, open or not, those that changed last at the end. */
  readonly known: readonly Incident[];
  /** Where the incident log holds a revision; null where that is not known. */
  readonly placeOf?: Loaded['placeOf'];
  readonly log: IncidentLog;
  readonly silenced: SinkContext['silenced'];
  readonly said: SinkContext['said'];
  readonly acted: SinkContext['acted'];
  readonly releaseDevices: SinkContext['releaseDevices'];
  /** For whom the devices of this host work now; the same object while nothing changed. */
  readonly work: () => WorkView;
  /** Null until they were started. */
  readonly sources: () => readonly Source[] | null;
  /** Why no client can connect to the local socket; null while clients can. */
  readonly apiTrouble: () => string | null;
  /** What the local socket counted; null until it is there. */
  readonly apiCounters: () => Readonly<ApiCounters> | null;
  /** Aborted when the daemon begins to stop. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Also wants the aggregates of every second; null where only the sinks do. */
  readonly onAggregates: ((aggregates: Aggregates) => void) | null;
}

export class Outputs implements ProbeBackend {
  readonly #options: OutputsOptions;
  readonly #labels = new LabelBook();
  readonly #startedMs: number;
  #sinks: SinkSet;
  #takesWork: OnWork = null;
  #onWork: OnWork = null;
  #config: Config;
  #listener: ProbeListener | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** What came while the sinks change; null while they do not. */
  #held: ((sinks: SinkSet) => void)[] | null = null;

  private constructor(options: OutputsOptions) {
    this.#options = options;
    this.#config = options.config;
    this.#sinks = new SinkSet([], options.core);
    this.#startedMs = options.core.now();
  }

  /** Starts the sinks that the configuration asks for; what is off opens no socket and no timer. */
  static async start({ restored, known, placeOf, ...options }: OutputsOptions): Promise<Outputs> {
    // What an earlier run left would stay in memory for good.
    const outputs = new Outputs({ ...options, restored: [], known: [], placeOf: () => null });
    const { config } = options;
    await outputs.#begin(config, { restored, known, ...(placeOf === undefined ? {} : { placeOf }) });
    if (outputs.#takesWork !== null) outputs.#onWork = (work) => outputs.#takesWork?.(work);
    return outputs;
  }

  /** Takes what the daemon did on incidents; null where no sink wanted it at the start, and then nothing is to be measured. */
  get onWork(): OnWork {
    return this.#onWork;
  }

  /** A sink wants what is not measured in this run. */
  get lacksWork(): boolean {
    return this.#takesWork !== null && this.#onWork === null;
  }

  /**
   * Ends the sinks, which flush, and starts those that this configuration asks for. What comes meanwhile is handed to them after that.
   * `known`: the newest incidents of this run, those that changed last at the end. Rejects where they cannot be made: then those of
   * before run again.
   */
  async replace(config: Config, known: readonly Incident[]): Promise<void> {
    this.#held = [];
    try {
      await this.stop();
      const left = { restored: known.filter(({ state }) => state !== 'resolved'), known };
      try {
        await this.#begin(config, left);
        this.#config = config;
      } catch (error) {
        await this.stop();
        await this.#begin(this.#config, left);
        throw error;
      }
    } finally {
      const held = this.#held;
      this.#held = null;
      for (const each of held) each(this.#sinks);
    }
  }

  async #begin(config: Config, left: Pick<OutputsOptions, 'restored' | 'known' | 'placeOf'>): Promise<void> {
    const { log, sources, logger, onAggregates, apiCounters, signal } = this.#options;
    const servers = () => ({
      local: apiCounters() ?? noRequests(),
      ...(this.#listener === null ? {} : { probes: this.#listener.counters }),
    });
    const labels = this.#labels;
    const own = { ...this.#options, ...left, sources: () => sources() ?? [], log: () => log.counts(), servers, labels };
    this.#sinks = await createSinks(config, own);
    this.#takesWork = this.#sinks.onWork();
    this.#sinks.start(signal);
    if (this.#sinks.wantsSeries || onAggregates !== null)
      this.#timer = setInterval(() => this.#everySecond(), SERIES_MS);
    const { listen } = this.#sinks;
    if (listen === null) return;
    const onTrouble = (code: string, detail: string) => logger.warn({ code }, `${code} ${detail}`);
    this.#listener = new ProbeListener(this, { ...listen, onTrouble });
    await this.#listener.start();
  }

  event(event: FaultEvent): void {
    this.#hand((sinks) => sinks.event(event));
  }

  /** To be called when the incident was written, or is marked as not written. */
  incident(incident: Incident): void {
    this.#hand((sinks) => sinks.incident(incident));
  }

  /** What this host knows of a job's flight-recorder dumps, for whoever joins the hosts. */
  readonly onSummary = (job: string, summary: string, timeMs: number): void => {
    this.#hand((sinks) => sinks.summary(job, summary, timeMs));
  };

  discovery(discovery: Discovery): void {
    this.#hand((sinks) => sinks.discovery(discovery));
  }

  sendsTrace(traceId: string): boolean {
    return this.#sinks.sendsTrace(traceId);
  }

  notifications(): readonly SentNotification[] {
    return this.#sinks.notifications();
  }

  health(): readonly SinkHealth[] {
    return this.#sinks.health();
  }

  metrics(accept: string | undefined): ReturnType<ProbeBackend['metrics']> {
    return this.#sinks.scrape?.(accept) ?? null;
  }

  uptimeSeconds(): number {
    return (this.#options.core.now() - this.#startedMs) / 1000;
  }

  async notReady(): Promise<readonly string[]> {
    const { signal, sources, log, config, apiTrouble } = this.#options;
    const reasons: string[] = [];
    if (signal.aborted) reasons.push('the daemon is stopping');
    if (sources() === null) reasons.push('the sources are not started yet');
    for (const { source, unready, detail } of (sources() ?? []).flatMap((each) => each.health())) {
      if (unready === true) reasons.push(`${source}: ${detail}`);
    }
    const unreachable = apiTrouble();
    if (unreachable !== null) reasons.push(unreachable);
    const trouble = log.trouble();
    if (trouble !== null) reasons.push(`the incident log is not written: ${trouble}`);
    else {
      const { log: folder } = config.directories;
      if (!(await isWritable(folder))) reasons.push(`${folder} cannot be written`);
    }
    return reasons;
  }

  /** Bounded by what each sink bounds itself to. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    const listener = this.#listener;
    this.#listener = null;
    await Promise.all([listener?.close(), this.#sinks.stop()]);
  }

  #hand(take: (sinks: SinkSet) => void): void {
    if (this.#held === null) take(this.#sinks);
    else if (this.#held.length < MOST_HELD) this.#held.push(take);
  }

  #everySecond(): void {
    this.#labels.take(this.#options.work());
    const aggregates = this.#options.core.aggregates();
    this.#options.onAggregates?.(aggregates);
    this.#sinks.series(aggregates);
  }
}

/** Whether files can be put there; a folder that is not there yet can be made where its parent can be written. */
async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    return true;
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT';
    return missing && folder !== dirname(folder) ? isWritable(dirname(folder)) : false;
  }
}
