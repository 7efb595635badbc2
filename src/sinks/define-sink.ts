// defineSink: all that the rest of the program sees of a sink, written in the index.ts of its folder.

import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Logger } from 'pino';
import type { Properties, Section } from '../config/section.ts';
import type { Logged } from '../incidents/log/after.ts';
import type { Incident } from '../model/incident.ts';
import type { Labels } from '../model/matcher.ts';
import type { Said, Silence } from '../model/note.ts';
import type { StageReport } from '../model/stage.ts';
import type { Mark } from './delivery/journal/sent-journal.ts';
import type { Sink } from './sink.ts';
import type { LabelBook } from './work/label-book.ts';

/** What a sink can use besides its own settings. */
export interface SinkContext {
  readonly host: string;
  readonly version: string;
  /** All that is watched is made up. */
  readonly simulated: boolean;
  /** Nothing is sent; only what others fetch is there. */
  readonly shadow: boolean;
  /** Spools and journals are made under it. */
  readonly stateDirectory: string;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** The steady clock, epoch ms. */
  now(): number;
  /** Incidents that an earlier run left open. */
  readonly restored: readonly Incident[];
  /** The newest incidents of earlier runs, open or not, those that changed last at the end. */
  readonly known: readonly Incident[];
  /** What the incident log holds behind a revision, or from its beginning. */
  loggedAfter(mark: Mark | null): Promise<readonly Logged[]>;
  /** The silence that hides what has these labels now; null where it is to be sent. */
  silenced(labels: Labels): Silence | null;
  /** Where the incident log is. */
  readonly logDirectory: string;
  /** What a sink did about an incident, or decided not to do: a stage of its life. */
  acted(report: StageReport): void;
  /** Lets go of all devices for so long; false where no source holds one. */
  releaseDevices(durationMs: number): boolean;
  /** What people said about an incident. */
  said(incidentId: string): Said;
  /** For whom devices, ranks and jobs work now; brought up to date before each call of `series`. */
  readonly labels: LabelBook;
  /** The daemon's metrics about itself; made, and their library loaded, once a sink wants them. */
  selfMetrics(): Promise<SelfSource>;
}

export interface SelfSource {
  collect(): Promise<ResourceMetrics>;
}

/** What shadow mode makes of a sink. */
interface InShadow {
  /** Others come and fetch; it sends nothing by itself. Left out: shadow mode does not make it. */
  readonly pulled?: true;
  /** Called in place of `create` in shadow mode, so that its end does not send what happened meanwhile. */
  withheld?(stateDirectory: string): Promise<void>;
}

export interface SinkDefinition<Name extends string, P extends Properties, Settings>
  extends Section<Name, P, Settings | null>,
    InShadow {
  /**
   * Called only where the settings are not null. What is heavy is imported here, so that a sink that is off loads nothing.
   * Nothing is sent before the sink's `start`.
   */
  create(settings: Settings, context: SinkContext): Promise<Sink>;
}

/** Any sink, for what treats all of them alike. */
export interface AnySink extends InShadow {
  readonly name: string;
  create(settings: never, context: SinkContext): Promise<Sink>;
}

export function defineSink<const Name extends string, const P extends Properties, Settings>(
  definition: SinkDefinition<Name, P, Settings>,
): SinkDefinition<Name, P, Settings> {
  return definition;
}
