// Hostile collectors: each way answers a connection over TCP with its own kind of mischief.

import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';

const answer = (status, headers, body = '') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${headers}content-length: ${body.length}\r\n\r\n`),
    Buffer.from(body),
  ]);
/** A quarter of a megabyte that is 256 when it is unpacked; made in pieces, since gzip takes members in a row. */
const BOMB = Buffer.concat(Array(256).fill(gzipSync(Buffer.alloc(1 << 20))));
/** Writes for ever, as fast as the other side takes it. */
const endless = (socket, chunk) => {
  const more = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
};
// Field 1 (partial success) of an OTLP response: 2^63 - 1 rejected, and a message of a megabyte.
const lie = () => {
  const text = Buffer.alloc(1 << 20, 'x');
  const varint = (value) => {
    const bytes = [];
    for (let rest = BigInt(value); ; rest >>= 7n) {
      if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
      bytes.push(Number(rest & 127n) | 128);
    }
  };
  const inner = Buffer.concat([Buffer.from([8]), varint(2n ** 63n - 1n), Buffer.from([18]), varint(text.length), text]);
  return Buffer.concat([Buffer.from([10]), varint(inner.length), inner]);
};

export const WAYS = {
  'never answers': () => {},
  'a byte of header each second': (socket) => {
    const text = answer('200 OK', '');
    let at = 0;
    const timer = setInterval(() => socket.write(text.subarray(at, ++at)), 1000);
    socket.on('close', () => clearInterval(timer));
  },
  'status 999': (socket) => socket.end(answer('999 no such thing', '')),
  'no HTTP at all': (socket) => socket.end(randomBytes(1 << 20)),
  'an answer without end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 1099511627776\r\n\r\n');
    endless(socket, Buffer.alloc(1 << 16, 10));
  },
  'headers without end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    endless(socket, `x-${'y'.repeat(200)}: ${'z'.repeat(4000)}\r\n`);
  },
  'a bomb in gzip': (socket) =>
    socket.end(answer('200 OK', 'content-encoding: gzip\r\ncontent-type: application/x-protobuf\r\n', BOMB)),
  'resets each connection': (socket) => socket.resetAndDestroy(),
  'sends elsewhere (307)': (socket, elsewhere) =>
    socket.end(answer('307 Temporary Redirect', `location: ${elsewhere}\r\n`)),
  'too many requests, come back in ten years': (socket) =>
    socket.end(answer('429 Too Many Requests', 'retry-after: 315360000\r\n')),
  'unavailable, come back before now': (socket) => socket.end(answer('503 Service Unavailable', 'retry-after: -5\r\n')),
  'partial success that lies': (socket) =>
    socket.end(answer('200 OK', 'content-type: application/x-protobuf\r\n', lie())),
  'a TLS handshake without end': () => {},
};

/** `requests`: connections and pieces read; a way begins with the first piece, TLS included. */
export async function hostileCollector(way, elsewhere) {
  const seen = { connections: 0, open: 0 };
  const server = createServer((socket) => {
    seen.connections += 1;
    seen.open += 1;
    socket.on('error', () => {});
    socket.on('close', () => {
      seen.open -= 1;
    });
    socket.once('data', () => {
      WAYS[way](socket, elsewhere);
      socket.resume();
    });
  });
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: server.address().port, seen, close };
}
