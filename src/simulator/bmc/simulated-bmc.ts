// A simulated BMC: a Redfish service over TLS on a loopback port whose state a script changes live.

import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { Sessions } from './sessions.ts';
import { type BmcState, DROPOUT_VOLTAGE } from './state.ts';
import { type BmcModel, ROOT, SESSIONS, tree } from './tree.ts';

export interface SimulatedBmcOptions {
  readonly model?: BmcModel;
  readonly supplies?: number;
  readonly fans?: number;
  readonly inputVoltage?: number;
  readonly hostWatts?: number;
  readonly limitWatts?: number | null;
  readonly user?: string;
  readonly password?: string;
  readonly serial?: string;
  /** BMC clock minus ours, ms. */
  readonly clockOffsetMs?: number;
  /** Without TLS: plain HTTP. */
  readonly plain?: boolean;
  /** Left out, 127.0.0.1 and a free port. */
  readonly address?: string;
  readonly port?: number;
  readonly now?: () => number;
}

export interface BmcFaults {
  /** True: requests get no answer. */
  silent: boolean;
  delayMs: number;
  /** Paths that contain one of these answer 500. */
  failing: string[];
  /** Paths that contain one of these answer 404. */
  missing: string[];
}

const ADDRESS = '127.0.0.1';
const MOST_REQUEST = 16 * 1024;

export class SimulatedBmc {
  readonly url: string;
  /** PEM; empty without TLS. */
  readonly certificate: string;
  readonly state: BmcState;
  readonly sessions: Sessions;
  /** Resources by path besides those of the model; one of the model gets these properties as well. */
  readonly extra = new Map<string, object>();
  /** Paths that are answered by hand, once the user is let in. */
  readonly raw = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  /** Hears every request. */
  onRequest: (request: IncomingMessage) => void = () => undefined;
  /** $expand is obeyed, for two levels; false: as if it had not been asked for. */
  expands = true;
  readonly faults: BmcFaults = { silent: false, delayMs: 0, failing: [], missing: [] };
  /** Requests that were answered, and the most that were under way at once. */
  requests = 0;
  mostAtOnce = 0;
  clockOffsetMs: number;
  readonly #model: BmcModel;
  readonly #serial: string;
  readonly #server: http.Server;
  readonly #now: () => number;
  readonly #lostAtMs: (number | null)[];
  readonly #timers = new Set<NodeJS.Timeout>();
  #atOnce = 0;

  private constructor(server: http.Server, certificate: string, options: SimulatedBmcOptions) {
    const { port, address } = server.address() as AddressInfo; // it listens on TCP
    this.url = `${certificate === '' ? 'http' : 'https'}://${address}:${port}`;
    this.certificate = certificate;
    this.#server = server;
    this.#model = options.model ?? 'new';
    this.#serial = options.serial ?? 'SIM0001';
    this.#now = options.now ?? Date.now;
    this.clockOffsetMs = options.clockOffsetMs ?? 0;
    this.sessions = new Sessions(options.user ?? 'faultline', options.password ?? 'simulated', this.#now);
    const supply = {
      inputVoltage: options.inputVoltage ?? 230,
      fed: true,
      failed: false,
      standby: false,
      absent: false,
    };
    this.state = {
      hostWatts: options.hostWatts ?? 3800,
      limitWatts: options.limitWatts ?? null,
      supplies: Array.from({ length: options.supplies ?? 2 }, () => ({ ...supply })),
      fans: Array.from({ length: options.fans ?? 4 }, () => ({ rpm: 8400, failed: false })),
      inletC: 24,
    };
    this.#lostAtMs = this.state.supplies.map(() => null);
    server.on('request', (request, response) => this.#take(request, response));
  }

  static async start(options: SimulatedBmcOptions = {}): Promise<SimulatedBmc> {
    const { plain = false, address = ADDRESS, port = 0 } = options;
    const made = plain ? null : (await import('./certificate.ts')).selfSignedCertificate('bmc.simulated', address);
    const server = made === null ? http.createServer() : https.createServer({ key: made.key, cert: made.certificate });
    server.listen(port, address);
    await once(server, 'listening');
    return new SimulatedBmc(server, made?.certificate ?? '', options);
  }

  /** Marks when supplies lost and got back their input; to be called after `state` was changed. */
  settle(): void {
    this.state.supplies.forEach(({ fed, inputVoltage, absent }, i) => {
      const lost = !absent && (!fed || inputVoltage < DROPOUT_VOLTAGE);
      this.#lostAtMs[i] = lost ? (this.#lostAtMs[i] ?? this.#now()) : null;
    });
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.onRequest(request);
    if (this.faults.silent) return;
    this.#atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
    response.on('close', () => {
      this.#atOnce -= 1;
    });
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
      if (body.length > MOST_REQUEST) request.destroy();
    });
    request.on('end', () => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.requests += 1;
        this.#answer(request, response, body);
      }, this.faults.delayMs);
      this.#timers.add(timer);
    });
  }

  #answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const ownMs = this.#now() + this.clockOffsetMs;
    const byHand = this.raw.get((request.url ?? '').split('?', 1)[0] ?? '');
    if (byHand !== undefined && this.sessions.allows(request.headers)) {
      byHand(request, response);
      return;
    }
    const { status, content, headers = {} } = this.#reply(request, body, ownMs);
    response.sendDate = false;
    response.writeHead(status, {
      Date: new Date(ownMs).toUTCString(),
      'Content-Type': 'application/json',
      ...headers,
    });
    response.end(content === null ? undefined : JSON.stringify(content));
  }

  #reply(request: IncomingMessage, body: string, ownMs: number): Answer {
    const path = (request.url ?? '').split('?', 1)[0]?.replace(/\/$/, '') ?? '';
    if (request.method === 'POST' && path === SESSIONS) return this.#logIn(body);
    if (path !== ROOT && !this.sessions.allows(request.headers)) return failure(401, 'NoValidSession');
    if (request.method === 'DELETE' && path.startsWith(`${SESSIONS}/`)) {
      const ended = this.sessions.end(path.slice(SESSIONS.length + 1));
      return ended ? { status: 204, content: null } : failure(404, 'ResourceMissingAtURI');
    }
    if (this.faults.failing.some((part) => path.includes(part))) return failure(500, 'InternalError');
    if (this.faults.missing.some((part) => path.includes(part))) return failure(404, 'ResourceMissingAtURI');
    const session = this.sessions.describe(path.slice(SESSIONS.length + 1));
    if (path.startsWith(`${SESSIONS}/`) && session !== null)
      return { status: 200, content: { '@odata.id': path, ...session } };
    const extra = this.extra.get(path);
    const resources = tree(this.state, {
      model: this.#model,
      serial: this.#serial,
      dateTime: wholeSeconds(ownMs),
      inputLostAt: this.#lostAtMs.map((ms) => (ms === null ? null : wholeSeconds(ms + this.clockOffsetMs))),
    });
    const levels = this.expands ? Number(/\$expand=\.\(\$levels=(\d)\)/.exec(request.url ?? '')?.[1] ?? 0) : 0;
    const resource = expanded(resources.get(path), resources, levels);
    if (resource === undefined && extra === undefined) return failure(404, 'ResourceMissingAtURI');
    return { status: 200, content: { '@odata.id': path, ...resource, ...extra } };
  }

  #logIn(body: string): Answer {
    let asked: unknown = null;
    try {
      asked = JSON.parse(body);
    } catch {
      return failure(400, 'MalformedJSON');
    }
    const session = this.sessions.create(asked);
    if (session === 'refused') return failure(401, 'ResourceAtUriUnauthorized');
    if (session === 'full') return failure(503, 'SessionLimitExceeded');
    const place = `${SESSIONS}/${session.id}`;
    const headers = { 'X-Auth-Token': session.token, Location: place };
    return { status: 201, content: { '@odata.id': place, ...this.sessions.describe(session.id) }, headers };
  }
}

interface Answer {
  readonly status: number;
  readonly content: object | null;
  readonly headers?: Readonly<Record<string, string>>;
}

function failure(status: number, id: string): Answer {
  const MessageId = `Base.1.0.${id}`;
  return { status, content: { error: { code: MessageId, message: id, '@Message.ExtendedInfo': [{ MessageId }] } } };
}

/** With what its links lead to in their place, so many levels deep. */
function expanded(resource: object | undefined, all: ReadonlyMap<string, object>, levels: number): object | undefined {
  if (resource === undefined || levels === 0) return resource;
  const inPlace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPlace);
    if (typeof value !== 'object' || value === null) return value;
    const [[key, path] = [], second] = Object.entries(value);
    const target = key === '@odata.id' && second === undefined ? all.get(String(path)) : undefined;
    return target === undefined ? value : expanded(target, all, levels - 1);
  };
  return Object.fromEntries(
    Object.entries(resource).map(([key, value]) => [key, key === 'Links' ? value : inPlace(value)]),
  );
}

function wholeSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}
