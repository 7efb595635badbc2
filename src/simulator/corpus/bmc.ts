// The BMC of an accuracy run: the real source reads it, and a Redfish service without a network answers.

import { Bmc as BmcDevice } from '../../sources/bmc/bmc.ts';
import { answerOf } from '../../sources/devices/poll-answer.ts';
import { Reachability } from '../../sources/devices/reachability.ts';
import type { BmcState } from '../bmc/state.ts';
import { setBmcState, usualBmcState } from '../rack/bmc.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import { ServedRedfish } from './served/redfish.ts';
import { lineOf } from './served/sel-line.ts';
import { type Actor, inForce, poll, type Stage } from './stage.ts';
import { isWrongReading } from './wrong-reading.ts';

const NEVER = new AbortController().signal;

export class Bmc implements Actor {
  readonly #stage: Stage;
  readonly #random;
  readonly #state: BmcState | null;
  #reach = new Reachability();
  #redfish: ServedRedfish | null = null;
  #device: BmcDevice | null = null;

  constructor(stage: Stage) {
    const { bmc } = stage.plan.world.host;
    this.#stage = stage;
    this.#random = stage.random('bmc');
    this.#state = bmc === null ? null : usualBmcState(bmc);
    if (this.#state !== null && stage.plan.steps.some(({ change }) => change.type === 'sel')) this.#state.log = [];
  }

  start(): void {
    if (this.#state === null) return;
    this.restart();
    poll(this.#stage, 'bmc', this.#stage.plan.world.pollMs.bmc, () => this.#look());
  }

  restart(): void {
    const { host, pollMs } = this.#stage.plan.world;
    const state = this.#state;
    if (host.bmc === null || state === null) return;
    const now = (): number => this.#stage.now();
    const { model, clockAheadMs } = host.bmc;
    const silent = (): boolean => inForce(this.#stage.inForce, 'bmc_silent').length > 0;
    const redfish = new ServedRedfish({
      model,
      serial: `SIM-${host.name}`,
      clockAheadMs,
      state: () => (silent() ? null : state),
      now,
    });
    const config = {
      host: host.name,
      url: redfish.peer.url,
      user: null,
      password: null,
      ca: null,
      insecure: false,
      intervalMs: pollMs.bmc,
      timeoutMs: 10_000,
    };
    this.#redfish = redfish;
    this.#reach = new Reachability();
    this.#device = new BmcDevice(config, { now }, redfish);
  }

  begin(change: PlannedChange): void {
    if (change.type !== 'sel') return;
    const aheadMs = this.#stage.plan.world.host.bmc?.clockAheadMs ?? 0;
    this.#state?.log?.push(lineOf(change, this.#stage.now() + aheadMs));
  }

  /** What it stamps it stamps when it happens, not when it is asked. */
  changed(): void {
    if (this.#state === null) return;
    const { plan } = this.#stage;
    setBmcState(plan.world, this.#state, this.#changes(), () => 0.5, 0);
    this.#redfish?.settle(this.#state);
  }

  /** What reaches the supplies: a wrong reading of a PDU does not. */
  #changes(): PlannedChange[] {
    return this.#stage.inForce.filter((change) => !isWrongReading(change, this.#stage.plan));
  }

  async #look(): Promise<void> {
    const { plan, emit } = this.#stage;
    const device = this.#device;
    if (this.#state === null || device === null) return;
    setBmcState(plan.world, this.#state, this.#changes(), this.#random, plan.jitter);
    const startedMs = this.#stage.now();
    // Never due: all that is read between two polls is read, whatever the time of this machine.
    const look = { emit, nextDue: Number.POSITIVE_INFINITY, startedMs, signal: NEVER, answered: () => undefined };
    const answer = await answerOf(device.look(look));
    const change =
      answer.is === 'ok'
        ? this.#reach.succeeded(startedMs)
        : answer.is === 'retry'
          ? this.#reach.failed(answer.error, startedMs, startedMs)
          : null;
    if (change !== null) emit.event(device.reachEvent(change, startedMs));
  }
}
