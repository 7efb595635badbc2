// Claim parts: how sure it is that the root brought about its effect, as shares taken from how sure the root itself is.

import type { ConfidenceCode } from '../../model/confidence.ts';
import { eventTitle } from '../../model/event-title.ts';
import { kindInfo } from '../../model/kind.ts';
import type { Believed } from '../belief/condition.ts';
import { commonGain } from '../belief/weighing.ts';
import { doubtsOf } from '../graph/doubts/doubts.ts';
import { type Claim, claimOf, softened } from './claim.ts';
import { nameOf } from './plain-names.ts';

/** Whole hundredths, so that the parts add up without rounding. */
export type Part = readonly [hundredths: number, code: ConfidenceCode, why: string];

/** A row's strength is held against others in the window; of one that was believed half of what it lacks is doubt. */
const BY_STRENGTH = 0.5;
/** What the longest lag of a row loses against a prompt effect, by the logarithm of the lag. */
const BY_LAG = 0.35;
const LAG_UNIT_MS = 10_000;
/** What a rival that is as likely takes away. */
const BY_RIVAL = 0.5;
const MOST = 100;

/** `before`: what the root itself came to, hundredths. Empty for a root alone: that it happened is all that is claimed. */
export function claimParts(cluster: Believed, before: number, host: string): Part[] {
  const claim = claimOf(cluster);
  if (claim === null) return [];
  const { edge } = claim.weakest;
  const { cause, effect, row, fit, past } = edge;
  const from = eventTitle(cause.kind, cause.first.attributes);
  const to = eventTitle(effect.kind, effect.first.attributes);
  const parts: Part[] = [];
  let left = before;
  const take = (share: number, code: ConfidenceCode, why: string): void => {
    const after = Math.round(Math.min(left, MOST) * share);
    if (after !== left) parts.push([after - left, code, why]);
    left = after;
  };
  const strength = Math.min(1, row.strength * commonGain(cause.belief.places));
  take(
    softened(edge, strength ** BY_STRENGTH),
    'link_strength',
    `${to} after ${from} comes from it in ${Math.round(100 * strength)} of 100 cases`,
  );
  const { share, why } = lagShare(claim);
  take(softened(edge, share), 'lag_fit', why);
  const [doubt] = fit < 1 ? doubtsOf(cause, effect, row, past) : [];
  if (doubt !== undefined) take(fit, 'evidence_against', doubt.why);
  const other =
    claim.other === null
      ? ''
      : `${eventTitle(claim.other.kind, claim.other.first.attributes)} on ${nameOf(claim.other.component, host)}`;
  take(1 - BY_RIVAL * claim.rival ** 2, 'rival_effect', `${other} could have brought it about as well`);
  return parts;
}

/** The later within its time it comes, the less it is the effect. */
function lagShare({ weakest: { edge } }: Claim): { share: number; why: string } {
  const { effect, row, timing } = edge;
  const { lagMs } = timing;
  const longest = Math.log(1 + Math.max(row.lagMaxMs, LAG_UNIT_MS) / LAG_UNIT_MS);
  const late = Math.min(1, Math.log(1 + lagMs / LAG_UNIT_MS) / longest);
  const share = Math.sqrt(timing.factor) * (1 - BY_LAG * late);
  const { title } = kindInfo(effect.kind);
  if (timing.orderUnknown) return { share, why: `the clocks leave open whether ${title} began after it` };
  return { share, why: `${title} began ${seconds(lagMs)} after it, not at once` };
}

function seconds(ms: number): string {
  return ms < 1000 ? 'a moment' : `${Math.round(ms / 1000)} s`;
}
