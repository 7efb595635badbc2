// A backend that a test drives, and raw access to the socket.

import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiBackend, KnownIncident, ReportFormat } from '../../src/api/backend.ts';
import type { Caller } from '../../src/api/caller.ts';
import { Notes } from '../../src/api/notes.ts';
import type { AskedIncidents, FoundIncidents } from '../../src/api/query/asked.ts';
import { findIncidents } from '../../src/api/query/find-incidents.ts';
import { incidentReport } from '../../src/daemon/incident-report.ts';
import { Injection } from '../../src/daemon/injection.ts';
import type { DevicesDocument, JobsDocument } from '../../src/model/documents/jobs.ts';
import type { NowDocument } from '../../src/model/documents/now.ts';
import type { FaultEvent } from '../../src/model/event.ts';
import type { Incident } from '../../src/model/incident.ts';
import { makeEvent } from '../../src/model/make-event.ts';
import { type Maintenance, NOTHING_SAID, type Note, type Said, type Silence } from '../../src/model/note.ts';
import type { SentNotification } from '../../src/model/sent-notification.ts';
import type { TraceContext } from '../../src/model/trace.ts';

const folders: string[] = [];
process.on('exit', () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** Gone with this process. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fl-api-'));
  folders.push(path);
  return path;
}

export function event(text = 'line', timeMs = 1_700_000_000_000): FaultEvent {
  return makeEvent('node-3', {
    kind: 'gpu.lost',
    component: { type: 'gpu', id: '0000:9b:00.0' },
    timeMs,
    observedMs: timeMs,
    trust: 'kernel',
    source: 'kernel-log',
    evidence: [{ source: 'kernel-log', timeMs, text }],
  });
}

export class TestBackend implements ApiBackend {
  readonly host = 'node-3';
  readonly version = '0.0.0-test';
  sent: SentNotification[] = [];
  readonly eventListeners = new Set<(event: FaultEvent) => void>();
  readonly released: number[] = [];
  recent: FaultEvent[] = [];
  known: Incident[] = [];

  nowMs(): number {
    return 1_700_000_100_000;
  }
  completeSinceMs(): number {
    return 1_699_999_000_000;
  }
  notifications(): readonly SentNotification[] {
    return this.sent;
  }
  status(): object {
    return { host: this.host, pid: process.pid };
  }
  events(listener: (event: FaultEvent) => void): () => void {
    this.eventListeners.add(listener);
    return () => this.eventListeners.delete(listener);
  }
  recentEvents(): readonly FaultEvent[] {
    return this.recent;
  }
  incidents(): readonly Incident[] {
    return this.known;
  }
  async findIncidents(asked: AskedIncidents): Promise<FoundIncidents> {
    return findIncidents(this.incidents(), asked, this.completeSinceMs());
  }
  async incident(id: string): Promise<KnownIncident | null> {
    const incident = this.known.find((one) => one.id === id);
    return incident === undefined ? null : { incident, said: this.said(id) };
  }
  incidentReport(known: KnownIncident, format: ReportFormat): Promise<string> {
    return incidentReport(known, format, '/nowhere', this.nowMs());
  }
  onIncident(): () => void {
    return () => {};
  }
  readonly parents: (TraceContext | null)[] = [];
  readonly callers: (Caller | null)[] = [];
  releaseDevices(durationMs: number, parent: TraceContext | null, caller: Caller | null) {
    this.callers.push(caller);
    this.released.push(durationMs);
    this.parents.push(parent);
    return { released: true, forMs: durationMs };
  }
  readonly #injection = new Injection({
    config: {
      host: 'node-3',
      inject: true,
      correlation: { latenessMs: 30_000, holdMs: 30_000 },
      topology: { links: [] },
    },
    now: () => 1_700_000_000_000,
    watches: () => true,
    onEvent() {},
    onIncident() {},
    log() {},
  });
  inject(body: unknown, caller: Caller | null) {
    return this.#injection.take(body, caller);
  }
  readonly notes: Note[] = [];
  readonly #notes = new Notes({
    host: 'node-3',
    now: () => 1_700_000_000_000,
    write: async () => true,
    inForce: () => this.notes.filter((note): note is Maintenance => note.kind === 'maintenance'),
    silences: () => this.notes.filter((note): note is Silence => note.kind === 'silence' && note.state === 'start'),
    mostInForce: 2,
    onNote: (note) => this.notes.push(note),
  });
  note(body: unknown) {
    return this.#notes.take(body);
  }
  jobs(): JobsDocument {
    return {
      schema: 'faultline/jobs/1',
      host: this.host,
      time: '2023-11-14T22:13:20.000Z',
      conflicts: [],
      lacking: [],
      jobs: [],
    };
  }
  newest(): NowDocument {
    return { schema: 'faultline/now/1', host: this.host, time: '2023-11-14T22:13:20.000Z', readings: [] };
  }
  devices(): DevicesDocument {
    return {
      schema: 'faultline/devices/1',
      host: this.host,
      time: '2023-11-14T22:13:20.000Z',
      conflicts: [],
      lacking: [],
      devices: [],
    };
  }
  readonly accepted: unknown[] = [];
  inventory(): object {
    return { parts: [] };
  }
  acceptPart(body: unknown): object {
    this.accepted.push(body);
    return { part: 'gpu/0000:1b:00.0' };
  }
  reloads = 0;
  async reloadConfig(): Promise<object> {
    this.reloads += 1;
    return { started: [], stopped: [], changed: ['job-log'] };
  }
  saidOf = new Map<string, Said>();
  said(incidentId: string): Said {
    return this.saidOf.get(incidentId) ?? NOTHING_SAID;
  }
  reasons: string[] = [];
  exposition: { contentType: string; body: string | Buffer } | null = null;
  readonly accepts: (string | undefined)[] = [];
  metrics(accept: string | undefined) {
    this.accepts.push(accept);
    return this.exposition === null ? null : Promise.resolve(this.exposition);
  }
  async notReady(): Promise<readonly string[]> {
    return this.reasons;
  }
  uptimeSeconds(): number {
    return 12.6;
  }
  emit(what: FaultEvent): void {
    for (const listener of this.eventListeners) listener(what);
  }
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export function get(socketPath: string, path: string, method = 'GET', body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path, method, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Sends bytes as they are and gives everything that comes back until the server closes. */
export function raw(socketPath: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    let text = '';
    socket.on('data', (part) => {
      text += part.toString('latin1');
    });
    socket.on('error', () => {}); // the server may hang up while we still write
    socket.on('close', () => resolve(text));
    socket.write(bytes);
  });
}

export function connected(socketPath: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath, () => resolve(socket));
    socket.once('error', reject);
  });
}
