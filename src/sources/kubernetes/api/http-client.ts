// HTTP to kubelet or the API server as a service account: the token is read for each request, because it is replaced every hour.

import { X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { callOut, httpCall, httpEnd } from '../../../helpers/calls.ts';
import { codeOrText, errorCode } from '../../../helpers/error-code.ts';
import { names } from '../../../helpers/name-book.ts';
import { readStart } from '../../../helpers/read-start.ts';
import { KubeError } from '../kubelet/kubelet-error.ts';
import { textAt } from '../pod/values.ts';

export interface Peer {
  /** https://10.0.0.1:443 */
  readonly url: string;
  /** Null: asked without a token. */
  readonly tokenFile: string | null;
  /** Null: those that the system trusts. */
  readonly caFile: string | null;
  /** The certificate is not looked at. */
  readonly insecure: boolean;
  /** Another name that its certificate may be made out to. */
  readonly name: string | null;
  /** What to do where its certificate is not trusted. */
  readonly trust: string;
}

export const JSON_TYPE = 'application/json';
const MOST_TOKEN = 16 * 1024;
const MOST_MESSAGE = 64 * 1024;
const MESSAGE_MS = 2_000;
const MOST_CA = 1024 * 1024;
/** A node's pods, as kubelet gives them in one piece. */
const MOST_BODY = 64 * 1024 * 1024;
/** etcd takes no object of more than 1.5 MiB. */
const MOST_LINE = 4 * 1024 * 1024;
/** A watch without a line for so long is dead: bookmarks come every minute. */
const SILENCE_MS = 150_000;
const WHY_UNTRUSTED: readonly (readonly [RegExp, string])[] = [
  [/ALTNAME/, 'its certificate is for another name'],
  [/EXPIRED/, 'its certificate has expired'],
  [/SELF_SIGNED|UNABLE_TO/, 'its certificate is signed by no authority that is trusted here'],
];

interface Body {
  readonly method: 'PATCH';
  readonly body: string;
  readonly type: string;
}

interface Sent extends Omit<Body, 'method'> {
  readonly timeoutMs: number;
}

export interface Watched {
  cancel(): void;
}

export class HttpClient {
  readonly #peer: Peer;
  #agent: http.Agent | null = null;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  get url(): string {
    return this.#peer.url;
  }

  /** The body of an answer of status 200. Rejects with `KubeError`. */
  get(path: string, accept: string, timeoutMs: number): Promise<string> {
    return this.#answer(path, accept, timeoutMs);
  }

  /** The same of a request that changes something. */
  send(method: 'PATCH', path: string, { body, type, timeoutMs }: Sent): Promise<string> {
    return this.#answer(path, JSON_TYPE, timeoutMs, { method, body, type });
  }

  async #answer(path: string, accept: string, timeoutMs: number, sent?: Body): Promise<string> {
    const response = await this.#send(path, accept, timeoutMs, sent);
    const timer = setTimeout(() => response.destroy(new KubeError('timeout', this.#at(path, 'no answer'))), timeoutMs);
    try {
      const parts: Buffer[] = [];
      let length = 0;
      for await (const part of response as AsyncIterable<Buffer>) {
        length += part.length;
        if (length > MOST_BODY) throw new KubeError('too_large', this.#at(path, `more than ${MOST_BODY} bytes`));
        parts.push(part);
      }
      return Buffer.concat(parts).toString('utf8');
    } catch (error) {
      throw this.#explained(path, error);
    } finally {
      clearTimeout(timer);
      response.destroy();
    }
  }

  /** Each line of an answer that does not end by itself; `onEnd` once, null where the other side was done. */
  async watch(
    path: string,
    accept: string,
    timeoutMs: number,
    onLine: (line: string) => void,
    onEnd: (why: KubeError | null) => void,
  ): Promise<Watched> {
    const response = await this.#send(path, accept, timeoutMs);
    let rest: Buffer[] = [];
    let length = 0;
    let over = false;
    const end = (why: KubeError | null): void => {
      if (over) return;
      over = true;
      clearTimeout(silence);
      response.destroy();
      onEnd(why);
    };
    const silence = setTimeout(() => end(new KubeError('timeout', this.#at(path, 'silent'))), SILENCE_MS).unref();
    response.on('data', (part: Buffer) => {
      silence.refresh();
      let from = 0;
      for (let to = part.indexOf(10); to >= 0 && !over; to = part.indexOf(10, from)) {
        const line = Buffer.concat([...rest, part.subarray(from, to)]).toString('utf8');
        rest = [];
        length = 0;
        from = to + 1;
        if (line !== '') onLine(line);
      }
      if (from >= part.length || over) return;
      rest.push(part.subarray(from));
      length += part.length - from;
      if (length > MOST_LINE) end(new KubeError('too_large', this.#at(path, `a line of more than ${MOST_LINE} bytes`)));
    });
    response.on('error', (error: unknown) => end(this.#explained(path, error)));
    response.on('close', () =>
      end(response.complete ? null : new KubeError('down', this.#at(path, 'connection closed'))),
    );
    return {
      cancel(): void {
        over = true;
        clearTimeout(silence);
        response.destroy();
      },
    };
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = null;
  }

  async #send(path: string, accept: string, timeoutMs: number, sent?: Body): Promise<http.IncomingMessage> {
    const headers: Record<string, string> = { Accept: accept, 'User-Agent': 'faultline' };
    if (sent !== undefined) headers['Content-Type'] = sent.type;
    const token = await this.#token();
    if (token !== null) headers.Authorization = `Bearer ${token}`;
    this.#agent ??= await this.#connect();
    const agent = this.#agent;
    const base = new URL(this.#peer.url);
    const { request } = base.protocol === 'https:' ? https : http;
    const method = sent?.method ?? 'GET';
    const url = new URL(path, base);
    const traced = callOut(() => httpCall(method, url));
    if (traced.traceparent !== null) headers.traceparent = traced.traceparent;
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const call = request(url, { method, agent, headers, maxHeaderSize: 64 * 1024 });
      const timer = setTimeout(() => call.destroy(new KubeError('timeout', this.#at(path, 'no answer'))), timeoutMs);
      call.on('response', (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      call.on('error', (error) => {
        clearTimeout(timer);
        const why = this.#explained(path, error);
        traced.end({ error: why.fault });
        reject(why);
      });
      call.end(sent?.body);
    });
    const { statusCode = 0 } = response;
    traced.end(httpEnd(statusCode));
    if (statusCode === 200) return response;
    const why = sent === undefined ? null : await messageOf(response);
    response.destroy();
    throw new KubeError(faultOf(statusCode), this.#at(path, `status ${statusCode}${why === null ? '' : `: ${why}`}`));
  }

  async #token(): Promise<string | null> {
    const { tokenFile } = this.#peer;
    if (tokenFile === null) return null;
    const token = (await smallFile(tokenFile, MOST_TOKEN)).trim();
    if (!/^[\x21-\x7e]+$/.test(token)) throw new KubeError('unauthorized', `${tokenFile} holds no token`);
    return token;
  }

  async #connect(): Promise<http.Agent> {
    const { url, caFile, insecure, name } = this.#peer;
    const options = { keepAlive: true, maxSockets: 4, maxFreeSockets: 1, timeout: 30_000, lookup: names.lookup };
    if (!url.startsWith('https:')) return new http.Agent(options);
    const ca = caFile === null ? null : await smallFile(caFile, MOST_CA);
    return new https.Agent({
      ...options,
      rejectUnauthorized: !insecure,
      ...(ca === null ? {} : { ca }),
      checkServerIdentity: identityCheck(ca, name),
    });
  }

  #explained(path: string, error: unknown): KubeError {
    if (error instanceof KubeError) return error;
    const code = errorCode(error);
    const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code ?? '');
    // The certificate authority may have been replaced: it is read again.
    if (isCertificate) this.close();
    else names.failed(new URL(this.#peer.url).hostname);
    if (!isCertificate) return new KubeError('down', this.#at(path, codeOrText(error)));
    const why = `${WHY_UNTRUSTED.find(([codes]) => codes.test(code ?? ''))?.[1] ?? 'its certificate cannot be verified'} (${code})`;
    return new KubeError('certificate', this.#at(path, `${why}; no token was sent; ${this.#peer.trust}`));
  }

  #at(path: string, what: string): string {
    return `${this.#peer.url}${path.split('?', 1)[0]}: ${what}`;
  }
}

/** Of a change that was refused: the server's own words, in one line; null where it has none. */
async function messageOf(response: http.IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => response.destroy(), MESSAGE_MS);
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > MOST_MESSAGE) break;
    }
    return textAt(JSON.parse(Buffer.concat(parts).toString('utf8')), 'message');
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** A projected token is a link into a folder that is replaced as a whole. */
async function smallFile(path: string, most: number): Promise<string> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return (await readStart(file, most)).toString('utf8');
  } catch (error) {
    throw new KubeError('unauthorized', `${path}: ${codeOrText(error)}`);
  }
}

function faultOf(status: number): KubeError['fault'] {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_served';
  if (status === 409) return 'conflict';
  if (status === 410) return 'gone';
  return status === 429 || status === 503 ? 'busy' : 'bad_reply';
}

/** kubelet's own certificate, given as the authority, is the right one whatever name it has; else its node's name counts as well. */
function identityCheck(ca: string | null, name: string | null) {
  const pinned = new Set<string>();
  for (const [pem] of (ca ?? '').matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)) {
    try {
      const certificate = new X509Certificate(pem);
      if (!certificate.ca) pinned.add(certificate.fingerprint256);
    } catch {} // TLS itself refuses what is not a certificate
  }
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    if (pinned.has(certificate.fingerprint256)) return undefined;
    const error = checkServerIdentity(host, certificate);
    return error === undefined || name === null ? error : checkServerIdentity(name, certificate);
  };
}
