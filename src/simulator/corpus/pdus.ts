// PDUs of an accuracy run: phase voltages and currents as polled, and the silence of one that does not answer.

import type { Component } from '../../model/component.ts';
import { pduEvent } from '../../sources/pdu/pdu-event.ts';
import { jitter, type RandomStream } from '../random.ts';
import type { PlannedPdu } from '../scenario/world.ts';
import { type Actor, inForce, poll, type Stage } from './stage.ts';

/** Failed polls before a PDU counts as unreachable, as the poller has it. */
const UNREACHABLE_AFTER = 3;

/** V under which nothing that hangs on a phase draws current. */
const DEAD_VOLTAGE = 50;

interface Watched {
  readonly pdu: PlannedPdu;
  readonly random: RandomStream;
  failures: number;
  firstFailedMs: number;
  lastFailedMs: number;
  lastGoodMs: number | null;
}

export class Pdus implements Actor {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  start(): void {
    const { plan, emit } = this.#stage;
    for (const pdu of plan.world.pdus) {
      const component: Component = { type: 'pdu', id: pdu.name };
      const parts = Array.from({ length: pdu.phases }, (_, i): Component => {
        return { type: 'pdu_phase', id: `${pdu.name}/${i + 1}`, parent: `pdu/${pdu.name}` };
      });
      const links = parts.map((to) => ({ from: component, to, relation: 'contains', source: 'host' }) as const);
      emit.discovery({ component, links });
      const random = this.#stage.random(`pdu ${pdu.name}`);
      const watched: Watched = { pdu, random, failures: 0, firstFailedMs: 0, lastFailedMs: 0, lastGoodMs: null };
      poll(this.#stage, `pdu ${pdu.name}`, plan.world.pollMs.pdu, (now) => this.#look(watched, now));
    }
  }

  #look(watched: Watched, nowMs: number): void {
    const { pdu } = watched;
    if (inForce(this.#stage.inForce, 'pdu_silent').some((change) => change.pdu === pdu.name)) {
      this.#failed(watched, nowMs);
      return;
    }
    if (watched.failures >= UNREACHABLE_AFTER) {
      const times = { afterMs: watched.lastFailedMs, timeMs: nowMs, observedMs: nowMs };
      this.#stage.emit.event(
        pduEvent('power.feed_unreachable', 'clear', { type: 'pdu', id: pdu.name }, times, 'answers again'),
      );
    }
    watched.failures = 0;
    watched.lastGoodMs = nowMs;
    this.#samples(watched, nowMs);
  }

  #samples({ pdu, random }: Watched, nowMs: number): void {
    const { plan, emit } = this.#stage;
    const voltages = inForce(this.#stage.inForce, 'pdu_voltage').filter((change) => change.pdu === pdu.name);
    const loads = inForce(this.#stage.inForce, 'pdu_load').filter((change) => change.pdu === pdu.name);
    const keys: string[] = [];
    const values: number[] = [];
    for (let phase = 1; phase <= pdu.phases; phase += 1) {
      const held = voltages.filter((change) => change.phase === phase).at(-1)?.to;
      const factor = loads
        .filter((change) => change.phase === phase)
        .reduce((product, { factor: f }) => product * f, 1);
      keys.push(`pdu_phase/${pdu.name}/${phase}#voltage`, `pdu_phase/${pdu.name}/${phase}#current`);
      const volts = held ?? jitter(random, pdu.voltage, plan.jitter);
      const amperes = jitter(random, pdu.current * factor, plan.jitter * 5);
      // Without voltage no current flows, unless the reading itself is wrong.
      values.push(volts, held !== undefined && held > 0 && held < DEAD_VOLTAGE ? 0 : amperes);
    }
    const timesMs = keys.map(() => nowMs);
    emit.samples({ source: 'pdu', trust: 'facility', keys, timesMs, values });
  }

  #failed(watched: Watched, nowMs: number): void {
    if (watched.failures === 0) watched.firstFailedMs = nowMs;
    watched.failures += 1;
    watched.lastFailedMs = nowMs;
    if (watched.failures !== UNREACHABLE_AFTER || watched.lastGoodMs === null) return;
    const times = { afterMs: watched.lastGoodMs, timeMs: watched.firstFailedMs, observedMs: nowMs };
    this.#stage.emit.event(
      pduEvent('power.feed_unreachable', 'onset', { type: 'pdu', id: watched.pdu.name }, times, 'does not answer', {
        interval: { earliestMs: watched.lastGoodMs, latestMs: watched.firstFailedMs },
        attributes: { failed_polls: watched.failures },
      }),
    );
  }
}
