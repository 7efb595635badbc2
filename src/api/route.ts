// Route: one thing that can be asked: who may, with which parameters, and what comes back. The OpenAPI document is made of these.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerCounts } from '../helpers/http/bounded-server.ts';

/** Reading changes nothing; writing does. */
export type Right = 'read' | 'write';

export interface ApiCounters extends ServerCounts {
  requests: number;
  streams: number;
  slowReaders: number;
}

/** The part of JSON Schema that parameters use. */
export interface ParameterSchema {
  readonly type: 'string' | 'integer' | 'number';
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
}

export interface Parameter {
  readonly description: string;
  readonly schema: ParameterSchema;
  /** For the message of who writes it wrongly, and for the documentation. */
  readonly example?: string;
}

/** Name → what it may be. */
export type Parameters = Readonly<Record<string, Parameter>>;

export interface Asked<Backend> {
  readonly backend: Backend;
  /** Those behind the question mark: only such as the route knows, each once and of its form. */
  readonly parameters: URLSearchParams;
  /** Those of the path, decoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counters: ApiCounters;
}

export interface Route<Backend> {
  /** One line. */
  readonly summary: string;
  /** Left out: GET reads, everything else writes. */
  readonly right?: Right;
  /** Of the query; those of the path are in the path, in braces. */
  readonly parameters?: Parameters;
  /** JSON Schema of the body; a route without it takes none. */
  readonly body?: object;
  readonly answer: {
    readonly description: string;
    /** JSON Schema of what comes back; left out where it is not JSON. */
    readonly schema?: object;
    /** application/json when left out. */
    readonly contentTypes?: readonly string[];
  };
  run(asked: Asked<Backend>): void | Promise<void>;
}

/** Path → method → what answers. */
export type Routes<Backend> = Readonly<Record<string, Readonly<Record<string, Route<Backend>>>>>;

export function rightOf(method: string, route: Pick<Route<never>, 'right'>): Right {
  return route.right ?? (method === 'GET' ? 'read' : 'write');
}
