// Planned work by Slurm's own records: a maintenance reservation, a reboot that was asked for, a drain whose reason says that it is planned.

import type { DeclaredPlan } from '../../declared-plans.ts';
import { isDrained, type SlurmNode } from '../read/node.ts';
import { maintenanceOf, type Reservation } from '../read/reservation.ts';

const UNDER_MAINTENANCE: ReadonlySet<string> = new Set(['MAINT', 'MAINTENANCE']);
const TO_REBOOT: ReadonlySet<string> = new Set(['REBOOT_REQUESTED', 'REBOOT_ISSUED']);

export interface PlannedContext {
  readonly host: string;
  /** Epoch ms on the steady clock of what the wall clock showed. */
  readonly steady: (wallMs: number) => number;
  readonly nowMs: number;
  /** Words of a reason by which a drain is planned. */
  readonly words: readonly string[];
}

/** Reservations matter only where the node is in one, or may soon be. */
export function isReserved({ states }: SlurmNode): boolean {
  return states.some((state) => UNDER_MAINTENANCE.has(state) || state === 'RESERVED');
}

export function plansOf(
  node: SlurmNode,
  reservations: readonly Reservation[],
  { host, steady, nowMs, words }: PlannedContext,
): DeclaredPlan[] {
  const component = { type: 'host', id: host } as const;
  const reserved: DeclaredPlan[] = maintenanceOf(reservations, node.name).map((one) => ({
    key: `reservation ${one.name} ${one.fromMs}`,
    component,
    by: one.users ?? 'an operator of Slurm',
    note: one.comment === null ? `reservation ${one.name}` : `reservation ${one.name}: ${one.comment}`,
    fromMs: steady(one.fromMs),
    untilMs: steady(one.untilMs),
  }));
  const isUnder = node.states.some((state) => UNDER_MAINTENANCE.has(state));
  if (isUnder && reserved.length === 0)
    reserved.push({ key: 'maint', component, by: 'Slurm', note: 'node state MAINT', fromMs: nowMs, untilMs: null }); // biome-ignore format: one record
  const drained = plannedDrain(node, words);
  if (drained === null) return reserved;
  const saidMs = node.reasonMs === null ? nowMs : Math.min(nowMs, steady(node.reasonMs));
  const by = node.reasonBy ?? 'an operator of Slurm';
  return [...reserved, { key: `drain ${node.reason} ${node.reasonMs}`, component, by, note: drained, fromMs: saidMs, untilMs: null }]; // biome-ignore format: one record
}

/** The words of a drain that is planned; null for one that follows a fault, or does not say. */
function plannedDrain(node: SlurmNode, words: readonly string[]): string | null {
  if (node.states.some((state) => TO_REBOOT.has(state))) return node.reason ?? 'a reboot was asked for';
  const { reason } = node;
  if (!isDrained(node) || reason === null) return null;
  const said = ` ${reason.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `;
  return words.some((word) => said.includes(` ${word.toLowerCase()} `)) ? reason : null;
}
