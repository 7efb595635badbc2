// The host over the API: status, events, work, devices, parts, readings.

import { eventToDocument } from '../../model/documents/event.ts';
import { sendJson } from '../answer.ts';
import type { ApiBackend } from '../backend.ts';
import { readJson } from '../body.ts';
import { callerOf } from '../caller.ts';
import type { Routes } from '../route.ts';
import { FOLLOW, isFollowing, stream } from './follow.ts';
import { document, EVENT, listOf, object, TEXT, TIME } from './shapes.ts';

const LIST = listOf({ type: 'object' });

export const HOST_ROUTES: Routes<ApiBackend> = {
  '/v1/status': {
    GET: {
      summary: 'What the daemon runs with, and how its sources and sinks are',
      answer: { description: 'Status', schema: document('status', { host: TEXT, pid: { type: 'integer' } }) },
      run: ({ backend, response, counters }) =>
        sendJson(response, 200, { schema: 'faultline/status/1', ...backend.status(), api: { ...counters } }),
    },
  },
  '/v1/events': {
    GET: {
      summary: 'The newest events, or events as they come',
      parameters: { follow: FOLLOW },
      answer: {
        description: 'Events; with follow=1 a document faultline/event/1 a line',
        schema: document('events', { events: listOf(EVENT) }),
      },
      run: ({ backend, parameters, response, counters }) => {
        const recent = () => backend.recentEvents().map((event) => eventToDocument(event, backend.host));
        if (!isFollowing(parameters))
          return sendJson(response, 200, { schema: 'faultline/events/1', events: recent() });
        stream(response, counters, recent, (send) =>
          backend.events((event) => send(eventToDocument(event, backend.host))),
        );
      },
    },
  },
  '/v1/inventory': {
    GET: {
      summary: 'The parts that this host has had',
      answer: { description: 'Parts', schema: document('inventory', { parts: LIST }) },
      run: ({ backend, response }) =>
        sendJson(response, 200, { schema: 'faultline/inventory/1', ...backend.inventory() }),
    },
    POST: {
      summary: 'Expect a part no more that was taken out on purpose',
      body: object({ accept: TEXT }),
      answer: { description: 'The part', schema: document('inventory-accepted', { accepted: { type: 'object' } }) },
      run: async ({ backend, request, response }) => {
        const accepted = backend.acceptPart(await readJson(request), callerOf(request.socket));
        sendJson(response, 200, { schema: 'faultline/inventory-accepted/1', accepted });
      },
    },
  },
  '/v1/jobs': {
    GET: {
      summary: 'The jobs on this host',
      answer: { description: 'Jobs', schema: document('jobs', { host: TEXT, time: TIME, jobs: LIST }) },
      run: ({ backend, response }) => sendJson(response, 200, backend.jobs()),
    },
  },
  '/v1/devices': {
    GET: {
      summary: 'Who has each device of this host',
      answer: { description: 'Devices', schema: document('devices', { host: TEXT, time: TIME, devices: LIST }) },
      run: ({ backend, response }) => sendJson(response, 200, backend.devices()),
    },
  },
  '/v1/now': {
    GET: {
      summary: 'The newest readings of what people watch',
      answer: { description: 'Readings', schema: document('now', { host: TEXT, time: TIME, readings: LIST }) },
      run: ({ backend, response }) => sendJson(response, 200, backend.newest()),
    },
  },
};
