// What the local socket gets when it asks the running daemon.

import { join } from 'node:path';
import { ApiError } from '../api/api-error.ts';
import type { ApiBackend } from '../api/backend.ts';
import type { Caller } from '../api/caller.ts';
import { errorText } from '../helpers/error-text.ts';
import { CURRENT } from '../incidents/log/files.ts';
import { NOTHING_SAID } from '../model/note.ts';
import { History } from './history.ts';
import { incidentReport } from './incident-report.ts';
import { acceptPart, inventoryDocument } from './inventory.ts';
import { devicesDocument, jobsDocument } from './jobs.ts';
import { nowDocument } from './now.ts';
import type { OperatorNotes } from './operator-notes.ts';
import type { Outputs } from './outputs.ts';
import type { Parts } from './parts.ts';

export function apiBackend(parts: Parts, outputs: Outputs, notes: OperatorNotes): ApiBackend {
  const { config, recent, releases, injection } = parts;
  const history = new History({ recent, directory: parts.log === null ? null : config.directories.log });
  return {
    host: config.host,
    version: parts.version,
    nowMs: parts.now,
    completeSinceMs: () => recent.sinceMs,
    notifications: () => outputs.notifications(),
    status: () => statusDocument(parts, outputs, notes),
    metrics: (accept) => outputs.metrics(accept),
    notReady: () => outputs.notReady(),
    uptimeSeconds: () => outputs.uptimeSeconds(),
    events: (listener) => recent.onEvent(listener),
    recentEvents: () => recent.events(),
    incidents: () => recent.incidents(),
    findIncidents: (asked) => history.find(asked),
    incident: (id) => history.one(id),
    onIncident: (listener) => recent.onIncident(listener),
    releaseDevices: (...asked) => releases.ask(...asked),
    inject: (body, caller) => injection.take(body, caller),
    jobs: () => jobsDocument({ ...parts, host: config.host, linesOf: (job) => parts.pipeline?.linesOf(job) }),
    newest: () => nowDocument({ ...parts, host: config.host }),
    devices: () => devicesDocument({ ...parts, host: config.host }),
    inventory: () => inventoryDocument(parts.identity.parts),
    acceptPart: (body, caller) => acceptPart(parts, body, caller),
    reloadConfig: (caller) => reloadConfig(parts, caller),
    note: (body) => notes.take(body),
    incidentReport: ({ incident, said }, format) => {
      const now = notes.said(incident.id);
      const known = { incident, said: now === NOTHING_SAID ? said : now };
      return incidentReport(known, format, config.directories.log, parts.now());
    },
    said: (incidentId) => notes.said(incidentId),
  };
}

/** Only root and the daemon's own user may ask: it reads files and opens connections by their contents. */
async function reloadConfig({ reloads, config }: Parts, caller: Caller | null): Promise<object> {
  if (caller === null || (caller.uid !== 0 && caller.uid !== process.geteuid?.()))
    throw new ApiError(
      403,
      'FL4115',
      "only root and the daemon's user may have the configuration read. Run: sudo faultline config reload",
    );
  const { restart, ...reloaded } = await reloads.take().catch((error: unknown) => {
    throw new ApiError(422, 'FL1211', `the configuration is as it was:\n${errorText(error)}`);
  });
  return { file: config.file, ...reloaded, needs_restart: restart };
}

/** The document faultline/status/1. */
function statusDocument(parts: Parts, outputs: Outputs, notes: OperatorNotes): object {
  const { config, core, log } = parts;
  return {
    schema: 'faultline/status/1',
    version: parts.version,
    host: config.host,
    pid: process.pid,
    uptime_s: Math.round((core.now() - parts.startedMs) / 1000),
    // 0 but for the steps that the wall clock took since the start: times of events and incidents are by the other one.
    wall_clock_ahead_s: Math.round(Date.now() - core.now()) / 1000,
    config: config.file,
    shadow: config.shadow,
    incident_log: join(config.directories.log, CURRENT),
    sources: parts.health(),
    sinks: [...outputs.health(), ...(parts.tcp?.health() ?? [])],
    native: core.stats(),
    log: log === null ? null : { ...log.counts(), trouble: log.trouble() },
    recording: parts.recorder?.state() ?? null,
    maintenance: notes.maintenance(),
    silences: notes.silences(),
    state: { directory: config.directories.state, files: stateFiles(parts) },
  };
}

/** What is remembered over a restart, and why a file of it is not. */
function stateFiles({ memory, identity }: Parts): object[] {
  return [...(memory?.files ?? []), identity.parts.file].map(({ name, unwritten, damaged }) => ({
    file: name,
    unwritten,
    damaged,
  }));
}
