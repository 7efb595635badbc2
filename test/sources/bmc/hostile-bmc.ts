// BMCs that want our memory or time: a Redfish service whose every answer is as bad as its way of being bad allows.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

type Answer = (path: string, response: ServerResponse, request: IncomingMessage) => void;

const KIB = 1024;
const ROOT = {
  RedfishVersion: '1.15.0',
  Chassis: { '@odata.id': '/redfish/v1/Chassis' },
  Systems: { '@odata.id': '/redfish/v1/Systems' },
  Managers: { '@odata.id': '/redfish/v1/Managers' },
};

/** Links that lead to a fresh resource each. */
function members(path: string, count: number): object[] {
  return Array.from({ length: count }, (_, i) => ({ '@odata.id': `${path.slice(0, 100)}/${i}` }));
}

/** A resource that links to everything a reader may want, which is more of the same. */
function resource(path: string, more: object): object {
  const below = (name: string) => ({ '@odata.id': `${path.slice(0, 100)}/${name}` });
  const names = ['Power', 'Thermal', 'EnvironmentMetrics', 'PowerSubsystem', 'ThermalSubsystem', 'Sensors'];
  return {
    '@odata.id': path,
    Members: members(path, 100),
    ...Object.fromEntries(names.map((name) => [name, below(name)])),
    PowerSupplies: below('PowerSupplies'),
    Fans: below('Fans'),
    Name: 'x',
    ChassisType: 'RackMount',
    PowerControl: [{ PowerConsumedWatts: 400 }],
    Temperatures: [{ Name: 'Inlet', ReadingCelsius: 25 }],
    ...more,
  };
}

function tree(more: (path: string) => object): Answer {
  return (path, response) => {
    response.end(JSON.stringify(path === '/redfish/v1' ? ROOT : resource(path, more(path))));
  };
}

const bomb = gzipSync(Buffer.alloc(64 * KIB * KIB, '['));
const texts = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`Text${i}`, 'x'.repeat(100 * KIB)]));

export const HOSTILE: Readonly<Record<string, Answer>> = {
  'as many values as are taken': tree(() => ({ Oem: Array.from({ length: 19_000 }, (_, i) => i) })),
  'as many names as are taken': tree((path) => ({
    Oem: Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`${path.length}n${i}`, {}])),
  })),
  'names of long texts': tree(() => ({ ...texts, Name: 'x'.repeat(100 * KIB), Manufacturer: 'y'.repeat(100 * KIB) })),
  'a million values': (_, response) => void response.end(`{"Members":[${'0,'.repeat(500 * KIB)}0]}`),
  'a million brackets': (_, response) => void response.end('['.repeat(KIB * KIB)),
  'a million objects': (_, response) => void response.end(`[${'{"a":{}},'.repeat(100 * KIB)}0]`),
  'a second document inside a text': (_, response) => void response.end(`"}{"a":${'['.repeat(900 * KIB)}`),
  'four mebibytes without a length': (_, response) => {
    for (let i = 0; i < 64; i += 1) response.write(Buffer.alloc(64 * KIB, ' '));
    response.end();
  },
  'a gzip bomb': (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  'headers without end': (_, response) => {
    const socket = response.socket as Socket; // of the request that is answered now
    socket.write('HTTP/1.1 200 OK\r\n');
    flood(socket, `x-more: ${'x'.repeat(1000)}\r\n`);
  },
  'interim answers without end': (_, response) => {
    flood(response.socket as Socket, 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'); // of the request that is answered now
  },
  'chunk extensions without end': (_, response) => {
    const socket = response.socket as Socket; // of the request that is answered now
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
    flood(socket, 'x'.repeat(1000));
  },
  'a byte a tenth of a second': (_, response) => {
    const timer = setInterval(() => response.write(' '), 100);
    response.once('close', () => clearInterval(timer));
  },
  'pages without end': (path, response) => {
    if (path === '/redfish/v1') return void response.end(JSON.stringify(ROOT));
    const next = { 'Members@odata.nextLink': `${path.split('?')[0]}?p=${performance.now()}` };
    response.end(JSON.stringify({ Members: members(path, 512), ...next }));
  },
  'redirects in a circle': (path, response) => {
    response.writeHead(307, { location: path.endsWith('/a') ? '/b' : '/a' }).end();
  },
};

function flood(socket: Socket, text: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', more).on('error', () => {});
  more();
}

export interface HostileBmc {
  readonly url: string;
  requests: number;
  close(): void;
}

export async function hostileBmc(how: string): Promise<HostileBmc> {
  const answer = HOSTILE[how];
  if (answer === undefined) throw new Error(`no BMC is hostile like this: ${how}`);
  const server = createServer((request, response) => {
    bmc.requests += 1;
    response.setHeader('content-type', 'application/json');
    answer(request.url ?? '', response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const bmc = {
    url: `http://127.0.0.1:${port}`,
    requests: 0,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return bmc;
}
