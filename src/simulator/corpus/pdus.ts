// PDUs of an accuracy run: the real source reads them, and an agent without a network answers.

import { answerOf } from '../../sources/devices/poll-answer.ts';
import { Reachability } from '../../sources/devices/reachability.ts';
import { Pdu } from '../../sources/pdu/pdu.ts';
import { AP8641, bankOfOutlet, type PduModel, phaseOfBank } from '../pdu-agent/rpdu2-model.ts';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedPdu, PlannedWorld } from '../scenario/world.ts';
import { type PduState, ServedAgent } from './served/snmp-agent.ts';
import { type Actor, inForce, poll, type Stage } from './stage.ts';
import { isWrongReading } from './wrong-reading.ts';

/** V under which nothing that hangs on a phase draws current. */
const DEAD_VOLTAGE = 50;
type Voltage = Extract<PlannedChange, { type: 'pdu_voltage' }>;
/** Up for an hour when the run begins. */
const UP_BEFORE_MS = 3_600_000;
const NEVER = new AbortController().signal;

interface Watched {
  readonly planned: PlannedPdu;
  readonly model: PduModel;
  /** How many outlets share each bank and each phase. */
  readonly shares: { readonly banks: readonly number[]; readonly phases: readonly number[] };
  readonly random: RandomStream;
  reach: Reachability;
  device: Pdu;
  /** When its card started, ms of the clock. */
  startedMs: number;
}

export class Pdus implements Actor {
  readonly #stage: Stage;
  readonly #watched: readonly Watched[];

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#watched = stage.plan.world.pdus.map((planned) => {
      const model = modelOf(planned, stage.plan.world.feeds);
      const watched: Watched = {
        planned,
        model,
        shares: sharesOf(model),
        random: stage.random(`pdu ${planned.name}`),
        reach: new Reachability(),
        device: this.#device(planned, model, () => this.#state(watched)),
        startedMs: -UP_BEFORE_MS,
      };
      return watched;
    });
  }

  start(): void {
    const { pdu } = this.#stage.plan.world.pollMs;
    for (const watched of this.#watched)
      poll(this.#stage, `pdu ${watched.planned.name}`, pdu, () => this.#look(watched));
  }

  restart(): void {
    for (const watched of this.#watched) {
      watched.reach = new Reachability();
      watched.device = this.#device(watched.planned, watched.model, () => this.#state(watched));
    }
  }

  end(change: PlannedChange): void {
    if (change.type !== 'pdu_restart') return;
    for (const watched of this.#watched)
      if (watched.planned.name === change.pdu) watched.startedMs = this.#stage.clock.now();
  }

  #device(planned: PlannedPdu, model: PduModel, state: () => PduState): Pdu {
    const config = {
      name: planned.name,
      host: '127.0.0.1',
      port: 161,
      version: '2c',
      community: null,
      user: null,
      intervalMs: this.#stage.plan.world.pollMs.pdu,
      timeoutMs: 1000,
      retries: 1,
    } as const;
    const now = (): number => this.#stage.now();
    return new Pdu(config, { now }, new ServedAgent(model, state, now));
  }

  async #look({ device, reach }: Watched): Promise<void> {
    const { emit } = this.#stage;
    const nowMs = this.#stage.now();
    let answered = false;
    const good = (): void => {
      if (answered) return;
      answered = true;
      const change = reach.succeeded(nowMs);
      if (change !== null) emit.event(device.reachEvent(change, nowMs));
    };
    // Due at once: one batch of what is read in the time between, whatever the time of this machine.
    const look = { emit, nextDue: 0, startedMs: nowMs, signal: NEVER, answered: good };
    const answer = await answerOf(device.look(look));
    if (answer.is === 'ok') good();
    if (answer.is !== 'retry') return;
    const change = reach.failed(answer.error, nowMs, nowMs);
    if (change !== null) emit.event(device.reachEvent(change, nowMs));
  }

  #state(watched: Watched): PduState {
    const { planned, model, random, startedMs } = watched;
    const { plan, clock, inForce: changes } = this.#stage;
    const mine = (change: { readonly pdu: string }): boolean => change.pdu === planned.name;
    const of = <T extends 'pdu_voltage' | 'pdu_load' | 'pdu_silent' | 'pdu_outlet' | 'pdu_breaker' | 'pdu_branch_current' | 'pdu_restart'>(type: T) => inForce(changes, type).filter(mine); // biome-ignore format: one line
    const volts: number[] = [];
    const perPhase: number[] = [];
    for (let phase = 1; phase <= planned.phases; phase += 1) {
      const last = of('pdu_voltage')
        .filter((change) => change.phase === phase)
        .at(-1);
      const factors = of('pdu_load').filter((change) => change.phase === phase);
      const factor = factors.reduce((product, { factor: f }) => product * f, 1);
      volts.push(last?.to ?? jitter(random, planned.voltage, plan.jitter));
      const amperes = jitter(random, planned.current * factor, plan.jitter * 5);
      perPhase.push(last !== undefined && this.#isDead(last) ? 0 : amperes);
    }
    const open = new Set(of('pdu_breaker').map(({ branch }) => branch));
    const off = new Map(of('pdu_outlet').map(({ outlet, to }) => [outlet, to === 'off']));
    const set = new Map(of('pdu_branch_current').map(({ branch, to }) => [branch, to]));
    const { banks, phases } = watched.shares;
    const numbers = Array.from({ length: planned.outlets }, (_, i) => i + 1);
    const outlets = numbers.map((outlet) => {
      const bank = bankOfOutlet(model, outlet);
      const phase = phaseOfBank(model, bank);
      const on = off.get(outlet) !== true;
      const wanted = set.get(bank);
      const amperes = wanted === undefined ? (perPhase[phase - 1] ?? 0) / (phases[phase - 1] ?? 1) : wanted / (banks[bank - 1] ?? 1); // biome-ignore format: one choice
      return { on, amperes: on && !open.has(bank) ? amperes : 0 };
    });
    const silent = of('pdu_silent').length > 0 || of('pdu_restart').length > 0;
    const uptime = Math.floor((clock.now() - startedMs) / 10);
    return { volts, outlets, uptime, answers: !silent };
  }

  /** Without voltage no current flows; a zero of one or two answers is a reading that is wrong, and the current flows on. */
  #isDead(change: Voltage): boolean {
    return change.to < DEAD_VOLTAGE && !isWrongReading(change, this.#stage.plan);
  }
}

/** Outlets hang on the phase that the feeds of the world lead to them from. */
function modelOf(planned: PlannedPdu, feeds: PlannedWorld['feeds']): PduModel {
  const { name, model, phases, branches, outlets, breakerRatingA, voltage } = planned;
  const plain = { ...AP8641, phases, banks: branches };
  const banks = Array.from({ length: branches }, (_, i) => i + 1);
  const bankOf = feeds.flatMap(({ from, to }): [number, number][] => {
    const phase = numberOf(from, `pdu_phase/${name}/`);
    const outlet = numberOf(to, `pdu_outlet/${name}/`);
    const bank = banks.find((one) => phaseOfBank(plain, one) === phase);
    return outlet === null || bank === undefined ? [] : [[outlet, bank]];
  });
  return {
    bankOf: Object.fromEntries(bankOf),
    ...AP8641,
    name,
    model,
    phases,
    banks: branches,
    outlets,
    breakerRatingA,
    voltageV: voltage,
  };
}

function numberOf(component: string, prefix: string): number | null {
  return component.startsWith(prefix) ? Number(component.slice(prefix.length)) : null;
}

function sharesOf(model: PduModel): Watched['shares'] {
  const banks = new Array<number>(model.banks).fill(0);
  const phases = new Array<number>(model.phases).fill(0);
  for (let outlet = 1; outlet <= model.outlets; outlet += 1) {
    const bank = bankOfOutlet(model, outlet);
    const phase = phaseOfBank(model, bank);
    banks[bank - 1] = (banks[bank - 1] ?? 0) + 1;
    phases[phase - 1] = (phases[phase - 1] ?? 0) + 1;
  }
  return { banks, phases };
}
