// Starts the real daemon on a temporary host: a kernel log file, a stand-in NVML, a powercap tree, its own folders.

import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, socketCandidates } from '../../src/api/client.ts';
import { Revisions } from '../../src/incidents/log/revisions.ts';
import { incidentToDocument } from '../../src/model/documents/incident.ts';
import { nativePath } from '../../src/native.ts';
import { PROGRAM } from '../program.ts';

/** Minutes: only what is broken takes that long, also on a machine with many other things to do. */
const PATIENCE_MS = 120_000;

/** Whether the kernel log, where it is configured and there, is read: a line that comes before is passed over. */
function readsKernelLog(status: Json): boolean {
  const sources = (status.sources ?? []) as Json[]; // contracts' status
  const kernelLog = sources.find(({ source }) => source === 'kernel-log');
  return sources.length > 0 && !/^(starting|opening)/.test(String(kernelLog?.detail ?? ''));
}

export type Json = Record<string, unknown>;

export class DaemonUnderTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'faultline e2e '));
  readonly kernelLog = join(this.folder, 'kmsg');
  readonly recording = join(this.folder, 'recording.jsonl');
  readonly log = join(this.folder, 'log');
  readonly #running = new Set<ChildProcess>();
  stderr = '';
  #sequence = 0;

  constructor(options: { gpus?: number; extra?: string; foundLogs?: boolean } = {}) {
    writeFileSync(this.kernelLog, '');
    const nvml = join(this.folder, 'nvml');
    mkdirSync(nvml);
    if (options.gpus !== undefined) this.installNvml(options.gpus);
    writeFileSync(
      join(this.folder, 'faultline.yaml'),
      `host: node-3
directories: {state: "${this.folder}/state", log: "${this.log}", runtime: "${this.folder}/run"}
roots: {sys: "${this.folder}/sys"}
record: {path: "${this.recording}"}
sources:
  kernel_log: {path: "${this.kernelLog}"}
  gpu: {library: "${nvml}/libnvidia-ml.so.1", interval: 100ms, call_deadline: 500ms}
  # Tests next to this one have jobs of their own.
  found_logs: {enabled: ${options.foundLogs === true ? 'on' : 'off'}}
${options.extra ?? ''}`,
    );
  }

  /** Puts the stand-in library where the configuration looks, with `gpus` devices. */
  installNvml(gpus: number): void {
    this.control(`devices ${gpus}\n`);
    symlinkSync(nativePath('libnvidia-ml.so.1'), join(this.folder, 'nvml', 'libnvidia-ml.so.1'));
  }

  /** Replaces what the stand-in NVML says; native/fake/README.md has the language. */
  control(text: string): void {
    const path = join(this.folder, 'nvml', 'nvml.control');
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  /** Appends one record in kmsg form. */
  kernel(text: string): void {
    this.#sequence += 1;
    const usec = Math.round(Number(process.hrtime.bigint()) / 1000);
    appendFileSync(this.kernelLog, `3,${this.#sequence},${usec},-;${text}\n`);
  }

  /** `stderr`: where its own log goes, a descriptor; kept in `this.stderr` when left out. */
  async start(stderr?: number): Promise<ChildProcess> {
    const child = this.spawn(stderr);
    await this.until('the daemon answers', async () => {
      if (child.exitCode !== null) throw new Error(`the daemon ended with ${child.exitCode}: ${this.stderr}`);
      const status = await this.status();
      return status !== null && readsKernelLog(status) ? status : null;
    });
    return child;
  }

  spawn(stderr?: number): ChildProcess {
    const child = spawn(process.execPath, [PROGRAM, 'run', '--config', join(this.folder, 'faultline.yaml')], {
      stdio: ['ignore', 'ignore', stderr ?? 'pipe'],
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    return child;
  }

  /** Those that run. */
  children(): ChildProcess[] {
    return [...this.#running];
  }

  /** What a command of the same installation prints. */
  async command(...args: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { status, stdout, stderr };
  }

  async get(path: string): Promise<Json> {
    return (await ask('GET', path, socketCandidates(join(this.folder, 'run')))) as Json; // a document of the API
  }

  async status(): Promise<Json | null> {
    return await this.get('/v1/status').catch(() => null);
  }

  /** The documents in the incident log with this schema, revisions whole. */
  logged(kind: 'event' | 'incident' | 'note'): Json[] {
    let text = '';
    try {
      text = readFileSync(join(this.log, 'incidents.jsonl'), 'utf8');
    } catch {
      return [];
    }
    const lines = text.split('\n').slice(0, -1); // the last one may be being written
    const documents = lines.map((line) => JSON.parse(line) as Json); // each line is a document
    if (kind !== 'incident') return documents.filter((d) => d.schema === `faultline/${kind}/1`);
    const revisions = new Revisions([]);
    return documents.flatMap((document) => {
      const incident = revisions.take(document);
      return incident === null ? [] : [{ ...incidentToDocument(incident) }];
    });
  }

  /** Waits for `probe` to give something; throws with what was waited for. */
  async until<T>(
    what: string,
    probe: () => T | null | undefined | false | Promise<T | null | undefined | false>,
    patienceMs = PATIENCE_MS,
  ): Promise<T> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const value = await probe();
      if (value !== null && value !== undefined && value !== false) return value;
      if (performance.now() > end)
        throw new Error(`waited in vain until ${what}; daemon said: ${this.stderr.slice(-2000)}`);
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    await this.until('every daemon has ended', () => this.#running.size === 0);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export async function exitOf(
  child: ChildProcess,
): Promise<{ code: number | null; signal: string | null; tookMs: number }> {
  const started = performance.now();
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('exit', resolve));
  return { code: child.exitCode, signal: child.signalCode, tookMs: performance.now() - started };
}
