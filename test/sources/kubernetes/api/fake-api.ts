// Fake API: answers over HTTP as a test says, in the forms of the API server and of kubelet's own port.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Asked {
  readonly url: URL;
  readonly accept: string;
  readonly authorization: string | undefined;
}

export interface FakeApi {
  readonly url: string;
  readonly asked: Asked[];
  /** Streams that are open: lines may be written to them. */
  readonly streams: http.ServerResponse[];
}

/** `answer`: a body, a status, or 'stream' for a watch that stays open. */
export async function fakeApi(
  t: TestContext,
  answer: (asked: Asked) => object | number | string | 'stream',
): Promise<FakeApi> {
  const asked: Asked[] = [];
  const streams: http.ServerResponse[] = [];
  const server = http.createServer((request, response) => {
    const { accept = '', authorization } = request.headers;
    const one = { url: new URL(request.url ?? '/', 'http://fake'), accept, authorization };
    asked.push(one);
    const reply = answer(one);
    if (reply === 'stream') {
      streams.push(response);
      response.flushHeaders();
      return;
    }
    response.statusCode = typeof reply === 'number' ? reply : 200;
    response.end(typeof reply === 'object' ? JSON.stringify(reply) : String(reply));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { url: `http://127.0.0.1:${port}`, asked, streams };
}

export const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;

export function podJson(uid: string, name: string, more: object = {}): object {
  return {
    metadata: { name, namespace: 'train', uid, resourceVersion: '7' },
    spec: {},
    status: { phase: 'Running' },
    ...more,
  };
}
