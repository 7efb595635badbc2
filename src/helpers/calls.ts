// Calls out: what the daemon asks of others over HTTP, SNMP, gRPC or a program, for whoever traces it. Free where nothing does.

import { AsyncLocalStorage } from 'node:async_hooks';

/** Where a span is: 32 and 16 hex digits. */
export interface CallParent {
  readonly traceId: string;
  readonly spanId: string;
}

/** By the names of OpenTelemetry's semantic conventions; never a secret, and of a URL no query. */
export interface CallStart {
  /** "GET", "GetBulk", "scontrol show node" */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

export interface CallEnd {
  readonly attributes?: Readonly<Record<string, string | number>>;
  /** What went wrong: a word, or a status code; left out where nothing did. */
  readonly error?: string;
}

export interface Call {
  /** To be given on to the other side; null where it is not traced. */
  readonly traceparent: string | null;
  /** Once; later ones do nothing. */
  end(how?: CallEnd): void;
}

export type CallObserver = (start: CallStart, parent: CallParent | null) => Call | null;

const UNSEEN: Call = { traceparent: null, end() {} };
const parents = new AsyncLocalStorage<CallParent>();
let observer: CallObserver | null = null;

/** One at a time: the newest. Returns what takes it away again. */
export function observeCalls(observe: CallObserver): () => void {
  observer = observe;
  return () => {
    if (observer === observe) observer = null;
  };
}

/** `start` is not called where no one traces. */
export function callOut(start: () => CallStart): Call {
  return observer?.(start(), parents.getStore() ?? null) ?? UNSEEN;
}

/** The calls that this work makes belong to that span. */
export function within<T>(parent: CallParent, work: () => Promise<T>): Promise<T> {
  return observer === null ? work() : parents.run(parent, work);
}

/** An HTTP request as the conventions name it. */
export function httpCall(method: string, { protocol, hostname, port, pathname }: URL): CallStart {
  const secure = protocol === 'https:';
  return {
    name: method,
    attributes: {
      'http.request.method': method,
      'url.full': `${protocol}//${hostname}${port === '' ? '' : `:${port}`}${pathname}`,
      'server.address': hostname,
      'server.port': port === '' ? (secure ? 443 : 80) : Number(port),
    },
  };
}

/** A unary call of gRPC: `/package.Service/Method`. */
export function grpcCall(path: string, endpoint: string): CallStart {
  const [, service = '', method = ''] = path.split('/');
  const server = URL.canParse(endpoint) ? new URL(endpoint).host : endpoint;
  return {
    name: `${service}/${method}`,
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method, 'server.address': server },
  };
}

/** A program of the system with its first words. */
export function programCall(path: string, words: readonly string[]): CallStart {
  const executable = path.slice(path.lastIndexOf('/') + 1);
  return {
    name: [executable, ...words.slice(0, 2)].join(' '),
    attributes: { 'process.executable.name': executable, 'process.executable.path': path },
  };
}

/** What came of it: a status of 400 and above is an error of the call. */
export function httpEnd(status: number): CallEnd {
  const attributes = { 'http.response.status_code': status };
  return status >= 400 ? { attributes, error: String(status) } : { attributes };
}
