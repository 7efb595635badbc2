// What the local socket gets when it asks the running daemon.

import { join } from 'node:path';
import type { ApiBackend } from '../api/backend.ts';
import { CURRENT } from '../incidents/log/files.ts';
import { acceptPart, inventoryDocument } from './inventory.ts';
import type { OperatorNotes } from './operator-notes.ts';
import type { Outputs } from './outputs.ts';
import type { Parts } from './parts.ts';

export function apiBackend(parts: Parts, outputs: Outputs, notes: OperatorNotes): ApiBackend {
  const { config, recent, releases, injection } = parts;
  return {
    host: config.host,
    status: () => statusDocument(parts, outputs, notes),
    metrics: (accept) => outputs.metrics(accept),
    notReady: () => outputs.notReady(),
    uptimeSeconds: () => outputs.uptimeSeconds(),
    events: (listener) => recent.onEvent(listener),
    recentEvents: () => recent.events(),
    incidents: () => recent.incidents(),
    onIncident: (listener) => recent.onIncident(listener),
    releaseDevices: (...asked) => releases.ask(...asked),
    inject: (body, caller) => injection.take(body, caller),
    inventory: () => inventoryDocument(parts.identity.parts),
    acceptPart: (body, caller) => acceptPart(parts, body, caller),
    note: (body) => notes.take(body),
    said: (incidentId) => notes.said(incidentId),
  };
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
    incident_log: join(config.directories.log, CURRENT),
    sources: parts.health(),
    sinks: outputs.health(),
    native: core.stats(),
    log: log === null ? null : { ...log.counts(), trouble: log.trouble() },
    recording: parts.recorder?.state() ?? null,
    maintenance: notes.maintenance(),
  };
}
