// Runs the real collector on loopback, on ports that it keeps over restarts, and reads what it took from all of its runs.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../e2e/prometheus-under-test.ts';
import type { Fields, LogRecord, Point, Span } from '../sinks/otlp/otlp-proto.ts';
import { pointsOf, recordsOf, resourcesOf, spansOf } from './otlp-json.ts';

const BINARY = join(import.meta.dirname, '../../.tools/collector/otlp-collector');
const PATIENCE_MS = 60_000;

/** For `skip`: why there is no collector here, false where there is one or has to be one. */
export function collectorMissing(): string | false {
  if (existsSync(BINARY) || process.env.FAULTLINE_REQUIRE_COLLECTOR === '1') return false;
  return 'no collector was built: ./scripts/test builds it where Go is new enough (test/otlp-collector/go.mod)';
}

export class CollectorUnderTest {
  readonly grpc: string;
  readonly http: string;
  readonly pidOf: () => number | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), 'faultline-collector-'));
  readonly #ports: { readonly grpc: number; readonly http: number };
  #child: ChildProcess | null = null;
  #runs = 0;
  #said = '';

  private constructor(ports: { grpc: number; http: number }) {
    this.#ports = ports;
    this.grpc = `http://127.0.0.1:${ports.grpc}`;
    this.http = `http://127.0.0.1:${ports.http}`;
    this.pidOf = () => this.#child?.pid;
  }

  /** Has ports, but does not run yet. */
  static async absent(): Promise<CollectorUnderTest> {
    return new CollectorUnderTest({ grpc: await freePort(), http: await freePort() });
  }

  static async started(): Promise<CollectorUnderTest> {
    const collector = await CollectorUnderTest.absent();
    await collector.start();
    return collector;
  }

  /** Resolves once it takes connections. */
  async start(): Promise<void> {
    this.#runs += 1;
    const config = join(this.#folder, `${this.#runs}.yaml`);
    writeFileSync(config, this.#config());
    const child = spawn(BINARY, [`--config=${config}`], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = error;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-4000);
    });
    const end = performance.now() + PATIENCE_MS;
    while (!((await takes(this.#ports.grpc)) && (await takes(this.#ports.http)))) {
      if (failure !== null) throw failure;
      if (child.exitCode !== null || performance.now() > end) throw new Error(`no collector: ${this.#said}`);
      await sleep(20);
    }
  }

  /** Ends it in the middle of what it does, as the kernel would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  points(): Point[] {
    return this.#lines('metrics').flatMap(pointsOf);
  }

  records(): LogRecord[] {
    return this.#lines('logs').flatMap(recordsOf);
  }

  spans(): Span[] {
    return this.#lines('traces').flatMap(spansOf);
  }

  /** Attributes of the resources of all requests. */
  resources(): Fields[] {
    return ['metrics', 'logs', 'traces'].flatMap((signal) => this.#lines(signal)).flatMap(resourcesOf);
  }

  /** What it wrote of a signal, a file for each of its runs, in the form of the file exporter. */
  files(signal: string): string[] {
    const names = readdirSync(this.#folder).filter((name) => name.endsWith(`-${signal}.jsonl`));
    return names.sort().map((name) => join(this.#folder, name));
  }

  /** One request a line; a run that was killed may have left half of one, which it did not acknowledge. */
  #lines(signal: string): Fields[] {
    return this.files(signal).flatMap((path) => {
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Fields); // each line is an object of OTLP JSON
    });
  }

  #config(): string {
    const run = String(this.#runs).padStart(3, '0');
    const signals = ['metrics', 'logs', 'traces'];
    const exporter = (signal: string) => `  lines/${signal}: {path: "${this.#folder}/${run}-${signal}.jsonl"}\n`;
    const pipeline = (signal: string) => `    ${signal}: {receivers: [otlp], exporters: [lines/${signal}]}\n`;
    return `receivers:
  otlp:
    protocols:
      grpc: {endpoint: "127.0.0.1:${this.#ports.grpc}"}
      http: {endpoint: "127.0.0.1:${this.#ports.http}"}
exporters:
${signals.map(exporter).join('')}service:
  telemetry:
    logs: {level: warn}
    metrics: {level: none}
  pipelines:
${signals.map(pipeline).join('')}`;
  }
}

/** Whether a server takes connections on this port. */
function takes(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
