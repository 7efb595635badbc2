// Reliability: how often incidents were right as people judged them, against how sure they were; a pure function of both.

import type { Incident } from '../model/incident.ts';
import type { Kind } from '../model/kind.ts';
import type { Said } from '../model/note.ts';

export interface Tally {
  readonly right: number;
  readonly wrong: number;
  /** Incidents that no operator judged. */
  readonly none: number;
}

export interface ReliabilityBin extends Tally {
  /** Confidence from here, below `to`; the last bin includes 1. */
  readonly from: number;
  readonly to: number;
  /** Mean confidence of the judged ones; null where none was judged. */
  readonly meanConfidence: number | null;
  /** Share of the judged ones that were right; null where none was judged. */
  readonly shareRight: number | null;
}

export interface Reliability {
  readonly incidents: number;
  readonly bins: readonly ReliabilityBin[];
  /** By the root that was reported, most frequent first. `really` counts what people said it was where it was wrong. */
  readonly kinds: readonly (Tally & { readonly kind: Kind; readonly really: Readonly<Record<string, number>> })[];
  /** "No root cause yet" claims no root, so its confidence is in no bin. */
  readonly undecided: Tally;
  /** Mean distance between confidence and share right over the judged, weighted by bin; null where none was judged. */
  readonly calibrationError: number | null;
}

const BINS = 10;

/** Of each incident the newest revision and the newest verdict count; what was merged into another and what is made up are left out. */
export function reliabilityOf(incidents: readonly Incident[], said: (id: string) => Said): Reliability {
  const bins = Array.from({ length: BINS }, () => ({ right: 0, wrong: 0, none: 0, sure: 0 }));
  const kinds = new Map<Kind, { right: number; wrong: number; none: number; really: Record<string, number> }>();
  const undecided = { right: 0, wrong: 0, none: 0 };
  const reported = incidents.filter(({ mergedInto, made }) => mergedInto === null && made === undefined);
  for (const { id, confidence, rootKnown, root } of reported) {
    const { verdict } = said(id);
    const which = verdict?.verdict ?? 'none';
    if (!rootKnown) {
      undecided[which] += 1;
      continue;
    }
    const kind = kinds.get(root.kind) ?? { right: 0, wrong: 0, none: 0, really: {} };
    kinds.set(root.kind, kind);
    kind[which] += 1;
    const { rootKind = null } = verdict ?? {};
    if (which === 'wrong' && rootKind !== null) kind.really[rootKind] = (kind.really[rootKind] ?? 0) + 1;
    // In hundredths: 0.29 × 100 is not a whole number in binary.
    const bin = bins[Math.min(Math.floor(Math.round(confidence * 100) / (100 / BINS)), BINS - 1)];
    if (bin === undefined) continue;
    bin[which] += 1;
    if (which !== 'none') bin.sure += confidence;
  }
  const table = bins.map(({ sure, ...tally }, index): ReliabilityBin => {
    const judged = tally.right + tally.wrong;
    return {
      from: index / BINS,
      to: (index + 1) / BINS,
      ...tally,
      meanConfidence: judged === 0 ? null : sure / judged,
      shareRight: judged === 0 ? null : tally.right / judged,
    };
  });
  return {
    incidents: reported.length,
    bins: table,
    kinds: [...kinds]
      .map(([kind, tally]) => ({ kind, ...tally }))
      .sort((a, b) => total(b) - total(a) || (a.kind < b.kind ? -1 : 1)),
    undecided,
    calibrationError: calibrationError(table),
  };
}

function total({ right, wrong, none }: Tally): number {
  return right + wrong + none;
}

function calibrationError(bins: readonly ReliabilityBin[]): number | null {
  let distance = 0;
  let judged = 0;
  for (const { right, wrong, meanConfidence, shareRight } of bins) {
    if (meanConfidence === null || shareRight === null) continue;
    judged += right + wrong;
    distance += (right + wrong) * Math.abs(meanConfidence - shareRight);
  }
  return judged === 0 ? null : distance / judged;
}
