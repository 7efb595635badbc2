// Parts: what the daemon is made of. Some are there from the first line on, the others are null until they are built.

import type { Logger } from 'pino';
import type { ApiServer } from '../api/api-server.ts';
import type { OwnFolders } from '../api/own-folders.ts';
import { Recent } from '../api/recent.ts';
import { ReleaseRequests } from '../api/release-requests.ts';
import { ServiceManager } from '../api/service-manager.ts';
import { Identity } from '../identity/identity.ts';
import type { BlackBox } from '../incidents/black-box.ts';
import type { AliveMark } from '../incidents/log/alive.ts';
import type { IncidentLog } from '../incidents/log/incident-log.ts';
import { type NativeCore, native } from '../native.ts';
import { Bulkhead } from '../sources/bulkhead.ts';
import { silenceMatters } from '../sources/index.ts';
import type { Recorder } from '../sources/recording/recorder.ts';
import type { SourceHealth } from '../sources/source.ts';
import type { SourceSet } from '../sources/source-set.ts';
import type { Config } from './config.ts';
import { EventTimeTicker } from './event-ticker.ts';
import { Injection } from './injection.ts';
import type { JobLedger } from './job-ledger.ts';
import type { RunMemory } from './memory/run-memory.ts';
import type { OperatorNotes } from './operator-notes.ts';
import type { Outputs } from './outputs.ts';
import type { Pipeline } from './pipeline.ts';
import { Publisher } from './publisher.ts';
import { RefusedNotices } from './refused-notices.ts';
import { Reloads, type Reread } from './reload.ts';
import type { TcpApi } from './tcp-api.ts';
import { TopologyProposals } from './topology-proposals.ts';

/** Raw samples: five minutes, in the fixed memory of the native rings. */
const HISTORY_SECONDS = 300;
const MAX_SERIES = 16_384;

export interface PartsOptions {
  readonly config: Config;
  /** Reads it again; left out where it never changes. */
  readonly reread?: Reread;
  readonly logger: Logger;
  readonly version: string;
}

export class Parts {
  /** What is in force: another one where a changed file was taken up (reload.ts). */
  config: Config;
  readonly logger: Logger;
  readonly version: string;
  readonly core: NativeCore;
  readonly startedMs: number;
  readonly identity: Identity;
  readonly bulkhead: Bulkhead;
  readonly publisher: Publisher;
  readonly releases: ReleaseRequests;
  readonly ticker: EventTimeTicker;
  readonly injection: Injection;
  readonly refused: RefusedNotices;
  readonly reloads: Reloads;
  readonly recent: Recent;
  readonly service = new ServiceManager(process.env);
  /** Aborted when the daemon begins to stop. */
  readonly abort = new AbortController();
  readonly timers: NodeJS.Timeout[] = [];
  folders: OwnFolders | null = null;
  recorder: Recorder | null = null;
  log: IncidentLog | null = null;
  alive: AliveMark | null = null;
  outputs: Outputs | null = null;
  blackBox: BlackBox | null = null;
  pipeline: Pipeline | null = null;
  readonly proposals = new TopologyProposals();
  memory: RunMemory | null = null;
  ledger: JobLedger | null = null;
  notes: OperatorNotes | null = null;
  api: ApiServer | null = null;
  tcp: TcpApi | null = null;
  sources: SourceSet | null = null;

  constructor({
    config,
    logger,
    version,
    reread = () => Promise.resolve({ config, raw: {}, warnings: [] }),
  }: PartsOptions) {
    this.config = config;
    this.logger = logger;
    this.version = version;
    this.core = new (native().Core)({ historySeconds: HISTORY_SECONDS, maxSeries: MAX_SERIES });
    this.startedMs = this.core.now();
    this.recent = new Recent(this.startedMs);
    const { host } = config;
    this.identity = new Identity(host, { now: this.now, directory: config.directories.state });
    this.refused = new RefusedNotices((fields, text) => logger.error(fields, text));
    this.bulkhead = new Bulkhead({
      host,
      now: this.now,
      log: (fields, text) => logger.error(fields, text),
      event: (event) => this.pipeline?.event(event),
    });
    this.publisher = new Publisher(this);
    this.releases = new ReleaseRequests({
      host,
      release: (durationMs, traceparent) => this.sources?.releaseDevices(durationMs, traceparent) ?? false,
      now: this.now,
      onWork: () => this.outputs?.onWork ?? null,
      log: (fields, text) => logger.info(fields, text),
      emit: (event) => this.pipeline?.event(event),
    });
    this.reloads = new Reloads(this, reread);
    this.ticker = new EventTimeTicker({
      now: this.now,
      settleMs: () => this.config.correlation.latenessMs + this.config.correlation.holdMs,
      silenceMatters: () =>
        silenceMatters(this.config) ||
        this.sources?.silenceMatters() === true ||
        this.pipeline?.explainsForATime === true ||
        this.pipeline?.watchesSilence === true,
      advance: (nowMs) => {
        this.bulkhead.run('correlation', () => this.pipeline?.advance(nowMs));
        this.bulkhead.run('injection', () => this.injection.advance(nowMs));
      },
    });
    const running = this;
    this.injection = new Injection({
      get config() {
        return running.config;
      },
      now: this.now,
      watches: this.works,
      onEvent: (event) => this.publisher.injectedEvent(event),
      onIncident: (incident) => this.publisher.incident(incident),
      log: (fields, text) => logger.warn(fields, text),
    });
  }

  /** The steady clock, epoch ms. */
  readonly now = (): number => this.core.now();

  /**
   * The clock for ages of files. They are stamped by the wall clock: of one that was set far ahead by mistake nothing may be
   * removed as old, and one that was set back makes files younger, which costs room for a while.
   */
  readonly fileNow = (): number => Math.min(this.core.now(), Date.now());

  readonly health = (): readonly SourceHealth[] => [
    ...(this.sources?.health() ?? []),
    ...this.proposals.health(this.config.topology.links),
  ];

  /** Whether the source of this name works, so that its silence means something. */
  readonly works = (name: string): boolean => {
    const health = this.sources?.sources.find((source) => source.name === name)?.health() ?? [];
    return health.some(({ status }) => status === 'works');
  };
}
