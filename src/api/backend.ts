// ApiBackend: what the local socket can ask of the running daemon.

import type { DevicesDocument, JobsDocument } from '../model/documents/jobs.ts';
import type { NowDocument } from '../model/documents/now.ts';
import type { FaultEvent } from '../model/event.ts';
import type { Incident } from '../model/incident.ts';
import type { Said } from '../model/note.ts';
import type { SentNotification } from '../model/sent-notification.ts';
import type { TraceContext } from '../model/trace.ts';
import type { Caller } from './caller.ts';
import type { NoteTaken } from './notes.ts';
import type { ProbeBackend } from './probes.ts';
import type { AskedIncidents, FoundIncidents } from './query/asked.ts';

export const REPORT_FORMATS = ['html', 'markdown', 'text'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface KnownIncident {
  readonly incident: Incident;
  readonly said: Said;
}

export interface ReleaseResult {
  /** False when no source holds a device. */
  readonly released: boolean;
  readonly forMs: number;
}

export interface InjectTaken {
  readonly events: readonly FaultEvent[];
  /** Revisions that it led to at once. */
  readonly incidents: readonly Incident[];
  /** When it ends by itself, epoch ms. */
  readonly endsMs: number;
  /** What whoever asks should know, a line each. */
  readonly notes: readonly string[];
}

/** Calls that give no promise return at once and never throw. Listeners are called until the returned function is called. */
export interface ApiBackend extends ProbeBackend {
  readonly host: string;
  readonly version: string;
  /** The steady clock, epoch ms. */
  nowMs(): number;
  /** From when on every event is kept. */
  completeSinceMs(): number;
  /** What people were sent or are to be, oldest first, as many as the daemon keeps. */
  notifications(): readonly SentNotification[];
  status(): object;
  events(listener: (event: FaultEvent) => void): () => void;
  /** The newest events, oldest first, as many as the daemon keeps. */
  recentEvents(): readonly FaultEvent[];
  /** The newest revision of every incident that the daemon keeps, oldest first. */
  incidents(): readonly Incident[];
  /** Incidents of all runs, as memory and log have them; rejects with an ApiError where the log cannot be read in time. */
  findIncidents(asked: AskedIncidents): Promise<FoundIncidents>;
  /** One incident and what was said about it, out of memory or log; null where neither has it. Rejects alike. */
  incident(id: string): Promise<KnownIncident | null>;
  onIncident(listener: (incident: Incident) => void): () => void;
  /** `parent`: the span of whoever asks, null where the request carries no trace context; `caller`: as the kernel knows them. */
  releaseDevices(durationMs: number, parent: TraceContext | null, caller: Caller | null): ReleaseResult;
  /** Puts in a made-up fault; throws an ApiError for who may not ask, and for what cannot be put in. */
  inject(body: unknown, caller: Caller | null): InjectTaken;
  /** Takes the body of a note; rejects with an ApiError for what cannot be taken. */
  note(body: unknown): Promise<NoteTaken>;
  /** The jobs on this host, as a document. */
  jobs(): JobsDocument;
  /** Who has each device of this host, as a document. */
  devices(): DevicesDocument;
  /** The newest readings of what people watch, as a document. */
  newest(): NowDocument;
  /** The parts that this host has had, as a document. */
  inventory(): object;
  /** Expects a part no more that was taken out on purpose; throws an ApiError for what is not missing. */
  acceptPart(body: unknown, caller: Caller | null): object;
  /** Takes up what changed in the configuration; rejects with an ApiError for who may not ask, and for a file that is wrong. */
  reloadConfig(caller: Caller | null): Promise<object>;
  /** The incident as a report, with its black box as far as that is written. Never rejects. */
  incidentReport(known: KnownIncident, format: ReportFormat): Promise<string>;
  /** What people said about an incident. */
  said(incidentId: string): Said;
}
