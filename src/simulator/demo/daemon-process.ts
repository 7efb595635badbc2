// The real daemon as a child process of the demo: started like a user would, ended whatever happens.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** SIGTERM flushes the daemon within 5 s; what is still there then is stuck. */
const STOP_MS = 6000;
const TOLD_LINES = 5;
const TOLD_BYTES = 4096;

/** No inspector, whoever signals. The flags of this process are not handed on. */
const OWN_FLAGS = ['--disable-sigusr1'];

/**
 * The environment of the demo's daemon: none of what this process was started with, but the zone that its local times are
 * written in. OTEL_, TORCH_, NCCL_, FAULTLINE_, XDG_ and proxy variables are meant for what watches this machine.
 */
export function ownEnvironment(folder: string): Record<string, string> {
  return {
    HOME: folder,
    TMPDIR: folder,
    PATH: '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

export class DaemonProcess {
  /** Resolves, with a line for people, when the daemon is gone. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #logFile: string;
  #gone = false;

  /** Starts `node <entry> run --config <config>` in its own process group, in the folder of its configuration; both its streams go to `logFile`. */
  constructor(entry: string, configFile: string, logFile: string) {
    const folder = dirname(configFile);
    this.#logFile = logFile;
    const log = openSync(logFile, 'a', 0o600);
    this.#child = spawn(process.execPath, [...OWN_FLAGS, entry, 'run', '--config', configFile], {
      stdio: ['ignore', log, log],
      detached: true,
      cwd: folder,
      env: ownEnvironment(folder),
    });
    closeSync(log);
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => this.#end(resolve, `the daemon did not start: ${error.message}`));
      this.#child.once('exit', (code, signal) =>
        this.#end(
          resolve,
          signal === null ? `the daemon ended with status ${code}` : `the daemon was ended by ${signal}`,
        ),
      );
    });
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** The last lines that the daemon wrote. */
  lastLines(): string {
    try {
      const text = readFileSync(this.#logFile, 'utf8').slice(-TOLD_BYTES).trimEnd();
      return text.split('\n').slice(-TOLD_LINES).join('\n');
    } catch {
      return '';
    }
  }

  /** Asks it to end, then ends it; resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.#gone) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends the daemon and its children at once; safe to call at any time. */
  kill(): void {
    if (this.#gone || this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL');
    }
  }

  #end(resolve: (why: string) => void, why: string): void {
    this.#gone = true;
    resolve(why);
  }
}
