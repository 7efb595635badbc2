// Agent: builds the line from the configuration, starts it, drains it, stops it.

import { join } from 'node:path';
import type { Logger } from 'pino';
import { type ApiServer, startApi } from '../api/api-server.ts';
import { foreignFiles, OwnFolders } from '../api/own-folders.ts';
import { Recent } from '../api/recent.ts';
import { ReleaseRequests } from '../api/release-requests.ts';
import { ServiceManager } from '../api/service-manager.ts';
import { prepareSocketPath } from '../api/socket-path.ts';
import { within } from '../helpers/within.ts';
import { Identity } from '../identity/identity.ts';
import { BlackBox } from '../incidents/black-box.ts';
import { CLOSED_PAGES } from '../incidents/lifecycle.ts';
import { AliveMark } from '../incidents/log/alive.ts';
import { IncidentLog } from '../incidents/log/incident-log.ts';
import { recover } from '../incidents/log/recover.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import { logContext, spanIdOf } from '../model/trace.ts';
import { type NativeCore, native } from '../native.ts';
import { Bulkhead } from '../sources/bulkhead.ts';
import { byStatus } from '../sources/by-status.ts';
import { createSources, type SourceSet, silenceMatters } from '../sources/index.ts';
import { recordBackground } from '../sources/recording/background.ts';
import type { Recorder } from '../sources/recording/recorder.ts';
import { startRecorder } from '../sources/recording/start-recorder.ts';
import type { SourceHealth } from '../sources/source.ts';
import type { Config } from './config.ts';
import { Pace } from './event-ticker.ts';
import { Injection } from './injection.ts';
import { People } from './operator-notes.ts';
import { RightEnd } from './outputs.ts';
import { Line } from './pipeline.ts';
import { RefusedNotices } from './refused-notices.ts';

/** What each part of the stop is given; what hangs is left behind. Sources promise to be done in a second. */
const STOP_PARTS_MS = { sources: 1_500, log: 1_200, outputs: 1_300 };
/** All of it. */
export const STOP_MS = Object.values(STOP_PARTS_MS).reduce((sum, ms) => sum + ms, 0);
/** How long an incident of an earlier run waits for a new sign of life. */
const STALE_MS = 600_000;
/** When start-up is over: code that only it runs, and memory that only it took, are let go of. */
const GIVE_BACK_MS = [20_000, 300_000];
/** Raw samples: five minutes, in the fixed memory of the native rings. */
const HISTORY_SECONDS = 300;
const MAX_SERIES = 16_384;
/** When the daemon's log says which sources work: by then each has looked once. */
const SOURCES_TOLD_MS = 10_000;

export interface AgentOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly version: string;
  /** A recording that cannot be made ends the start; otherwise it is told and the daemon goes on without. */
  readonly mustRecord?: boolean;
  /** The recording is open already, under this descriptor. */
  readonly recordTo?: number;
}

export class Agent {
  readonly #config: Config;
  readonly #logger: Logger;
  readonly #version: string;
  readonly #recordTo: number | undefined;
  readonly #core: NativeCore;
  readonly #identity: Identity;
  readonly #service = new ServiceManager(process.env);
  readonly #recent = new Recent();
  readonly #releases: ReleaseRequests;
  readonly #refused = new RefusedNotices((fields, text) => this.#logger.error(fields, text));
  readonly #abort = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #startedMs: number;
  #folders: OwnFolders | null = null;
  #log: IncidentLog | null = null;
  #alive: AliveMark | null = null;
  #api: ApiServer | null = null;
  #line: Line | null = null;
  #sources: SourceSet | null = null;
  #recorder: Recorder | null = null;
  #blackBox: BlackBox | null = null;
  #rightEnd: RightEnd | null = null;
  #people: People | null = null;
  readonly #pace: Pace;
  readonly #injection: Injection;
  readonly #bulkhead: Bulkhead;

  private constructor(options: AgentOptions) {
    this.#config = options.config;
    this.#logger = options.logger;
    this.#version = options.version;
    this.#recordTo = options.recordTo;
    this.#core = new (native().Core)({ historySeconds: HISTORY_SECONDS, maxSeries: MAX_SERIES });
    this.#identity = new Identity(options.config.host, { now: () => this.#core.now() });
    this.#startedMs = this.#core.now();
    this.#bulkhead = new Bulkhead({
      host: options.config.host,
      now: () => this.#core.now(),
      log: (fields, text) => this.#logger.error(fields, text),
      event: (event) => this.#line?.event(event),
    });
    this.#releases = new ReleaseRequests({
      host: options.config.host,
      release: (durationMs, traceparent) => this.#sources?.releaseDevices(durationMs, traceparent) ?? false,
      now: () => this.#core.now(),
      onWork: () => this.#rightEnd?.onWork ?? null,
      log: (fields, text) => this.#logger.info(fields, text),
      emit: (event) => this.#line?.event(event),
    });
    const { correlation } = options.config;
    this.#pace = new Pace({
      now: () => this.#core.now(),
      settleMs: correlation.latenessMs + correlation.holdMs,
      silenceMatters: silenceMatters(options.config),
      advance: (nowMs) => {
        this.#bulkhead.run('correlation', () => this.#line?.advance(nowMs));
        this.#bulkhead.run('injection', () => this.#injection.advance(nowMs));
      },
    });
    this.#injection = new Injection({
      config: options.config,
      now: () => this.#core.now(),
      watches: (name) => this.#works(name),
      onEvent: (event) => this.#tellEvent(event),
      onIncident: (incident) => this.#incident(incident),
      log: (fields, text) => this.#logger.warn(fields, text),
    });
  }

  /** Starts everything; throws with an FL code when another instance runs or the addon is missing. */
  static async start(options: AgentOptions): Promise<Agent> {
    const agent = new Agent(options);
    try {
      await agent.#start(options.mustRecord === true);
    } catch (error) {
      await agent.#stop();
      agent.#folders?.undo();
      throw error;
    }
    return agent;
  }

  async #start(mustRecord: boolean): Promise<void> {
    const { directories, incidents, host } = this.#config;
    for (const warning of foreignFiles(directories)) this.#logger.warn({ code: 'FL1207' }, warning);
    this.#folders = OwnFolders.take(directories);
    await prepareSocketPath(directories.runtime); // what cannot be had is told before anything is written
    const recovered = await recover(directories.log, CLOSED_PAGES);
    const { incidents: known, openIncidents, notes, past, warnings } = recovered;
    for (const warning of warnings) this.#logger.warn(warning);
    for (const incident of openIncidents) this.#recent.incident(incident);
    this.#log = new IncidentLog({
      directory: directories.log,
      ...incidents,
      restored: openIncidents,
      notes,
      now: () => this.#fileNow(),
      onTrouble: (code, detail) => this.#logger.error({ code }, `${code} ${detail}`),
    });
    this.#recorder = await this.#startRecorder(mustRecord);
    const recorder = this.#recorder;
    const rightEnd = await RightEnd.start({
      config: this.#config,
      version: this.#version,
      core: this.#core,
      restored: openIncidents,
      known,
      placeOf: recovered.placeOf,
      log: this.#log,
      sources: () => this.#sources?.sources ?? null,
      apiTrouble: () => this.#api?.trouble() ?? null,
      apiCounters: () => this.#api?.counters ?? null,
      signal: this.#abort.signal,
      logger: this.#logger,
      onAggregates: recorder === null ? null : (aggregates) => recordBackground(recorder, aggregates, this.#core),
    });
    this.#rightEnd = rightEnd;
    const { onWork } = rightEnd;
    this.#blackBox = new BlackBox(this.#core, {
      directory: directories.log,
      maxBytes: incidents.maxBytes,
      maxAgeMs: incidents.maxAgeMs,
      onTrouble: (code, detail, incident) =>
        this.#logger.error({ code, ...this.#about(incident) }, `${code} ${detail}`),
      onWork,
      now: () => this.#core.now(),
      fileNow: () => this.#fileNow(),
    });
    this.#line = new Line({
      host,
      core: this.#core,
      identity: this.#identity,
      ...this.#config.correlation,
      links: this.#config.topology.links,
      restored: openIncidents.filter(({ made }) => made !== 'injected'),
      closed: known.filter(({ state }) => state === 'resolved'),
      past,
      gpuHourRate: this.#config.impact.rate,
      recorder,
      made: this.#config.simulated ? 'simulated' : null,
      onWork,
      now: () => this.#core.now(),
      caught: (error) => this.#bulkhead.caught('detection', error),
      watches: (name) => this.#works(name),
      onEvent: (event) => this.#event(event),
      onIncident: (incident) => this.#incident(incident),
      onDiscovery: (discovery) => {
        rightEnd.discovery(discovery);
        this.#injection.discovery(discovery);
      },
      onNative: (drained) => {
        this.#sources?.handle(drained);
        this.#releases.notices(drained.notices);
        this.#refused.take(drained.notices);
      },
    });
    this.#core.onWake(() => this.#bulkhead.run('detection', () => this.#line?.drain()));
    const people = new People({
      host,
      now: () => this.#core.now(),
      log: this.#log,
      restored: notes,
      names: this.#identity.names,
      onSaid: (incidentId) => this.#recent.again(incidentId),
    });
    this.#people = people;
    // Before any other source: what they find at once may be under a maintenance that lasts.
    people.start(this.#bulkhead.emit('operator notes', this.#line), this.#abort.signal);
    // Loaded before anything answers: whoever sees the daemon may count on what happens from then on being seen.
    const sources = await createSources(this.#config, this.#core, {
      identity: this.#identity,
      onSummary: rightEnd.onSummary,
      linesOf: (job) => this.#line?.linesOf(job),
      bulkhead: this.#bulkhead,
      logger: this.#logger,
    });
    this.#api = await startApi(this.#backend(rightEnd, people), directories.runtime, {
      onTrouble: (code, detail) => this.#logger.warn({ code }, `${code} ${detail}`),
    });
    this.#alive = new AliveMark(directories.log);
    this.#alive.start();
    this.#log.reopen(); // a log that cannot be written is told at the start, not with the first incident
    this.#sources = sources;
    for (const source of this.#sources.sources) source.start(this.#line, this.#abort.signal);
    this.#injection.endRestored(openIncidents);
    this.#pace.news();
    if (openIncidents.length > 0) this.#timers.push(setTimeout(() => this.#resolveStale(), STALE_MS).unref());
    this.#timers.push(setTimeout(() => this.#tellSources(), SOURCES_TOLD_MS).unref());
    for (const ms of GIVE_BACK_MS) this.#timers.push(setTimeout(() => native().giveBackMemory(), ms).unref());
    this.#logger.info({ version: this.#version, sources: this.#sources.sources.map((s) => s.name) }, 'started');
    this.#service.ready(`watching ${host}`);
  }

  /** Drains and stops everything within a few seconds, whatever hangs. Idempotent. */
  async stop(): Promise<void> {
    await this.#stop();
    this.#folders?.release();
  }

  async #stop(): Promise<void> {
    this.#service.stopping();
    this.#abort.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#pace.stop();
    const sources = this.#sources?.sources ?? [];
    await within(
      STOP_PARTS_MS.sources,
      Promise.allSettled([this.#people?.stop(), ...sources.map((source) => source.stop())]),
    );
    this.#line?.tellWaiting();
    this.#injection.end();
    const nowMs = this.#core.now();
    await within(
      STOP_PARTS_MS.log,
      Promise.allSettled([
        this.#recorder?.close(nowMs),
        this.#log?.close().then(() => this.#alive?.stop()),
        this.#api?.close(),
        this.#blackBox?.close(),
      ]),
    );
    // Last: what was written at the very end still goes out.
    if (this.#rightEnd !== null)
      await within(
        STOP_PARTS_MS.outputs,
        this.#rightEnd.stop().catch(() => {}),
      );
    this.#core.close();
  }

  #health(): readonly SourceHealth[] {
    return this.#sources?.health() ?? [];
  }

  #works(name: string): boolean {
    const health = this.#sources?.sources.find((source) => source.name === name)?.health() ?? [];
    return health.some((entry) => entry.status === 'works');
  }

  /** One line for whoever looks into the daemon's log first: what is watched, and what not and why. */
  #tellSources(): void {
    const { fields, mends } = byStatus(this.#health());
    this.#logger[mends ? 'warn' : 'info'](fields, 'sources; faultline doctor prints the lines that mend them');
  }

  /** Opens the incident log anew, as log rotation asks for. */
  reopenLog(): void {
    this.#log?.reopen();
  }

  #resolveStale(): void {
    this.#line?.resolveStale(this.#core.now());
  }

  async #startRecorder(must: boolean): Promise<Recorder | null> {
    return await startRecorder(this.#config, this.#recordTo, this.#version, this.#core.now()).catch((error: Error) => {
      if (must) throw error;
      this.#logger.error({ code: 'FL1303' }, error.message);
      return null;
    });
  }

  #tellEvent(event: FaultEvent): void {
    this.#recent.event(event);
    this.#rightEnd?.event(event);
    this.#pace.news();
  }

  #event(event: FaultEvent): void {
    this.#tellEvent(event);
    this.#sources?.heard(event);
  }

  #incident(incident: Incident): void {
    this.#pace.news();
    const onWork = this.#rightEnd?.onWork ?? null;
    const startMs = onWork === null ? 0 : this.#core.now();
    void this.#log?.append(incident).then((written) => {
      const { id: incidentId, state, revision, severity, title, confidence, log } = written;
      if (onWork !== null) {
        const reason = this.#log?.trouble() ?? 'the disk did not answer in time';
        const skipped = log === 'written' ? {} : { skipped: `log unavailable: ${reason}`, error: 'log unavailable' };
        onWork({ name: 'IncidentLog/Append', incidentId, revision, startMs, endMs: this.#core.now(), ...skipped });
      }
      this.#recent.incident(written);
      this.#rightEnd?.incident(written);
      this.#logger.info({ ...this.#about(written), state, revision, severity, confidence, log }, title);
    });
    if (incident.made !== 'injected') void this.#blackBox?.take(incident);
  }

  /**
   * What ages of files are told by. They are stamped by the wall clock: of one that was set far ahead by mistake nothing
   * may be removed as old, and one that was set back makes files younger, which costs room for a while.
   */
  #fileNow(): number {
    return Math.min(this.#core.now(), Date.now());
  }

  /** What every line about an incident carries: flags 00 say that no spans of it are exported. */
  #about({ id, traceId }: Incident): Record<string, string> {
    const sampled = this.#rightEnd?.sendsTrace(traceId) ?? false;
    return { incident: id, ...logContext({ traceId, spanId: spanIdOf(id), sampled }) };
  }

  #backend(rightEnd: RightEnd, people: People): Parameters<typeof startApi>[0] {
    return {
      host: this.#config.host,
      status: () => ({
        schema: 'faultline/status/1',
        version: this.#version,
        host: this.#config.host,
        pid: process.pid,
        uptime_s: Math.round((this.#core.now() - this.#startedMs) / 1000),
        // 0 but for the steps that the wall clock took since the start: times of events and incidents are by the other one.
        wall_clock_ahead_s: Math.round(Date.now() - this.#core.now()) / 1000,
        config: this.#config.file,
        incident_log: join(this.#config.directories.log, 'incidents.jsonl'),
        sources: this.#health(),
        sinks: rightEnd.health(),
        native: this.#core.stats(),
        log: this.#log === null ? null : { ...this.#log.counts(), trouble: this.#log.trouble() },
        recording: this.#recorder?.state() ?? null,
        maintenance: people.maintenance(),
      }),
      metrics: (accept) => rightEnd.metrics(accept),
      notReady: () => rightEnd.notReady(),
      uptimeSeconds: () => rightEnd.uptimeSeconds(),
      events: (listener) => this.#recent.onEvent(listener),
      recentEvents: () => this.#recent.events(),
      incidents: () => this.#recent.incidents(),
      onIncident: (listener) => this.#recent.onIncident(listener),
      releaseDevices: (...asked) => this.#releases.ask(...asked),
      inject: (body, caller) => this.#injection.take(body, caller),
      note: (body) => people.take(body),
      said: (incidentId) => people.said(incidentId),
    };
  }
}
