// Answers one HTTP request by a table of routes; everything that no route takes is refused with a code.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { shownJson } from '../model/shown-json.ts';
import { ApiError } from './api-error.ts';
import { hasBody, type ServerCounts } from './bounded-server.ts';

export interface ApiCounters extends ServerCounts {
  requests: number;
  streams: number;
  slowReaders: number;
}

export interface Asked<Backend> {
  readonly backend: Backend;
  readonly parameters: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counters: ApiCounters;
}

export function noRequests(): ApiCounters {
  return { requests: 0, refused: 0, evicted: 0, streams: 0, slowReaders: 0 };
}

/** A request may carry a body only where `takesBody` is set. */
export type Handler<Backend> = ((asked: Asked<Backend>) => void | Promise<void>) & { readonly takesBody?: boolean };

/** Path → method → what answers. */
export type Routes<Backend> = Readonly<Record<string, Readonly<Record<string, Handler<Backend>>>>>;

/** Answers one request; never throws and never rejects. */
export async function answer<Backend>(
  routes: Routes<Backend>,
  backend: Backend,
  request: IncomingMessage,
  response: ServerResponse,
  counters: ApiCounters,
): Promise<void> {
  counters.requests += 1;
  try {
    const handler = route(routes, request);
    await handler({ backend, parameters: parametersOf(request), request, response, counters });
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

export function sendJson(response: ServerResponse, status: number, document: object): void {
  send(response, status, 'application/json', `${shownJson(document)}\n`);
}

export function send(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}

function route<Backend>(routes: Routes<Backend>, request: IncomingMessage): Handler<Backend> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const methods = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (methods === undefined)
    throw new ApiError(404, 'FL4101', `there is no such path here. Known: ${Object.keys(routes).join(', ')}`);
  const method = request.method ?? '';
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (handler === undefined) throw new ApiError(405, 'FL4102', `${path} takes ${Object.keys(methods).join(', ')}`);
  if (hasBody(request) && handler.takesBody !== true) {
    throw new ApiError(413, 'FL4104', `${path} takes no body. Put the parameters behind "?"`);
  }
  return handler;
}

function parametersOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}

/** Refuses parameters that are not among `names`, or come twice. */
export function known(parameters: URLSearchParams, names: readonly string[]): void {
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

export function flag(parameters: URLSearchParams, name: string): boolean {
  const text = parameters.get(name) ?? '0';
  if (text !== '0' && text !== '1') throw new ApiError(400, 'FL4103', `${name} must be 0 or 1. Write: ${name}=1`);
  return text === '1';
}
