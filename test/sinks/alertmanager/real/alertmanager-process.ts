// A real Alertmanager in a folder of its own, with a receiver that this process listens for.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp } from 'node:net';
import { join } from 'node:path';
import { until } from '../../../until.ts';

export interface Notified {
  readonly status: 'firing' | 'resolved';
  readonly alerts: readonly {
    readonly status: string;
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
  }[];
}

/** What its webhook receiver posts. */
export class Notifications {
  readonly all: Notified[] = [];
  #server: Server | null = null;
  port = 0;

  async start(): Promise<this> {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      this.all.push(JSON.parse(Buffer.concat(parts).toString()));
      response.writeHead(200).end();
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port; // a TCP server has an address object
    return this;
  }

  stop(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

export interface AlertmanagerOptions {
  readonly folder: string;
  readonly hook: number;
  /** Path and token of its receiver; left out: / and none. */
  readonly path?: string;
  readonly token?: string;
  /** Files of a certificate and its key. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export class RealAlertmanager {
  readonly #options: AlertmanagerOptions;
  #child: ChildProcess | null = null;
  #output = '';
  port = 0;

  constructor(options: AlertmanagerOptions) {
    this.#options = options;
  }

  get url(): string {
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  async start(): Promise<this> {
    const { folder, hook, path = '/', token, tls } = this.#options;
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'alertmanager.yml');
    const route =
      'route: {receiver: hook, group_by: [alertname, incident], group_wait: 200ms, group_interval: 500ms, repeat_interval: 1h}';
    const shown = token === undefined ? '' : `, http_config: {authorization: {credentials: "${token}"}}`;
    const hooks = `receivers: [{name: hook, webhook_configs: [{url: "http://127.0.0.1:${hook}${path}", send_resolved: true${shown}}]}]`;
    writeFileSync(config, `${route}\n${hooks}\n`);
    const web = join(folder, 'web.yml');
    if (tls !== undefined)
      writeFileSync(web, `tls_server_config: {cert_file: "${tls.cert}", key_file: "${tls.key}"}\n`);
    if (this.port === 0) this.port = await freePort();
    const child = spawn(
      process.env.FAULTLINE_ALERTMANAGER ?? 'prometheus-alertmanager',
      [
        `--config.file=${config}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${this.port}`,
        '--cluster.listen-address=',
        ...(tls === undefined ? [] : [`--web.config.file=${web}`]),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child = child;
    child.stderr?.on('data', (text) => {
      this.#output = `${this.#output}${text}`.slice(-2000);
    });
    await until(() => isListenedOn(this.port), { seen: () => this.#output, limitMs: 20_000 });
    return this;
  }

  kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    this.#output = '';
    if (child === null || child.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
  }

  /** What it holds to be active, by its own API. */
  async active(): Promise<{ readonly labels: Record<string, string>; readonly annotations: Record<string, string> }[]> {
    const answer = await fetch(`${this.url}/api/v2/alerts?active=true`);
    return (await answer.json()) as Awaited<ReturnType<RealAlertmanager['active']>>; // of openapi.yaml of v2
  }
}

function isListenedOn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has an address object
  await new Promise((resolve) => server.close(resolve));
  return port;
}
