// Serves a folder of Redfish resources (one index.json each) on loopback, as a BMC without logins would.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';

export interface TreeServer {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

export async function serveTree(folder: string): Promise<TreeServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://bmc').pathname;
    asked.push(path);
    const file = join(folder, normalize(path), 'index.json');
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'GET' || !existsSync(file)) response.writeHead(404).end('{"error":{"code":"missing"}}');
    else response.end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
