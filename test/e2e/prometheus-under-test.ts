// A real Prometheus on loopback with its own folder, scraping one port every second.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 30_000;

/** A port that is free now; nothing holds it, so that whoever asked can take it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class PrometheusUnderTest {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #url: string;
  #said = '';

  private constructor(child: ChildProcess, folder: string, url: string) {
    this.#child = child;
    this.#folder = folder;
    this.#url = url;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-4000);
    });
  }

  static async start(scrapedPort: number): Promise<PrometheusUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), 'faultline-prometheus-'));
    const port = await freePort();
    const config = join(folder, 'prometheus.yml');
    writeFileSync(
      config,
      `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: faultline
    static_configs: [{targets: ["127.0.0.1:${scrapedPort}"]}]
`,
    );
    const child = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const prometheus = new PrometheusUnderTest(child, folder, `http://127.0.0.1:${port}`);
    await prometheus.#ready();
    return prometheus;
  }

  /** The value of an instant query with one result; null while there is none, or not just one. */
  async value(expression: string): Promise<number | null> {
    const body = await this.#get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = body as { data: { result: { value: [number, string] }[] } }; // Prometheus' HTTP API
    const [first, ...more] = data.result;
    return first === undefined || more.length > 0 ? null : Number(first.value[1]);
  }

  /** How many series an instant query gives; throws with what Prometheus has against it. */
  async results(expression: string): Promise<number> {
    const body = await this.#get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    return (body as { data: { result: unknown[] } }).data.result.length; // Prometheus' HTTP API
  }

  /** The one target that it scrapes. */
  async target(): Promise<{ health: string; lastError: string }> {
    const body = await this.#get('/api/v1/targets');
    const { data } = body as { data: { activeTargets: { health: string; lastError: string }[] } }; // likewise
    const [target] = data.activeTargets;
    if (target === undefined) throw new Error('Prometheus has no target');
    return target;
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`);
    const body = await response.text();
    if (response.status !== 200) throw new Error(`Prometheus refused ${path}: ${body}`);
    return JSON.parse(body);
  }

  async #ready(): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (performance.now() < end && this.#child.exitCode === null) {
      if (
        await fetch(`${this.#url}/-/ready`).then(
          (r) => r.ok,
          () => false,
        )
      )
        return;
      await sleep(50);
    }
    await this.close();
    throw new Error(`Prometheus did not start: ${this.#said}`);
  }
}
