// Known ports: which ports of this host were up once, and how fast their links were.

import type { KnownPort } from './parts-document.ts';

export const MOST_PORTS = 512;
/** What has been so for longer is how it is meant to be: a port that is down, a link that is slower. */
const USUAL_AFTER_MS = 86_400_000;
/** A link that trains with fewer lanes or a lower speed loses at least half; what readings differ by is less. */
const SAME_RATE = 0.95;

type State = Omit<KnownPort, 'port'>;

export class KnownPorts {
  readonly #now: () => number;
  readonly #changed: () => void;
  /** By card and name. */
  readonly #ports = new Map<string, State>();

  constructor(now: () => number, changed: () => void) {
    this.#now = now;
    this.#changed = changed;
  }

  take(ports: readonly KnownPort[]): void {
    for (const { port, ...state } of ports.slice(0, MOST_PORTS)) this.#ports.set(port, state);
  }

  clear(): void {
    this.#ports.clear();
  }

  list(): KnownPort[] {
    return [...this.#ports].map(([port, state]) => ({ port, ...state }));
  }

  /** It was up, and has not been down for so long that this is how it is meant to be. */
  wasUp(port: string): boolean {
    const state = this.#ports.get(port);
    return state !== undefined && !this.#isUsual(state.downSinceMs);
  }

  /** Ports that were up once and count still, by the address of their card. */
  usedCards(): Map<string, string[]> {
    const up = [...this.#ports.keys()].filter((port) => port.includes(' ') && this.wasUp(port));
    return Map.groupBy(up, (port) => port.slice(0, port.indexOf(' ')));
  }

  is(port: string, up: boolean): void {
    const before = this.#ports.get(port);
    if (up ? before?.downSinceMs === null : before === undefined || before.downSinceMs !== null) return; // as it was, or never up
    this.#set(port, { rate: null, slowerSinceMs: null, ...before, downSinceMs: up ? null : this.#now() });
  }

  /** bit/s of its link, as fast as it was in an earlier reading; null where none is known, or a slower one is usual by now. */
  rateWas(port: string): number | null {
    const state = this.#ports.get(port);
    return state === undefined || this.#isUsual(state.slowerSinceMs) ? null : state.rate;
  }

  rateIs(port: string, rate: number): void {
    const before = this.#ports.get(port);
    if (before === undefined) return;
    const slower = before.rate !== null && rate < SAME_RATE * before.rate;
    if (slower && !this.#isUsual(before.slowerSinceMs)) {
      if (before.slowerSinceMs === null) this.#set(port, { ...before, slowerSinceMs: this.#now() });
    } else if (before.rate !== rate || before.slowerSinceMs !== null) {
      this.#set(port, { ...before, rate, slowerSinceMs: null });
    }
  }

  #set(port: string, state: State): void {
    if (!this.#ports.has(port) && this.#ports.size >= MOST_PORTS) return;
    this.#ports.set(port, state);
    this.#changed();
  }

  #isUsual(sinceMs: number | null): boolean {
    return sinceMs !== null && this.#now() - sinceMs >= USUAL_AFTER_MS;
  }
}
