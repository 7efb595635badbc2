// The routes of the local API: what may be asked, with which method and parameters.

import type { ServerResponse } from 'node:http';
import { eventToDocument } from '../model/documents/event.ts';
import { wholeIncidentToDocument } from '../model/documents/incident.ts';
import { noteToDocument, saidToDocument } from '../model/documents/note.ts';
import type { Incident } from '../model/incident.ts';
import { parseTraceparent } from '../model/trace.ts';
import { type ApiCounters, flag, type Handler, known, type Routes, sendJson } from './answer.ts';
import { ApiError } from './api-error.ts';
import type { ApiBackend } from './backend.ts';
import { readJson } from './body.ts';
import { callerDocument, callerOf } from './caller.ts';
import { PROBES } from './probes.ts';
import { NdjsonStream } from './stream.ts';

const MAX_STREAMS = 24;
const MAX_RELEASE_MS = 24 * 3_600_000;

/** Sends what there is and continues with what comes, one document a line. */
function stream(
  response: ServerResponse,
  counters: ApiCounters,
  now: () => readonly object[],
  subscribe: (send: (document: object) => void) => () => void,
): void {
  if (counters.streams >= MAX_STREAMS) {
    throw new ApiError(503, 'FL4105', `${MAX_STREAMS} clients follow already. End one of them`);
  }
  counters.streams += 1;
  let unsubscribe = () => {};
  const ndjson = new NdjsonStream(
    response,
    () => {
      counters.slowReaders += 1;
    },
    () => {
      counters.streams -= 1;
      unsubscribe();
    },
  );
  ndjson.sendBacklog(now());
  ndjson.follow();
  unsubscribe = subscribe((document) => ndjson.send(document));
}

/** The incident alone, with what people said about it. */
function incidentDocument(incident: Incident, backend: ApiBackend): object {
  return { ...wholeIncidentToDocument(incident), ...saidToDocument(backend.said(incident.id)) };
}

const takeNote: Handler<ApiBackend> = async ({ backend, parameters, request, response }) => {
  known(parameters, []);
  const { note, written, warning } = await backend.note(await readJson(request));
  sendJson(response, 200, { schema: 'faultline/note-taken/1', written, warning, note: noteToDocument(note) });
};

/** The newest revision of each incident stands for it. */
const takeInjection: Handler<ApiBackend> = async ({ backend, parameters, request, response }) => {
  known(parameters, []);
  const { events, incidents, endsMs, notes } = backend.inject(await readJson(request), callerOf(request.socket));
  sendJson(response, 200, {
    schema: 'faultline/inject/1',
    events: events.map((event) => eventToDocument(event, backend.host)),
    incidents: [...new Map(incidents.map((incident) => [incident.id, incident])).values()].map((incident) =>
      wholeIncidentToDocument(incident),
    ),
    ends_at: new Date(endsMs).toISOString(),
    notes,
  });
};

const acceptPart: Handler<ApiBackend> = async ({ backend, parameters, request, response }) => {
  known(parameters, []);
  const accepted = backend.acceptPart(await readJson(request), callerOf(request.socket));
  sendJson(response, 200, { schema: 'faultline/inventory-accepted/1', accepted });
};

export const ROUTES: Routes<ApiBackend> = {
  '/v1/status': {
    GET: ({ backend, parameters, response, counters }) => {
      known(parameters, []);
      sendJson(response, 200, { schema: 'faultline/status/1', ...backend.status(), api: { ...counters } });
    },
  },
  '/v1/events': {
    GET: ({ backend, parameters, response, counters }) => {
      known(parameters, ['follow']);
      if (!flag(parameters, 'follow')) {
        const events = backend.recentEvents().map((event) => eventToDocument(event, backend.host));
        return sendJson(response, 200, { schema: 'faultline/events/1', events });
      }
      stream(
        response,
        counters,
        () => backend.recentEvents().map((event) => eventToDocument(event, backend.host)),
        (send) => backend.events((event) => send(eventToDocument(event, backend.host))),
      );
    },
  },
  '/v1/incidents': {
    GET: ({ backend, parameters, response, counters }) => {
      known(parameters, ['follow']);
      if (!flag(parameters, 'follow')) {
        const incidents = backend.incidents().map((incident) => incidentDocument(incident, backend));
        return sendJson(response, 200, { schema: 'faultline/incidents/1', incidents });
      }
      stream(
        response,
        counters,
        () => backend.incidents().map((incident) => incidentDocument(incident, backend)),
        (send) => backend.onIncident((incident) => send(incidentDocument(incident, backend))),
      );
    },
  },
  '/v1/release-devices': {
    POST: ({ backend, parameters, request, response }) => {
      known(parameters, ['for_ms']);
      const text = parameters.get('for_ms') ?? '600000';
      const forMs = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      if (forMs < 1000 || forMs > MAX_RELEASE_MS) {
        throw new ApiError(400, 'FL4103', `for_ms must be from 1000 to ${MAX_RELEASE_MS}. Write: for_ms=600000`);
      }
      const caller = callerOf(request.socket);
      const { released } = backend.releaseDevices(forMs, parseTraceparent(request.headers.traceparent), caller);
      const asked_by = callerDocument(caller);
      sendJson(response, 200, { schema: 'faultline/release-devices/1', released, for_ms: forMs, asked_by });
    },
  },
  '/v1/config/reload': {
    POST: async ({ backend, parameters, request, response }) => {
      known(parameters, []);
      const document = await backend.reloadConfig(callerOf(request.socket));
      sendJson(response, 200, { schema: 'faultline/config-reload/1', ...document });
    },
  },
  '/v1/inject': { POST: Object.assign(takeInjection, { takesBody: true }) },
  '/v1/inventory': {
    GET: ({ backend, parameters, response }) => {
      known(parameters, []);
      sendJson(response, 200, { schema: 'faultline/inventory/1', ...backend.inventory() });
    },
    POST: Object.assign(acceptPart, { takesBody: true }),
  },
  '/v1/jobs': {
    GET: ({ backend, parameters, response }) => {
      known(parameters, []);
      sendJson(response, 200, backend.jobs());
    },
  },
  '/v1/now': {
    GET: ({ backend, parameters, response }) => {
      known(parameters, []);
      sendJson(response, 200, backend.newest());
    },
  },
  '/v1/devices': {
    GET: ({ backend, parameters, response }) => {
      known(parameters, []);
      sendJson(response, 200, backend.devices());
    },
  },
  '/v1/notes': { POST: Object.assign(takeNote, { takesBody: true }) },
  ...PROBES,
};
