// Doubts: all that speaks against one cause of one effect of the work, or of a device, and what is left of the cause for it.

import { KINDS, type Kind, kindInfo } from '../../../model/kind.ts';
import type { Facts } from '../../window/facts.ts';
import type { Past } from '../../window/past-events.ts';
import type { CauseRow } from '../cause-graph.ts';
import { isExplaining } from '../kind-roles.ts';
import { brokenSwitch } from './broken-switch.ts';
import { correctedOnce } from './corrected-once.ts';
import type { Doubt, Doubting } from './doubt.ts';
import { networkBack } from './network-back.ts';
import { notASwitch } from './not-a-switch.ts';
import { otherGroup } from './other-group.ts';
import { otherModule } from './other-module.ts';
import { otherPanic } from './other-panic.ts';
import { otherProcess } from './other-process.ts';
import { otherSupply } from './other-supply.ts';
import { otherWay } from './other-way.ts';
import { overBefore } from './over-before.ts';
import { ownError } from './own-error.ts';
import { tooSmall } from './too-small.ts';
import { usuallyHarmless } from './usually-harmless.ts';
import { waitedBefore } from './waited-before.ts';
import { wasMeasured } from './was-measured.ts';
import { workContinued } from './work-continued.ts';

const ALL: readonly Doubting[] = [
  ownError,
  otherProcess,
  otherGroup,
  waitedBefore,
  workContinued,
  overBefore,
  tooSmall,
];
const NONE: readonly Doubt[] = [];

/** Where the effect says nothing, the cause may. */
const NOTHING_SAID: readonly Doubting[] = [otherGroup];
/** Of effects that are not of the work: by kind, or by the first word of it. */
const OF_DEVICES: ReadonlyMap<string, readonly Doubting[]> = new Map([
  ['storage', [otherWay, networkBack]],
  ['psu.failover', [otherSupply]],
  ['nvswitch.nonfatal', [brokenSwitch]],
  ['host.panic', [otherPanic]],
  ['host.shm_full', [wasMeasured]],
  ['memory.ue', [otherModule]],
  ['pcie', [correctedOnce]],
  ['nic.port_down', [notASwitch]],
]);

/** Whether its events have any of what a doubt is drawn from: most effects have none of it. */
function says({ events }: Facts): boolean {
  for (const { attributes } of events) {
    const { exception, pid, waited_ms, since_step_ms, silent_ms, before } = attributes;
    if ((exception ?? pid ?? waited_ms ?? since_step_ms ?? silent_ms ?? before) !== undefined) return true;
  }
  return false;
}

/** A checkpoint is written between steps: they say nothing of it. */
const WORK = /^(?:job\.(?!checkpoint)|service\.|net\.)/;
/** Kinds of effects that say something of the work: of all others nothing is known that would speak against a cause. */
const ofWork = new Uint8Array(KINDS.length);
/** A job's own events and what is planned stop a job whatever it did before. */
const ofOthers = new Uint8Array(KINDS.length);
const ofDevices: (readonly Doubting[] | undefined)[] = [];
const ofLinks = new Uint8Array(KINDS.length);
for (const kind of KINDS) {
  const { index } = kindInfo(kind);
  if (WORK.test(kind)) ofWork[index] = 1;
  if (kind.startsWith('pcie.')) ofLinks[index] = 1;
  ofDevices[index] = OF_DEVICES.get(kind) ?? OF_DEVICES.get(kind.split('.', 1)[0] ?? '');
  if (!kind.startsWith('job.') && !isExplaining(kind)) ofOthers[index] = 1;
}

/** Says something of the work, not of a device. */
export function isWork({ kindIndex }: Pick<Facts, 'kindIndex'>): boolean {
  return ofWork[kindIndex] === 1;
}

/** Strongest first. `past`: how such events ended here before. */
export function doubtsOf(cause: Facts, effect: Facts, row: CauseRow, past: Past | null): readonly Doubt[] {
  if (!mayDoubt(cause, effect)) return NONE;
  // What came and went without harm to a job says nothing of the link itself.
  const harmless = past === null || ofLinks[effect.kindIndex] === 1 ? null : usuallyHarmless(past);
  let found: Doubt[] | null = harmless === null ? null : [harmless];
  for (const doubting of isOwnEnd(cause, effect) ? WAITED : doubtingOf(effect)) {
    const doubt = doubting(cause, effect, row);
    if (doubt === null) continue;
    found ??= [];
    found.push(doubt);
  }
  return found === null ? NONE : found.sort((a, b) => a.factor - b.factor);
}

function doubtingOf(effect: Facts): readonly Doubting[] {
  return ofDevices[effect.kindIndex] ?? (says(effect) ? ALL : NOTHING_SAID);
}

/** Errors of one rank, for which the others wait from then on, and not before. */
const OWN_ENDS: ReadonlySet<Kind> = new Set<Kind>(['job.gpu_oom', 'job.nan', 'job.checkpoint_failed']);
const WAITED: readonly Doubting[] = [waitedBefore];

function isOwnEnd(cause: Facts, effect: Facts): boolean {
  return OWN_ENDS.has(cause.kind) && effect.kind === 'job.collective_timeout';
}

/** Whether anything could speak against such a cause of such an effect. */
export function mayDoubt(cause: Facts, effect: Facts): boolean {
  const { kindIndex } = effect;
  if (isOwnEnd(cause, effect)) return true;
  return (ofWork[kindIndex] === 1 || ofDevices[kindIndex] !== undefined) && ofOthers[cause.kindIndex] === 1;
}

/** What is left of the cause's weight, 0 to 1. */
export function fitOf(doubts: readonly Doubt[]): number {
  let fit = 1;
  for (const { factor } of doubts) fit *= factor;
  return fit;
}
