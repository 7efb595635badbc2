// Answers one HTTP request by a table of routes; everything that no route takes is refused with a code.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from '../helpers/http/bounded-server.ts';
import { shownJson } from '../model/shown-json.ts';
import { ApiError } from './api-error.ts';
import { checkParameters } from './check-parameters.ts';
import { findRoute } from './find-route.ts';
import { type ApiCounters, type Right, type Routes, rightOf } from './route.ts';

export function noRequests(): ApiCounters {
  return { requests: 0, refused: 0, evicted: 0, streams: 0, slowReaders: 0 };
}

/** Throws an ApiError where whoever asks has not this right. */
export type Permit = (request: IncomingMessage, right: Right) => void;

export interface Answering<Backend> {
  readonly routes: Routes<Backend>;
  readonly backend: Backend;
  readonly counters: ApiCounters;
  /** Left out: whoever can connect may ask for everything. */
  readonly permit?: Permit;
}

/** Answers one request; never throws and never rejects. */
export async function answer<Backend>(
  { routes, backend, counters, permit }: Answering<Backend>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  counters.requests += 1;
  try {
    const [url, method] = [request.url ?? '', request.method ?? ''];
    // First: of what is there, only those hear who may ask at all.
    permit?.(request, 'read');
    const { route, path } = findRoute(routes, url, method);
    const right = rightOf(method, route);
    if (right !== 'read') permit?.(request, right);
    if (hasBody(request) && route.body === undefined)
      throw new ApiError(413, 'FL4104', `${url.split('?', 1)[0]} takes no body. Put the parameters behind "?"`);
    const parameters = parametersOf(url);
    checkParameters(parameters, route.parameters ?? {});
    await route.run({ backend, parameters, path, request, response, counters });
  } catch (error) {
    counters.refused += 1;
    const refusal =
      error instanceof ApiError ? error : new ApiError(500, 'FL4106', 'the daemon could not answer; its log says why');
    if (response.headersSent) response.destroy();
    else {
      response.setHeader('connection', 'close');
      for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
      sendJson(response, refusal.httpStatus, refusal.toDocument());
    }
  }
}

export function sendJson(response: ServerResponse, status: number, document: object): void {
  send(response, status, 'application/json', `${shownJson(document)}\n`);
}

export function send(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function parametersOf(url: string): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}
