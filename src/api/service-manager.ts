// Service manager: tells systemd that we are ready, alive and stopping; silent where there is none.

import { native } from '../native.ts';

export class ServiceManager {
  readonly #socket: string | undefined;
  readonly #watchdogMs: number;
  #timer: NodeJS.Timeout | null = null;

  /** Reads NOTIFY_SOCKET and WATCHDOG_USEC of sd_notify(3) and sd_watchdog_enabled(3). */
  constructor(environment: NodeJS.ProcessEnv) {
    this.#socket = environment.NOTIFY_SOCKET;
    const forUs = environment.WATCHDOG_PID === undefined || Number(environment.WATCHDOG_PID) === process.pid;
    this.#watchdogMs = forUs ? Number(environment.WATCHDOG_USEC ?? 0) / 1000 : 0;
  }

  ready(status: string): void {
    this.#send(`READY=1\nSTATUS=${status}`);
    if (this.#socket === undefined || !(this.#watchdogMs > 0)) return;
    // Half the period, as sd_watchdog_enabled(3) advises; from this loop, so that a stuck loop is seen.
    this.#timer = setInterval(() => this.#send('WATCHDOG=1'), this.#watchdogMs / 2);
    this.#timer.unref();
  }

  status(status: string): void {
    this.#send(`STATUS=${status}`);
  }

  stopping(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#send('STOPPING=1');
  }

  #send(message: string): void {
    if (this.#socket !== undefined && this.#socket !== '') native().notify(this.#socket, message.replaceAll('\0', ''));
  }
}
