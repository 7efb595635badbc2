// What a rack needs of a PDU that answers over SNMP, and how the world's changes reach it.

import { jitter, type RandomStream } from '../random.ts';
import type { PlannedChange } from '../scenario/planned-change.ts';
import type { PlannedPdu } from '../scenario/world.ts';

/** A PDU on a UDP port of loopback. */
export interface SimulatedPdu {
  readonly port: number;
  setVoltage(phase: number, volts: number): void;
  setCurrent(phase: number, amperes: number): void;
  /** Deaf: requests get no answer. */
  setSilent(silent: boolean): void;
  close(): Promise<void>;
}

export type StartPdu = (pdu: PlannedPdu) => Promise<SimulatedPdu>;

/** Volts: under this no current flows. */
const DEAD_VOLTAGE = 50;

/** Puts the state of one PDU in force; readings that nothing holds down wander by `jitterShare`. */
export function updatePdu(
  pdu: PlannedPdu,
  simulated: SimulatedPdu,
  changes: readonly PlannedChange[],
  random: RandomStream,
  jitterShare: number,
): void {
  let silent = false;
  const volts = new Map<number, number>();
  const factors = new Map<number, number>();
  for (const change of changes) {
    if (!('pdu' in change) || change.pdu !== pdu.name) continue;
    if (change.type === 'pdu_voltage') volts.set(change.phase, change.to);
    if (change.type === 'pdu_load') factors.set(change.phase, change.factor);
    if (change.type === 'pdu_silent') silent = true;
  }
  for (let phase = 1; phase <= pdu.phases; phase += 1) {
    const held = volts.get(phase);
    const amperes = jitter(random, pdu.current * (factors.get(phase) ?? 1), jitterShare * 10);
    simulated.setVoltage(phase, held ?? jitter(random, pdu.voltage, jitterShare));
    simulated.setCurrent(phase, held !== undefined && held < DEAD_VOLTAGE ? 0 : amperes);
  }
  simulated.setSilent(silent);
}
