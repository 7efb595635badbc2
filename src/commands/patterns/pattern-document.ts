// Pattern document: a named pattern as users script against it.

import type { Need, Pattern } from '../../correlation/patterns/patterns.ts';
import { DETECTION_RULES } from '../../detection/rules/detectors.ts';
import { ruleLine } from '../../detection/rules/rule-text.ts';
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
  /** What is measured for its roots, with the limits as shipped. */
  readonly detectors: readonly DetectorDocument[];
  readonly look_alikes: readonly { readonly pattern: string; readonly told_apart_by: string }[];
  readonly remediation: string;
  readonly runbook: string;
  readonly source: string;
  /** The file of a site's own; null: of the catalogue. */
  readonly origin: string | null;
}

interface DetectorDocument {
  readonly name: string;
  readonly watches: string;
  readonly condition: string;
  readonly source: string;
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
    detectors: detectorsOf(root),
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

function detectorsOf(roots: readonly Kind[]): DetectorDocument[] {
  return DETECTION_RULES.filter(({ kind, deeper }) =>
    [kind, deeper?.kind].some((each) => each !== undefined && roots.includes(each)),
  ).map((rule) => {
    const { name, watches, condition, source } = ruleLine(rule);
    const deep = rule.deeper !== undefined && roots.includes(rule.deeper.kind) && !roots.includes(rule.kind);
    return { name, watches, condition: deep ? `${condition}; this under ${rule.deeper?.below} ×` : condition, source };
  });
}

function needDocument({ kinds, orRoot, why }: Need): NeedDocument {
  return { any: [...kinds], or_root: orRoot, why };
}
