// The Redfish service of a simulated BMC without a network: answers each request with the JSON that the state makes.

import { RedfishError } from '../../../sources/bmc/http/redfish-error.ts';
import type { Outgoing, RedfishTransport, Reply } from '../../../sources/bmc/http/transport.ts';
import { type BmcState, DROPOUT_VOLTAGE } from '../../bmc/state.ts';
import { type BmcModel, tree } from '../../bmc/tree.ts';

export interface ServedBmc {
  readonly model: BmcModel;
  readonly serial: string;
  /** How far its clock is ahead, ms. */
  readonly clockAheadMs: number;
  /** As it is now; null where it does not answer. */
  state(): BmcState | null;
  /** Epoch ms on the steady clock. */
  now(): number;
}

export class ServedRedfish implements RedfishTransport {
  readonly peer = { url: 'https://bmc.simulated', user: null };
  readonly #bmc: ServedBmc;
  #resources: {
    readonly atMs: number;
    readonly texts: Map<string, string>;
    readonly bodies: Map<string, object>;
  } | null = null;
  /** When each supply lost its input, epoch ms. */
  readonly #lostAtMs = new Map<number, number>();

  constructor(bmc: ServedBmc) {
    this.#bmc = bmc;
  }

  async send({ path }: Outgoing): Promise<Reply> {
    const nowMs = this.#bmc.now();
    const state = this.#bmc.state();
    if (state === null) throw new RedfishError('timeout', this.peer);
    const body = this.#text(path.replace(/\/$/, ''), state, nowMs);
    const date = new Date(nowMs + this.#bmc.clockAheadMs).toUTCString();
    const times = { sentMs: nowMs, receivedMs: nowMs };
    return { status: body === null ? 404 : 200, headers: { date }, body: body ?? MISSING, ...times };
  }

  /** Marks when supplies lost and got back their input; to be called when the state changed, asked or not. */
  settle({ supplies }: BmcState): void {
    supplies.forEach(({ fed, inputVoltage, absent }, i) => {
      if (absent || (fed && inputVoltage >= DROPOUT_VOLTAGE)) this.#lostAtMs.delete(i);
      else if (!this.#lostAtMs.has(i)) this.#lostAtMs.set(i, this.#bmc.now());
    });
  }

  abort(): void {}

  close(): void {}

  /** One state for all that is asked at one moment. */
  #text(path: string, state: BmcState, nowMs: number): string | null {
    if (this.#resources?.atMs !== nowMs) {
      this.#resources = { atMs: nowMs, texts: new Map(), bodies: tree(state, this.#facts(state, nowMs)) };
    }
    const { texts, bodies } = this.#resources;
    const known = texts.get(path);
    if (known !== undefined) return known;
    const body = bodies.get(path);
    if (body === undefined) return null;
    const text = JSON.stringify(body);
    texts.set(path, text);
    return text;
  }

  #facts({ supplies }: BmcState, nowMs: number) {
    const { model, serial, clockAheadMs } = this.#bmc;
    const inputLostAt = supplies.map((_, i) => {
      const lostMs = this.#lostAtMs.get(i);
      return lostMs === undefined ? null : wholeSeconds(lostMs + clockAheadMs);
    });
    return { model, serial, dateTime: wholeSeconds(nowMs + clockAheadMs), inputLostAt };
  }
}

const MISSING = JSON.stringify({ error: { code: 'Base.1.0.ResourceMissingAtURI', message: 'no such resource' } });

function wholeSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '');
}
