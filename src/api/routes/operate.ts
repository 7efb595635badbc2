// What changes something: notes of operators, release of devices, made-up faults, the configuration.

import { eventToDocument } from '../../model/documents/event.ts';
import { wholeIncidentToDocument } from '../../model/documents/incident.ts';
import { noteToDocument } from '../../model/documents/note.ts';
import { parseTraceparent } from '../../model/trace.ts';
import { sendJson } from '../answer.ts';
import type { ApiBackend } from '../backend.ts';
import { readJson } from '../body.ts';
import { callerDocument, callerOf } from '../caller.ts';
import type { Routes } from '../route.ts';
import { document, EVENT, INCIDENT, listOf, object, orNull, TEXT, TEXT_OR_NULL, TIME } from './shapes.ts';

const MAX_RELEASE_MS = 24 * 3_600_000;

const TEXTS = listOf(TEXT);

export const OPERATE_ROUTES: Routes<ApiBackend> = {
  '/v1/notes': {
    POST: {
      summary: 'Acknowledge or judge an incident, declare maintenance, silence what is not wanted',
      body: object(
        { kind: { type: 'string', enum: ['ack', 'verdict', 'maintenance', 'silence'] }, by: TEXT },
        {
          note: TEXT_OR_NULL,
          incident_id: TEXT,
          verdict: { type: 'string', enum: ['right', 'wrong'] },
          root_kind: TEXT_OR_NULL,
          component: TEXT,
          state: { type: 'string', enum: ['start', 'end'] },
          for_ms: { type: 'integer' },
          matchers: TEXTS,
          from: TEXT_OR_NULL,
          silence_id: TEXT,
        },
      ),
      answer: {
        description: 'The note as it is kept',
        schema: document('note-taken', {
          written: { type: 'boolean' },
          warning: TEXT_OR_NULL,
          note: { type: 'object' },
        }),
      },
      run: async ({ backend, request, response }) => {
        const { note, written, warning } = await backend.note(await readJson(request));
        sendJson(response, 200, { schema: 'faultline/note-taken/1', written, warning, note: noteToDocument(note) });
      },
    },
  },
  '/v1/release-devices': {
    POST: {
      summary: 'Let go of every GPU, so that a reset or a driver update can proceed',
      parameters: {
        for_ms: {
          description: 'For how long, milliseconds.',
          schema: { type: 'integer', minimum: 1000, maximum: MAX_RELEASE_MS, default: 600_000 },
        },
      },
      answer: {
        description: 'Whether something was released',
        schema: document('release-devices', {
          released: { type: 'boolean' },
          for_ms: { type: 'integer' },
          asked_by: orNull({ type: 'object' }),
        }),
      },
      run: ({ backend, parameters, request, response }) => {
        const forMs = Number(parameters.get('for_ms') ?? 600_000);
        const caller = callerOf(request.socket);
        const { released } = backend.releaseDevices(forMs, parseTraceparent(request.headers.traceparent), caller);
        const asked_by = callerDocument(caller);
        sendJson(response, 200, { schema: 'faultline/release-devices/1', released, for_ms: forMs, asked_by });
      },
    },
  },
  '/v1/config/reload': {
    POST: {
      summary: 'Take up what changed in the configuration; on the local socket, for root and the user of the daemon',
      answer: {
        description: 'What was taken up, and what counts from the next start on',
        schema: document('config-reload', { taken: TEXTS, needs_restart: TEXTS, warnings: TEXTS }),
      },
      run: async ({ backend, request, response }) => {
        const reloaded = await backend.reloadConfig(callerOf(request.socket));
        sendJson(response, 200, { schema: 'faultline/config-reload/1', ...reloaded });
      },
    },
  },
  '/v1/inject': {
    POST: {
      summary: 'Put in a made-up fault, marked as such; on the local socket, for root and the user of the daemon',
      body: object(
        { what: { type: 'string', enum: ['xid', 'kernel-line', 'event', 'end'] } },
        {
          for_ms: { type: 'integer' },
          xid: { type: 'integer' },
          gpu: TEXT_OR_NULL,
          text: TEXT,
          kind: TEXT,
          component: TEXT_OR_NULL,
        },
      ),
      answer: {
        description: 'What came of it at once',
        schema: document('inject', { events: listOf(EVENT), incidents: listOf(INCIDENT), ends_at: TIME, notes: TEXTS }),
      },
      run: async ({ backend, request, response }) => {
        const taken = backend.inject(await readJson(request), callerOf(request.socket));
        // The newest revision of each incident stands for it.
        const newest = new Map(taken.incidents.map((incident) => [incident.id, incident]));
        sendJson(response, 200, {
          schema: 'faultline/inject/1',
          events: taken.events.map((event) => eventToDocument(event, backend.host)),
          incidents: [...newest.values()].map((incident) => wholeIncidentToDocument(incident)),
          ends_at: new Date(taken.endsMs).toISOString(),
          notes: taken.notes,
        });
      },
    },
  },
};
