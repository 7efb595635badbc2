// The SNMP agent of a simulated APC rPDU2 without a network: answers what a session asks from what the PDU measures.

import type { PduSession, SnmpReply, SnmpValue } from '../../../sources/pdu/session.ts';
import { SnmpError } from '../../../sources/pdu/snmp-error.ts';
import { bankOfOutlet, LOAD_STATES, type PduModel, phaseOfBank } from '../../pdu-agent/rpdu2-model.ts';
import { type SnmpObject, type SnmpObjects, snmpObjects, UP_TIME } from './snmp-objects.ts';

const POWER_FACTOR = 0.96;
/** Share of its rating from which a branch says that it is near overload. */
const NEAR = 0.8;
const END: SnmpValue = { oid: '', value: null, counter64: false, end: true };

/** What a PDU measures at one moment. */
export interface PduState {
  /** By phase. */
  readonly volts: readonly number[];
  readonly outlets: readonly { readonly amperes: number; readonly on: boolean }[];
  /** Hundredths of a second since its card started. */
  readonly uptime: number;
  readonly answers: boolean;
}

/** Sums of one moment, A. */
interface Sums {
  readonly state: PduState;
  readonly banks: readonly number[];
  readonly phases: readonly number[];
}

export class ServedAgent implements PduSession {
  readonly peer = { address: '127.0.0.1:161', version: '2c', user: null } as const;
  readonly foreign = 0;
  readonly #model: PduModel;
  readonly #state: () => PduState;
  readonly #now: () => number;
  readonly #objects: SnmpObjects;

  /** `state`: asked once for each request. `now`: epoch ms, of the samples. */
  constructor(model: PduModel, state: () => PduState, now: () => number) {
    this.#model = model;
    this.#state = state;
    this.#now = now;
    this.#objects = snmpObjects(model);
  }

  get(oids: readonly string[]): Promise<SnmpReply> {
    return this.#answer((value) => oids.map((oid) => value(this.#objects.by.get(oid)) ?? absent(oid)));
  }

  getNext(oids: readonly string[]): Promise<SnmpReply> {
    return this.#answer((value) => oids.map((oid) => value(this.#objects.all[this.#objects.after(oid)]) ?? END));
  }

  getBulk(oid: string, repetitions: number): Promise<SnmpReply> {
    return this.#answer((value) => {
      const from = this.#objects.after(oid);
      const next = this.#objects.all.slice(from, from + repetitions).map((object) => value(object) ?? END);
      return next.length < repetitions ? [...next, END] : next;
    });
  }

  close(): void {}

  async #answer(
    values: (value: (object: SnmpObject | undefined) => SnmpValue | null) => SnmpValue[],
  ): Promise<SnmpReply> {
    const state = this.#state();
    if (!state.answers) throw new SnmpError('timeout', this.peer);
    const sums = this.#sums(state);
    const value = (object: SnmpObject | undefined): SnmpValue | null => {
      if (object === undefined) return null;
      const raw = this.#live(object, sums) ?? object.fixed;
      const encoded = typeof raw === 'string' ? Buffer.from(raw, 'latin1') : raw;
      return { oid: object.oid, value: encoded, counter64: false, end: false };
    };
    return { values: values(value), timeMs: this.#now() };
  }

  #sums(state: PduState): Sums {
    const banks = Array.from({ length: this.#model.banks }, () => 0);
    const phases = Array.from({ length: this.#model.phases }, () => 0);
    state.outlets.forEach(({ amperes }, i) => {
      const bank = bankOfOutlet(this.#model, i + 1);
      const phase = phaseOfBank(this.#model, bank);
      banks[bank - 1] = (banks[bank - 1] ?? 0) + amperes;
      phases[phase - 1] = (phases[phase - 1] ?? 0) + amperes;
    });
    return { state, banks, phases };
  }

  /** What is measured, in the units of the MIB; undefined for what never changes. */
  #live({ oid, column, row }: SnmpObject, { state, banks, phases }: Sums): number | undefined {
    if (oid === UP_TIME) return state.uptime;
    const volts = state.volts[row - 1] ?? 0;
    const ofPhase = phases[row - 1] ?? 0;
    const ofBank = banks[row - 1] ?? 0;
    const outlet = state.outlets[row - 1];
    const apparent = (): number => phases.reduce((sum, amperes, i) => sum + amperes * (state.volts[i] ?? 0), 0);
    switch (column) {
      case 'device 5':
        return Math.round((apparent() * POWER_FACTOR) / 10);
      case 'device 16':
        return Math.round(apparent() / 10);
      case 'phase 5':
        return Math.round(ofPhase * 10);
      case 'phase 6':
        return Math.round(volts);
      case 'phase 7':
        return Math.round((ofPhase * volts * POWER_FACTOR) / 10);
      case 'phase 8':
        return Math.round((ofPhase * volts) / 10);
      case 'bank 4':
        return loadState(ofBank / this.#model.breakerRatingA);
      case 'bank 5':
        return Math.round(ofBank * 10);
      case 'switched 5':
        return outlet?.on === false ? 1 : 2;
      case 'metered 6':
        return Math.round((outlet?.amperes ?? 0) * 10);
      case 'metered 7':
        return Math.round((outlet?.amperes ?? 0) * (state.volts[phaseOfBank(this.#model, bankOfOutlet(this.#model, row)) - 1] ?? 0)); // biome-ignore format: one formula
      default:
        return undefined;
    }
  }
}

function loadState(share: number): number {
  return share > 1 ? LOAD_STATES.overload : share > NEAR ? LOAD_STATES.near_overload : LOAD_STATES.normal;
}

function absent(oid: string): SnmpValue {
  return { oid, value: null, counter64: false, end: false };
}
