// Cause graph: which kind can cause which, how fast and how surely, from the files of catalog/kinds, indexed both ways.

import { type CauseEntry, FAMILIES } from '../../model/family.ts';
import type { Kind } from '../../model/kind.ts';
import { expandKinds } from './kind-words.ts';
import { componentsOf } from './strong-components.ts';

export const RELATIONS = [
  'same_component',
  'same_card',
  'downstream',
  'upstream',
  'other_feed',
  'same_unit',
  'same_host',
  'other_host',
  'served',
  'same_job',
  'within',
] as const;
export type CauseRelation = (typeof RELATIONS)[number];

/** One way in which a condition of kind `cause` brings about one of kind `effect`. */
export interface CauseRow {
  readonly cause: Kind;
  readonly effect: Kind;
  readonly relation: CauseRelation;
  /** Physical delay, ms. */
  readonly lagMinMs: number;
  readonly lagMaxMs: number;
  /** How much later than it happened the cause, the effect may be seen, beyond the event's own interval, ms. */
  readonly causeLateMs: number;
  readonly effectLateMs: number;
  /** How surely the effect, seen at the right place and time, comes from this cause; 0 to 1. */
  readonly strength: number;
  /** The effect may begin at any time while the cause lasts. */
  readonly whileActive: boolean;
  /** The effect is a state of a whole: where something planned began it, a cause that begins while it lasts keeps it up. */
  readonly keepsUp: boolean;
  /** Each occurrence of a cause that repeats can bring the effect about: the lag counts from the last one before it. */
  readonly eachTime: boolean;
  /** Of one kind: what the narrower place shows leads, whichever was seen first. */
  readonly partFirst: boolean;
  /** Not a cause but a sign of one that no reading shows: links conditions that began together. */
  readonly sibling: boolean;
  /** Conditions that must have begun together before a sibling row counts. */
  readonly minGroup: number;
  /** How many began together with its cause decides about a row: they are counted together. */
  readonly counted: boolean;
  /** Longest effect that this cause explains, ms; null: any. */
  readonly effectMaxMs: number | null;
  /** A planned cause explains these effects for so long, ms; null: for good; undefined: for its kind's usual time. */
  readonly explainsMs: number | null | undefined;
  /** A cause whose feed path is not configured may be weighed here, at a heavy discount. */
  readonly unmapped: boolean;
  /** It leads from one feed over to another and so closes a circle of kinds that no single feed goes round. */
  readonly cascade: boolean;
  /** A cascade, or both kinds lie on one cycle of the other rows: the cause must then come first. */
  readonly mustPrecede: boolean;
  /** Both kinds lie on one cycle of all rows, cascades included: only these can close a circle of beliefs. */
  readonly mayCircle: boolean;
  readonly note: string;
}

function rowsOf(raw: CauseEntry): CauseRow[] {
  const relation = RELATIONS.find((name) => name === raw.relation);
  if (relation === undefined)
    throw new Error(`a row of causes in catalog/kinds has the unknown relation ${raw.relation}`);
  const shared = {
    relation,
    lagMinMs: raw.lag_ms[0] ?? 0,
    lagMaxMs: raw.lag_ms[1] ?? 0,
    causeLateMs: raw.seen_late_ms[0] ?? 0,
    effectLateMs: raw.seen_late_ms[1] ?? 0,
    strength: raw.strength,
    whileActive: raw.while_active ?? false,
    keepsUp: raw.keeps_up ?? false,
    eachTime: raw.each_time ?? false,
    partFirst: false,
    sibling: raw.sibling ?? false,
    minGroup: raw.min_group ?? 2,
    counted: false,
    effectMaxMs: raw.effect_max_ms ?? null,
    explainsMs: raw.explains_ms,
    unmapped: raw.unmapped ?? false,
    cascade: raw.cascade ?? false,
    mustPrecede: false,
    mayCircle: false,
    note: raw.note,
  };
  const effects = expandKinds(raw.effect);
  return expandKinds(raw.cause).flatMap((cause) => effects.map((effect) => ({ cause, effect, ...shared })));
}

function group(rows: readonly CauseRow[], by: 'cause' | 'effect', to: 'cause' | 'effect') {
  const index = new Map<Kind, Map<Kind, CauseRow[]>>();
  for (const row of rows) {
    const inner = index.get(row[by]) ?? new Map<Kind, CauseRow[]>();
    index.set(row[by], inner);
    const list = inner.get(row[to]);
    if (list === undefined) inner.set(row[to], [row]);
    else list.push(row);
  }
  return index;
}

const NO_ROWS: ReadonlyMap<Kind, readonly CauseRow[]> = new Map();
const plain = FAMILIES.flatMap(({ causes }) => causes).flatMap(rowsOf);
const withinOneFeed = plain.filter(({ cascade }) => !cascade);
const large = new Set(plain.flatMap(({ sibling, minGroup, cause }) => (sibling && minGroup > 2 ? [cause] : [])));
/** All rows of such a kind to itself keep one order, so that they close no circle. */
const ordered = new Set(
  FAMILIES.flatMap(({ causes }) => causes).flatMap((raw) => (raw.part_first === true ? expandKinds(raw.cause) : [])),
);
const cycle = componentsOf(withinOneFeed.map((row) => [row.cause, row.effect] as const));
const anyCycle = componentsOf(plain.map((row) => [row.cause, row.effect] as const));

export const CAUSE_ROWS: readonly CauseRow[] = plain.map((row) => ({
  ...row,
  counted: row.sibling && large.has(row.cause),
  partFirst: row.cause === row.effect && ordered.has(row.cause),
  mustPrecede: row.cascade || cycle.get(row.cause) === cycle.get(row.effect),
  mayCircle: anyCycle.get(row.cause) === anyCycle.get(row.effect),
}));

const byEffect = group(CAUSE_ROWS, 'effect', 'cause');
const byCause = group(CAUSE_ROWS, 'cause', 'effect');

/** Rows that lead to this kind, by kind of the cause. */
export function causesOf(effect: Kind): ReadonlyMap<Kind, readonly CauseRow[]> {
  return byEffect.get(effect) ?? NO_ROWS;
}

/** Rows that lead from this kind, by kind of the effect. */
export function effectsOf(cause: Kind): ReadonlyMap<Kind, readonly CauseRow[]> {
  return byCause.get(cause) ?? NO_ROWS;
}

const eachTime: ReadonlySet<Kind> = new Set(CAUSE_ROWS.flatMap((row) => (row.eachTime ? [row.cause] : [])));

/** Whether it matters for an effect when a condition of this kind happened last. */
export function countsEachTime(cause: Kind): boolean {
  return eachTime.has(cause);
}

const reaches = new Map<Kind, number>();
for (const row of CAUSE_ROWS) {
  const forward = row.lagMaxMs + row.causeLateMs + row.effectLateMs;
  const back = row.causeLateMs - Math.min(0, row.lagMinMs);
  reaches.set(row.cause, Math.max(reaches.get(row.cause) ?? 0, forward));
  reaches.set(row.effect, Math.max(reaches.get(row.effect) ?? 0, back));
}

/** How long after its end a condition of this kind can still become the cause, or find its own, ms. */
export function reachMs(kind: Kind): number {
  return reaches.get(kind) ?? 0;
}

/** The longest reach of any kind, ms. */
export const LONGEST_REACH_MS = Math.max(...reaches.values());
