// Pattern document: a named pattern as users script against it.

import type { Need, Pattern } from '../../correlation/patterns/patterns.ts';
import { runbookOf } from '../../incidents/report/advice.ts';
import type { Kind } from '../../model/kind.ts';

export interface PatternDocument {
  readonly id: string;
  readonly headline: string;
  readonly about: string;
  readonly root: readonly Kind[];
  readonly requires: readonly NeedDocument[];
  readonly completes: readonly NeedDocument[];
  readonly without: readonly Kind[];
  readonly advisory: boolean;
  readonly thresholds: Pattern['thresholds'];
  readonly look_alikes: readonly { readonly pattern: string; readonly told_apart_by: string }[];
  readonly remediation: string;
  readonly runbook: string;
  readonly source: string;
  /** The file of a site's own; null: of the catalogue. */
  readonly origin: string | null;
}

interface NeedDocument {
  readonly any: readonly Kind[];
  readonly or_root: boolean;
  readonly why: string;
}

export function patternDocument(pattern: Pattern): PatternDocument {
  const { id, headline, about, root, advisory, thresholds, remediation, source } = pattern;
  const [first] = root;
  if (first === undefined) throw new Error(`pattern ${id} has no root`); // the schema asks for one
  return {
    id,
    headline,
    about,
    root,
    requires: pattern.requires.map(needDocument),
    completes: pattern.completes.map(needDocument),
    without: [...pattern.without],
    advisory,
    thresholds,
    look_alikes: pattern.lookAlikes.map(({ pattern: other, toldApartBy }) => ({
      pattern: other,
      told_apart_by: toldApartBy,
    })),
    remediation,
    runbook: pattern.runbook ?? runbookOf(first),
    source,
    origin: pattern.origin ?? null,
  };
}

function needDocument({ kinds, orRoot, why }: Need): NeedDocument {
  return { any: [...kinds], or_root: orRoot, why };
}
