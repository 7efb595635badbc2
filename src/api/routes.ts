// The routes of the local API: what may be asked, with which method and parameters.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { eventToDocument, wholeIncidentToDocument } from '../model/document.ts';
import { ApiError } from './api-error.ts';
import type { ApiBackend } from './backend.ts';
import { NdjsonStream } from './stream.ts';

const MAX_STREAMS = 24;
const MAX_RELEASE_MS = 24 * 3_600_000;

export interface ApiCounters {
  requests: number;
  refused: number;
  streams: number;
  slowReaders: number;
}

type Answer = (
  backend: ApiBackend,
  parameters: URLSearchParams,
  response: ServerResponse,
  counters: ApiCounters,
) => void;

function sendJson(response: ServerResponse, status: number, document: object): void {
  const body = `${JSON.stringify(document)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** Sends what there is and goes on with what comes, one document a line. */
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

const ROUTES: Readonly<Record<string, Readonly<Record<string, Answer>>>> = {
  '/v1/status': {
    GET: (backend, parameters, response, counters) => {
      known(parameters, []);
      sendJson(response, 200, { schema: 'faultline/status/1', ...backend.status(), api: { ...counters } });
    },
  },
  '/v1/events': {
    GET: (backend, parameters, response, counters) => {
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
    GET: (backend, parameters, response, counters) => {
      known(parameters, ['follow']);
      if (!flag(parameters, 'follow')) {
        const incidents = backend.incidents().map(wholeIncidentToDocument);
        return sendJson(response, 200, { schema: 'faultline/incidents/1', incidents });
      }
      stream(
        response,
        counters,
        () => backend.incidents().map(wholeIncidentToDocument),
        (send) => backend.onIncident((incident) => send(wholeIncidentToDocument(incident))),
      );
    },
  },
  '/v1/release-devices': {
    POST: (backend, parameters, response) => {
      known(parameters, ['for_ms']);
      const text = parameters.get('for_ms') ?? '600000';
      const forMs = /^\d{1,9}$/.test(text) ? Number(text) : 0;
      if (forMs < 1000 || forMs > MAX_RELEASE_MS) {
        throw new ApiError(400, 'FL4103', `for_ms must be from 1000 to ${MAX_RELEASE_MS}. Write: for_ms=600000`);
      }
      const { released } = backend.releaseDevices(forMs);
      sendJson(response, 200, { schema: 'faultline/release-devices/1', released, for_ms: forMs });
    },
  },
};

/** Answers one request; never throws. */
export function answer(
  backend: ApiBackend,
  request: IncomingMessage,
  response: ServerResponse,
  counters: ApiCounters,
): void {
  counters.requests += 1;
  try {
    route(request)(backend, parametersOf(request), response, counters);
  } catch (error) {
    counters.refused += 1;
    const refusal =
      error instanceof ApiError ? error : new ApiError(500, 'FL4106', 'the daemon could not answer; its log says why');
    if (response.headersSent) response.destroy();
    else {
      response.setHeader('connection', 'close');
      sendJson(response, refusal.httpStatus, refusal.toDocument());
    }
  }
}

function route(request: IncomingMessage): Answer {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const methods = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (methods === undefined)
    throw new ApiError(404, 'FL4101', `there is no such path here. Known: ${Object.keys(ROUTES).join(', ')}`);
  const method = request.method ?? '';
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handler === undefined) throw new ApiError(405, 'FL4102', `${path} takes ${Object.keys(methods).join(', ')}`);
  if (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) !== 0) {
    throw new ApiError(413, 'FL4104', 'no request here has a body. Put the parameters behind "?"');
  }
  return handler;
}

function parametersOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

function known(parameters: URLSearchParams, names: readonly string[]): void {
  for (const name of parameters.keys()) {
    if (!names.includes(name))
      throw new ApiError(
        400,
        'FL4103',
        `${name.slice(0, 64)} is not known here. Known: ${names.join(', ') || 'nothing'}`,
      );
    if (parameters.getAll(name).length > 1) throw new ApiError(400, 'FL4103', `${name} is given twice`);
  }
}

function flag(parameters: URLSearchParams, name: string): boolean {
  const text = parameters.get(name) ?? '0';
  if (text !== '0' && text !== '1') throw new ApiError(400, 'FL4103', `${name} must be 0 or 1. Write: ${name}=1`);
  return text === '1';
}
