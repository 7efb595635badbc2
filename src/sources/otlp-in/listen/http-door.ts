// HTTP door: OTLP over HTTP/1.1, in protobuf or JSON.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { linger } from '../../../helpers/http/linger.ts';
import { senderOf } from '../../sender.ts';
import { type Encoding, type Receiver, responseBytes, statusBytes } from '../receive/receiver.ts';
import { SIGNALS, type Taken } from '../receive/signals.ts';
import { asRefusal, Refusal, type RefusalReason, tooSlow } from '../wire/refusal.ts';

/** Event of a connection: the head of its first request has come. */
export const ASKED = 'asked';
const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';
/** Status, and google.rpc.Code: INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, DEADLINE_EXCEEDED. */
const STATUS: Readonly<Record<RefusalReason, readonly [number, number]>> = {
  malformed: [400, 3],
  too_large: [413, 8],
  busy: [429, 8],
  unsupported: [404, 12],
  slow: [408, 4],
};
export function httpDoor(receiver: Receiver, requestMs: number): Server {
  const server = createServer({ maxHeaderSize: 8192, keepAliveTimeout: 60_000 }, (request, response) => {
    request.socket.emit(ASKED);
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(tooSlow(requestMs)), requestMs);
    void answer(receiver, request, response, ended.signal).finally(() => clearTimeout(timer));
  });
  server.on('clientError', (_error, socket) => {
    receiver.counts.refused += 1;
    if (socket.writable) socket.write('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    socket.destroy();
  });
  return server;
}

async function answer(
  receiver: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
  ended: AbortSignal,
): Promise<void> {
  response.on('error', () => {}); // the client is gone
  const json = typeOf(request) === JSON_TYPE;
  try {
    const signal = SIGNALS.find(({ httpPath }) => httpPath === path(request));
    if (signal === undefined) {
      const known = SIGNALS.map(({ httpPath }) => httpPath).join(', ');
      throw receiver.refused(new Refusal('unsupported', `no such path. OTLP is taken at ${known}`));
    }
    if (request.method !== 'POST') throw receiver.refused(new Refusal('unsupported', 'only POST is taken here'));
    const encoding = encodingOf(request);
    if (encoding instanceof Refusal) throw receiver.refused(encoding);
    const taken = await receiver.receive(signal, {
      stream: request,
      unframe: (message) => ({ message, encoding }),
      sender: senderOf(request.socket),
      ended,
      length: Number(request.headers['content-length'] ?? 0),
    });
    const body = json ? Buffer.from(JSON.stringify(asJson(signal.name, taken))) : responseBytes(taken);
    response.writeHead(200, { 'content-type': json ? JSON_TYPE : PROTOBUF, 'content-length': body.length });
    response.end(body);
  } catch (error) {
    refuse(request, response, json, asRefusal(error));
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, json: boolean, refusal: Refusal): void {
  if (response.destroyed || response.headersSent) return;
  const { reason, message, retryMs } = refusal;
  const [status, code] = STATUS[reason];
  const body = json ? Buffer.from(JSON.stringify({ code, message })) : statusBytes(code, message, retryMs);
  if (retryMs !== null) response.setHeader('retry-after', Math.ceil(retryMs / 1000));
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': json ? JSON_TYPE : PROTOBUF, 'content-length': body.length });
  if (request.complete) response.end(body);
  else linger(request, response, body);
}

/** Partial success by the names of OTLP in JSON. */
function asJson(signal: string, { rejected, why }: Taken): object {
  if (rejected === 0 && why === '') return {};
  const count = { traces: 'rejectedSpans', metrics: 'rejectedDataPoints', logs: 'rejectedLogRecords' }[signal] ?? '';
  return { partialSuccess: { [count]: String(rejected), errorMessage: why } };
}

function encodingOf(request: IncomingMessage): Encoding | Refusal {
  const type = typeOf(request);
  if (type !== JSON_TYPE && type !== PROTOBUF)
    return new Refusal('malformed', `content-type is not one of ${PROTOBUF} and ${JSON_TYPE}. Set it by what is sent`);
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip')
    return new Refusal('malformed', 'content-encoding is not one of gzip and identity. Set the compression to gzip');
  return { json: type === JSON_TYPE, gzip: encoding === 'gzip' };
}

function typeOf({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function path({ url }: IncomingMessage): string {
  return (url ?? '').split('?')[0] ?? '';
}
