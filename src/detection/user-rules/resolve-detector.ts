// Resolve detector: the limits that a user wrote for one of the six detectors, checked against what its type needs and takes.

import { durationMs } from '../../config/quantity.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import type { DetectorSpec } from '../../native.ts';
import type { LIMITS } from './schema.ts';

export type RawLimits = { readonly [K in keyof typeof LIMITS]?: FromSchema<(typeof LIMITS)[K]> | undefined };
type Type = DetectorSpec['type'];
type Report = (key: string | null, text: string) => void;

/** What each type takes, those that it needs first. */
const TAKES: Readonly<
  Record<Type, { readonly needs: readonly (keyof RawLimits)[]; readonly may: readonly (keyof RawLimits)[] }>
> = {
  level: { needs: [], may: ['above', 'below', 'clear', 'for', 'clear_for'] },
  mask: { needs: ['bits'], may: ['for', 'clear_for'] },
  rate: { needs: ['per_second', 'window'], may: ['clear_for'] },
  drop: { needs: ['ratio', 'window'], may: ['clear_ratio', 'min_samples', 'dwell_samples'] },
  trend: { needs: ['window', 'horizon'], may: ['above', 'below', 'min_samples'] },
  peers: { needs: ['ratio'], may: ['min_peers', 'for', 'clear_for'] },
};
const SIDED: readonly Type[] = ['level', 'trend'];
const MOST_BITS = 2 ** 53;

/** Null where something is wrong, which was reported. `name` and `select` are the detector's. */
export function newSpec(
  type: Type,
  raw: RawLimits,
  base: Pick<DetectorSpec, 'name' | 'select'>,
  report: Report,
): DetectorSpec | null {
  const { needs } = TAKES[type];
  const missing = needs.filter((key) => raw[key] === undefined);
  for (const key of missing) report(null, `needs ${key}: a detector of type ${type} has none of its own`);
  if (SIDED.includes(type) && (raw.above === undefined) === (raw.below === undefined)) {
    report(null, `needs either above or below. Write: above: 85`);
    return null;
  }
  if (!onlyItsOwn(type, raw, report) || missing.length > 0) return null;
  const ms = (text: string | undefined, standard = 0): number => (text === undefined ? standard : durationMs(text));
  const dwell = { dwellMs: ms(raw.for), clearDwellMs: ms(raw.clear_for) };
  const when = raw.above === undefined ? 'below' : 'above';
  const limit = raw.above ?? raw.below ?? 0;
  const { ratio = 0, min_samples: minSamples = 3 } = raw;
  const side = ratio < 1 ? 'below' : 'above';
  const made: Readonly<Record<Type, () => DetectorSpec>> = {
    level: () => ({ ...base, type: 'level', when, limit, clear: raw.clear ?? limit, ...dwell }),
    mask: () => ({ ...base, type: 'mask', bits: raw.bits ?? 0, ...dwell }),
    rate: () => ({
      ...base,
      type: 'rate',
      perSecond: raw.per_second ?? 0,
      windowMs: ms(raw.window),
      clearDwellMs: dwell.clearDwellMs,
    }),
    drop: () => ({
      ...base,
      type: 'drop',
      when: side,
      ratio,
      clearRatio: raw.clear_ratio ?? ratio,
      windowMs: ms(raw.window),
      minSamples,
      dwellSamples: raw.dwell_samples ?? 1,
    }),
    trend: () => ({
      ...base,
      type: 'trend',
      when,
      limit,
      horizonMs: ms(raw.horizon),
      windowMs: ms(raw.window),
      minSamples,
    }),
    peers: () => ({
      ...base,
      type: 'peers',
      when: side,
      ratio: Math.abs(ratio - 1),
      minPeers: raw.min_peers ?? 2,
      ...dwell,
    }),
  };
  const spec = made[type]();
  return isSound(spec, report) ? spec : null;
}

/** A detector with other limits; null where something is wrong, which was reported. */
export function changedSpec(spec: DetectorSpec, raw: RawLimits, report: Report): DetectorSpec | null {
  const { type } = spec;
  const sided = 'when' in spec && SIDED.includes(type);
  if (sided && (spec.when === 'above' ? raw.below : raw.above) !== undefined) {
    report(
      spec.when === 'above' ? 'below' : 'above',
      `is the other side: ${spec.name} watches for values ${spec.when} its limit`,
    );
    return null;
  }
  if (!onlyItsOwn(type, raw, report)) return null;
  const limit = raw.above ?? raw.below;
  const changes = {
    ...(limit === undefined ? {} : { limit }),
    ...(raw.clear === undefined ? {} : { clear: raw.clear }),
    ...(raw.for === undefined ? {} : { dwellMs: durationMs(raw.for) }),
    ...(raw.clear_for === undefined ? {} : { clearDwellMs: durationMs(raw.clear_for) }),
    ...(raw.bits === undefined ? {} : { bits: raw.bits }),
    ...(raw.per_second === undefined ? {} : { perSecond: raw.per_second }),
    ...(raw.window === undefined ? {} : { windowMs: durationMs(raw.window) }),
    ...(raw.ratio === undefined ? {} : { ratio: raw.ratio }),
    ...(raw.clear_ratio === undefined ? {} : { clearRatio: raw.clear_ratio }),
    ...(raw.min_samples === undefined ? {} : { minSamples: raw.min_samples }),
    ...(raw.dwell_samples === undefined ? {} : { dwellSamples: raw.dwell_samples }),
    ...(raw.min_peers === undefined ? {} : { minPeers: raw.min_peers }),
    ...(raw.horizon === undefined ? {} : { horizonMs: durationMs(raw.horizon) }),
  };
  // Where it is over moves along with a limit that is moved alone.
  const moved = spec.type === 'level' && limit !== undefined && raw.clear === undefined ? { clear: limit - (spec.limit - spec.clear) } : {}; // biome-ignore format: one line
  const changed = { ...spec, ...changes, ...moved } as DetectorSpec; // only keys of its own type, as checked above
  return isSound(changed, report) ? changed : null;
}

function onlyItsOwn(type: Type, raw: RawLimits, report: Report): boolean {
  const { needs, may } = TAKES[type];
  const known: readonly string[] = [...needs, ...may];
  const foreign = Object.keys(raw).filter((key) => !known.includes(key) && raw[key as keyof RawLimits] !== undefined); // its own keys
  for (const key of foreign) report(key, `means nothing to a detector of type ${type}. It has: ${known.join(', ')}`);
  return foreign.length === 0;
}

function isSound(spec: DetectorSpec, report: Report): boolean {
  const found: [string | null, string][] = [];
  if (spec.type === 'level' && (spec.when === 'above' ? spec.clear > spec.limit : spec.clear < spec.limit))
    found.push([
      'clear',
      `must be ${spec.when === 'above' ? `at most ${spec.limit}` : `at least ${spec.limit}`}, or it would be over while it is reported`,
    ]);
  if (spec.type === 'mask' && !(Number.isInteger(spec.bits) && spec.bits > 0 && spec.bits < MOST_BITS))
    found.push(['bits', 'must be a whole number above 0 and below 2^53']);
  if (spec.type === 'rate' && spec.perSecond <= 0) found.push(['per_second', 'must be above 0']);
  if ('windowMs' in spec && spec.windowMs < 1000) found.push(['window', 'must be 1s or more']);
  if (spec.type === 'trend' && spec.horizonMs < 1000) found.push(['horizon', 'must be 1s or more']);
  if (
    spec.type === 'drop' &&
    (spec.ratio <= 0 ||
      spec.ratio === 1 ||
      (spec.ratio < 1 ? spec.clearRatio < spec.ratio : spec.clearRatio > spec.ratio))
  )
    // biome-ignore format: one rule
    found.push(['ratio', 'must be above 0 and not 1, and clear_ratio between it and 1']);
  if (spec.type === 'drop' && spec.when !== (spec.ratio < 1 ? 'below' : 'above'))
    found.push(['ratio', `must stay ${spec.when} 1: ${spec.name} watches for values ${spec.when} the usual one`]);
  if (spec.type === 'peers' && spec.ratio <= 0) found.push(['ratio', 'must be above 0 and not 1']);
  for (const [key, text] of found) report(key, text);
  return found.length === 0;
}
