// Claims of first contact: how sure each root was that was named in scenarios when others had just written them, right or wrong.

import record from '#catalog/scenarios/first-contact-claims.json' with { type: 'json' };
import { calibrate, type Followed, type Maps } from '../../correlation/explain/calibration.ts';
import { type FittedOn, fit } from './fit-calibration.ts';
import type { Claim } from './measure.ts';

/** What was stated then, and what the evidence came to by the parts that a confidence has; `tenant`: a user's word alone. */
type Row = readonly [
  scenario: string,
  kind: string,
  followed: Followed,
  evidence: number,
  stated: number,
  tenant: boolean,
  right: boolean,
];

export interface ClaimRound {
  readonly date: string;
  readonly engine: string;
  /** As they were stated then. */
  readonly claims: readonly Claim[];
}

/** What a user's word is held at. */
const TENANT_CAP = 0.6;

/** Rounds in the order in which they were played; one hand wrote each. */
export function claimRounds(): readonly ClaimRound[] {
  return record.rounds.map(({ date, engine, claims }) => ({ date, engine, claims: (claims as unknown as Row[]).map(claimOf) })); // biome-ignore format: one line
}

/** Each round as maps would state it that were fitted on all other rounds and on `also`. */
export function crossValidated(also: readonly FittedOn[], rounds = claimRounds()): Claim[] {
  return rounds.flatMap((round) => {
    const others = rounds.filter((one) => one !== round).flatMap(({ claims }) => claims);
    const { maps } = fit([...others, ...also]);
    return round.claims.map((claim) => restated(claim, maps));
  });
}

/** Before so many rounds there is too little to fit on. */
const LEAST_BEFORE = 4;

/** Each round as maps would state it that were fitted on the rounds before it and on `also`: as it would have been on its day. */
export function forwardChained(also: readonly FittedOn[], rounds = claimRounds()): Claim[] {
  return rounds.flatMap((round, at) => {
    if (at < LEAST_BEFORE) return [];
    const { maps } = fit([...rounds.slice(0, at).flatMap(({ claims }) => claims), ...also]);
    return round.claims.map((claim) => restated(claim, maps));
  });
}

/** The claim as `maps` would state it. */
export function restated(claim: Claim, maps: Maps): Claim {
  const confidence = calibrate(Math.round(100 * claim.evidence), claim.followed, maps) / 100;
  const capped = claim.tenant && confidence > TENANT_CAP;
  return { ...claim, confidence: capped ? TENANT_CAP : confidence, capped };
}

/** The record with one more round, a line for each claim so that it is read in a diff. */
export function withRound(round: ClaimRound): string {
  const rounds = [...claimRounds(), round].map(({ date, engine, claims }) => {
    const rows = claims.map((claim) => `        ${JSON.stringify(rowOf(claim)).replaceAll(/,(?=[^ ])/g, ', ')}`);
    return `    {\n      "date": "${date}",\n      "engine": "${engine}",\n      "claims": [\n${rows.join(',\n')}\n      ]\n    }`;
  });
  const columns = JSON.stringify(record.columns).replaceAll(',', ', ');
  return `{\n  "note": ${JSON.stringify(record.note)},\n  "columns": ${columns},\n  "rounds": [\n${rounds.join(',\n')}\n  ]\n}\n`;
}

function rowOf({ scenario, kind, followed, evidence, confidence, tenant, right }: Claim): Row {
  return [scenario, kind, followed, evidence, confidence, tenant, right];
}

function claimOf([scenario, kind, followed, evidence, stated, tenant, right]: Row): Claim {
  return {
    scenario,
    kind,
    followed,
    evidence,
    confidence: stated,
    capped: tenant && stated === TENANT_CAP,
    tenant,
    right,
  };
}
