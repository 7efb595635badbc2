// Patterns: the named ways in which things break, from the files of catalog/patterns: one each, over the cause graph.

import { catalogueFolder } from '../../helpers/catalogue-folder.ts';
import type { Kind } from '../../model/kind.ts';
import { expandKinds } from '../graph/kind-words.ts';

/** One of `kinds` is in the chain. */
export interface Need {
  readonly kinds: ReadonlySet<Kind>;
  /** The root itself may be it. */
  readonly orRoot: boolean;
  readonly why: string;
}

export interface Threshold {
  readonly what: string;
  readonly value: string;
  readonly source: string;
}

export interface LookAlike {
  readonly pattern: string;
  readonly toldApartBy: string;
}

export interface Pattern {
  readonly id: string;
  readonly headline: string;
  readonly about: string;
  readonly root: readonly Kind[];
  /** All of these, or it is not this pattern. */
  readonly requires: readonly Need[];
  /** All of these, or it is this pattern in part. */
  readonly completes: readonly Need[];
  /** None of these in the chain. */
  readonly without: ReadonlySet<Kind>;
  /** Never more than in part: nothing that a host reads proves it. */
  readonly advisory: boolean;
  readonly thresholds: readonly Threshold[];
  readonly lookAlikes: readonly LookAlike[];
  readonly remediation: string;
  readonly source: string;
  /** The file of a site's own, and its own runbook; left out: of the catalogue. */
  readonly origin?: string;
  readonly runbook?: string;
}

interface NeedEntry {
  readonly any: readonly string[];
  readonly or_root?: boolean;
  readonly why: string;
}

/** A file as its schema has it (catalog/patterns.schema.json, held by test/catalog). */
export interface PatternEntry {
  readonly headline: string;
  readonly about: string;
  readonly root: readonly string[];
  readonly requires?: readonly NeedEntry[];
  readonly completes: readonly NeedEntry[];
  readonly without?: readonly string[];
  readonly advisory?: boolean;
  readonly thresholds?: readonly Threshold[];
  readonly look_alikes?: readonly { readonly pattern: string; readonly told_apart_by: string }[];
  readonly remediation: string;
  readonly runbook?: string;
  readonly source?: string;
}

function needOf({ any, or_root: orRoot = false, why }: NeedEntry): Need {
  return { kinds: new Set(expandKinds(any)), orRoot, why };
}

/** Throws on a kind that there is not. */
export function patternOf(id: string, entry: PatternEntry): Pattern {
  const { headline, about, remediation, source = 'of this site', thresholds = [], look_alikes = [], runbook } = entry;
  return {
    id,
    headline,
    about,
    root: expandKinds(entry.root),
    requires: (entry.requires ?? []).map(needOf),
    completes: entry.completes.map(needOf),
    without: new Set(expandKinds(entry.without ?? [])),
    advisory: entry.advisory ?? false,
    thresholds,
    lookAlikes: look_alikes.map(({ pattern, told_apart_by: toldApartBy }) => ({ pattern, toldApartBy })),
    remediation,
    source,
    ...(runbook === undefined ? {} : { runbook }),
  };
}

/** By id, in the order of the ids. */
export const PATTERNS: ReadonlyMap<string, Pattern> = new Map(
  [...catalogueFolder('patterns')].map(([id, entry]) => [id, patternOf(id, entry as PatternEntry)]), // held by the schema
);
