// gRPC door: OTLP over gRPC. On node:http2, as grpc-js keeps whole messages of every stream and has no limit over all connections.

import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { type Sender, senderOf, UNKNOWN_SENDER } from '../../sender.ts';
import { type Encoding, type Receiver, responseBytes, statusBytes } from '../receive/receiver.ts';
import { SIGNALS } from '../receive/signals.ts';
import { asRefusal, Refusal, type RefusalReason, tooSlow } from '../wire/refusal.ts';

/** A flag and four bytes of length come before each message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const PREFIX = 5;
const OK = 0;
/** gRPC's status codes. */
const CODE: Readonly<Record<RefusalReason, number>> = { malformed: 3, too_large: 8, busy: 8, unsupported: 12, slow: 4 };
const HEADERS = { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': 'gzip,identity' };
/** Streams of one connection at a time, and what nghttp2 may keep for it, in MB. */
const STREAMS = 8;
const SESSION_MB = 4;

export function grpcDoor(receiver: Receiver, requestMs: number): Http2Server {
  const server = createServer({
    maxSessionMemory: SESSION_MB,
    settings: { maxConcurrentStreams: STREAMS, maxHeaderListSize: 16_384, enablePush: false },
  });
  server.on('stream', (stream, headers) => {
    // A stream that is reset is over; no client waits for an answer.
    stream.on('error', () => {});
    stream.setTimeout(0);
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(tooSlow(requestMs)), requestMs);
    stream.once('close', () => clearTimeout(timer));
    void answer(receiver, stream, headers, ended.signal);
  });
  server.on('sessionError', () => {
    receiver.counts.refused += 1;
  });
  return server;
}

async function answer(
  receiver: Receiver,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  ended: AbortSignal,
): Promise<void> {
  try {
    if (!/^application\/grpc(?:\+proto)?(?:;|$)/.test(headers['content-type'] ?? '')) {
      stream.respond({ ':status': 415 }, { endStream: true });
      receiver.counts.refused += 1;
      return;
    }
    const signal = SIGNALS.find(({ grpcPath }) => grpcPath === headers[':path']);
    if (signal === undefined) {
      const what = 'no such method. OTLP has Export of TraceService, MetricsService and LogsService, version 1';
      throw receiver.refused(new Refusal('unsupported', what));
    }
    const compression = headers['grpc-encoding'] ?? 'identity';
    if (compression !== 'identity' && compression !== 'gzip')
      throw receiver.refused(new Refusal('unsupported', 'grpc-encoding is not one of gzip and identity'));
    const taken = await receiver.receive(signal, {
      stream,
      unframe: (bytes) => unframe(bytes, compression === 'gzip'),
      sender: senderIn(stream),
      ended,
      length: Number(headers['content-length'] ?? 0),
      extraBytes: PREFIX,
    });
    if (stream.destroyed) return;
    stream.respond(HEADERS, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': OK }));
    stream.end(frame(responseBytes(taken)));
  } catch (error) {
    refuse(stream, asRefusal(error));
  }
}

/** Known to the socket since it was accepted: HTTP/2 hides what is beneath. */
function senderIn({ session }: ServerHttp2Stream): Promise<Sender> {
  return session === undefined || session.destroyed
    ? Promise.resolve(UNKNOWN_SENDER)
    : senderOf(session.socket as Socket); // TLS is not spoken here
}

function refuse(stream: ServerHttp2Stream, { reason, message, retryMs }: Refusal): void {
  if (stream.destroyed || stream.headersSent) return;
  const trailers = {
    ...HEADERS,
    'grpc-status': CODE[reason],
    'grpc-message': message.replace(/[^ -~]|%/gu, encodeURIComponent),
    'grpc-status-details-bin': statusBytes(CODE[reason], message, retryMs).toString('base64'),
  };
  stream.respond(trailers, { endStream: true });
  // What is still to come is not read: the client may stop now.
  if (!stream.readableEnded) stream.close();
}

/** The only message of a call that is not streamed. */
function unframe(bytes: Buffer, canInflate: boolean): { readonly message: Buffer; readonly encoding: Encoding } {
  if (bytes.length < PREFIX) throw new Refusal('malformed', 'the call carries no message');
  const flag = bytes.readUInt8(0);
  const end = PREFIX + bytes.readUInt32BE(1);
  if (flag > 1 || end !== bytes.length)
    throw new Refusal('malformed', 'the call does not carry exactly one whole message. Export takes one');
  if (flag === 1 && !canInflate)
    throw new Refusal('malformed', 'the message is compressed, and grpc-encoding does not say how');
  return { message: bytes.subarray(PREFIX), encoding: { json: false, gzip: flag === 1 } };
}

function frame(message: Buffer): Buffer {
  const framed = Buffer.alloc(PREFIX + message.length);
  framed.writeUInt32BE(message.length, 1);
  message.copy(framed, PREFIX);
  return framed;
}
