// Family: the kinds of events of one part of the world with all that is known of them, one file of catalog/kinds each.

import { KIND_FAMILIES } from './kind-families.ts';

/** What a kind is besides a possible cause; catalog/kinds.schema.json says what each word means. */
export type KindRole =
  | 'explains'
  | 'symptom'
  | 'never_root'
  | 'reaction'
  | 'job_affected'
  | 'load_lost'
  | 'setting'
  | 'often_harmless'
  | 'record';

/** What a symptom turned out to be elsewhere. */
export interface LikelyRootEntry {
  readonly kind: string;
  readonly share: number;
  readonly why: string;
  readonly next: string;
}

/** From when on a kind that comes back on one device is the device itself. */
export interface RepeatEntry {
  /** Attributes that name the part of the device. */
  readonly by: readonly string[];
  readonly times: number;
  readonly within_ms: number;
  readonly action: string;
  readonly note: string;
}

/** A kind as its family's file has it; the schema explains each field. */
export interface KindEntry {
  readonly title: string;
  readonly severity: string;
  readonly action: string;
  readonly groups?: readonly string[];
  readonly roles?: readonly string[];
  readonly prior?: number;
  readonly base_rate?: string;
  readonly recurs_within_ms?: number;
  readonly lasts_until?: readonly string[];
  readonly ended_by?: readonly string[];
  readonly begins_with?: BeginsWithEntry;
  readonly explains_for?: { readonly ms: number; readonly as: string; readonly source: string };
  readonly survives_plan?: { readonly kinds: readonly string[]; readonly note: string };
  readonly repeated?: RepeatEntry;
  readonly likely_roots?: readonly LikelyRootEntry[];
  readonly do?: string;
  readonly first_step?: string;
  readonly call?: string;
  readonly with_dumps?: string;
  /** The same where nothing but saved logs was read. */
  readonly of_saved?: string;
}

export interface BeginsWithEntry {
  readonly kinds: readonly string[];
  /** `same_part`; left out: they are of one job. */
  readonly on?: string;
  readonly within_ms: number;
  readonly source: string;
}

/** A row of causes as its file has it: each of `cause` may bring about each of `effect`. */
export interface CauseEntry {
  readonly cause: readonly string[];
  readonly effect: readonly string[];
  readonly relation: string;
  readonly lag_ms: readonly number[];
  readonly seen_late_ms: readonly number[];
  readonly strength: number;
  readonly while_active?: boolean;
  readonly keeps_up?: boolean;
  readonly each_time?: boolean;
  readonly part_first?: boolean;
  readonly sibling?: boolean;
  readonly min_group?: number;
  readonly effect_max_ms?: number;
  readonly explains_ms?: number | null;
  readonly unmapped?: boolean;
  readonly cascade?: boolean;
  readonly note: string;
  readonly source: string;
}

export interface KindFamily {
  /** When anything in the file changed last: year.month.number. */
  readonly version: string;
  /** Its place in lists: from the power feed to the job. */
  readonly place: number;
  /** Its page in docs/runbooks. */
  readonly runbook: string;
  /** What would confirm an incident that a user of the host may have made up, by its root: the first that has the kind. */
  readonly confirmed_by: readonly {
    readonly kinds: readonly string[];
    readonly by: string;
    /** The scheduler's record of the same job confirms it. */
    readonly record?: boolean;
  }[];
  readonly kinds: Readonly<Record<string, KindEntry>>;
  readonly causes: readonly CauseEntry[];
}

type Families = typeof KIND_FAMILIES;

/** `family.name`: the keys of all files. */
type CatalogueKind = { [Name in keyof Families]: keyof Families[Name]['kinds'] }[keyof Families];

/** Those of the catalogue, and those that rules of a site are named by: `user.<name>`. */
export type Kind = CatalogueKind | `user.${string}`;

export const FAMILIES: readonly KindFamily[] = Object.values<KindFamily>(KIND_FAMILIES).sort(
  (a, b) => a.place - b.place,
);

/** Year, month and number as one number. Not by localeCompare: the collator of ICU is 7 MiB resident in a daemon that sorts nothing. */
const versionOrder = (version: string) => version.split('.').reduce((sum, part) => sum * 10_000 + Number(part), 0);

/** The newest version of all files: that of the catalogue as a whole. */
export const CATALOGUE_VERSION: string = FAMILIES.map(({ version }) => version).reduce((newest, version) =>
  versionOrder(version) > versionOrder(newest) ? version : newest,
);
