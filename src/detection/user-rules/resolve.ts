// Resolve: the rules and detectors that a user wrote, checked; everything that is wrong is reported at its place.

import metrics from '#catalog/metrics.json' with { type: 'json' };
import { durationMs } from '../../config/quantity.ts';
import type { FromSchema, Known } from '../../config/schema-parts.ts';
import type { Resolving } from '../../config/section.ts';
import { didYouMean } from '../../helpers/did-you-mean.ts';
import { matchesWildcard } from '../../helpers/wildcard.ts';
import { COMPONENT_TYPES, parseComponent } from '../../model/component.ts';
import { isKind, isUserKind, KINDS, type Kind, kindInfo } from '../../model/kind.ts';
import type { DetectorSpec } from '../../native.ts';
import { DETECTION_RULES } from '../rules/detectors.ts';
import { type Change, changedRules, type InForce } from './in-force.ts';
import { newSpec, type RawLimits } from './resolve-detector.ts';
import { resolveTest } from './resolve-test.ts';
import type { DETECTORS, RULES } from './schema.ts';
import type { EventPattern, UserCondition, UserRule } from './user-rule.ts';

/** What of which component is exported: what sources read. */
const SERIES: readonly { readonly on: readonly string[]; readonly quantity: string }[] = metrics.series;

type RawRule = FromSchema<typeof RULES>[number];
type RawEvents = Pick<NonNullable<RawRule['events']>, 'kind' | 'component' | 'where' | 'severity'>;

/** What detection runs with: rules of the site, and the detectors with their limits. */
export interface RulesConfig {
  readonly rules: readonly UserRule[];
  readonly detectors: readonly InForce[];
}

export function resolveRules(
  raw: Known<{ readonly rules: typeof RULES; readonly detectors: typeof DETECTORS }, never>,
  at: Resolving,
): RulesConfig {
  const seen = new Map<string, string>();
  const rules = raw.rules.flatMap((one, i) => {
    const pointer = `/rules/${i}`;
    const before = seen.get(one.name);
    if (before !== undefined) {
      at.findings.problem('FL1106', `${pointer}/name`, `is the name of another rule too, ${before}. Give each its own`);
      return [];
    }
    seen.set(one.name, at.findings.placeText(`${pointer}/name`));
    return ruleOf(one, pointer, at) ?? [];
  });
  const changes = raw.detectors.flatMap((one, i): Change[] => {
    const { name, enabled, models, severity, ...limits } = one;
    const pointer = `/detectors/${i}`;
    const report = (key: string | null, text: string) =>
      at.findings.problem('FL1106', key === null ? pointer : `${pointer}/${key}`, text);
    if (DETECTION_RULES.some(({ spec }) => spec.name === name))
      return [
        {
          name,
          enabled: enabled === 'on',
          models,
          severity: severity ?? null,
          limits,
          origin: at.findings.placeText(pointer),
          report,
        },
      ];
    const near = didYouMean(name, DETECTION_RULES.map(({ spec }) => spec.name)); // biome-ignore format: one line
    const hint = near === null ? 'faultline config print --detectors lists them' : `Did you mean: ${near}`;
    report('name', `names no detector. ${hint}`);
    return [];
  });
  return { rules, detectors: changedRules(changes) };
}

function ruleOf(raw: RawRule, pointer: string, at: Resolving): UserRule | null {
  const { name, title, advice, severity, events, threshold, absent, tests } = raw;
  const given = [events, threshold, absent].filter((one) => one !== undefined);
  if (given.length !== 1) {
    const text =
      given.length === 0
        ? 'needs one of events, threshold and absent'
        : 'may have one of events, threshold and absent. Write a rule for each';
    at.findings.problem('FL1106', pointer, text);
    return null;
  }
  const kind: Kind = `user.${name}`;
  const condition = conditionOf(raw, pointer, at);
  const resolved = tests.flatMap((test, i) => resolveTest(test, `${pointer}/tests/${i}`, at) ?? []);
  if (condition === null) return null;
  const origin = at.findings.placeText(pointer);
  return { name, kind, severity, title: title ?? null, advice: advice ?? null, condition, tests: resolved, origin };
}

function conditionOf(
  { name, severity, events, threshold, absent }: RawRule,
  pointer: string,
  at: Resolving,
): UserCondition | null {
  if (events !== undefined) {
    const of = patternOf(events, `${pointer}/events`, at);
    const { count, within, per } = events;
    if (count > 1 && within === undefined)
      at.findings.problem(
        'FL1106',
        `${pointer}/events/count`,
        'needs within: how long they are counted. Write: within: 10m',
      );
    return of === null
      ? null
      : { is: 'events', of, count, windowMs: within === undefined ? 60_000 : durationMs(within), per };
  }
  if (threshold !== undefined) {
    const { of, series, detector, models, ...limits } = threshold;
    const where = `${pointer}/threshold`;
    const report = (key: string | null, text: string) =>
      at.findings.problem('FL1106', key === null ? where : `${where}/${key}`, text);
    const select = selectOf(of, series, report);
    if (select === null) return null;
    const spec: DetectorSpec | null = newSpec(detector, limits as RawLimits, { name: `user.${name}`, select }, report); // its own keys
    if (spec === null) return null;
    const source = `rule ${name}, ${at.findings.placeText(pointer)}`;
    const rule = { spec, kind: `user.${name}`, severity, quantity: series ?? '', unit: '', source } as const;
    return { is: 'threshold', detector: rule, models };
  }
  return absent === undefined ? null : absenceOf(absent, `${pointer}/absent`, at);
}

function absenceOf(raw: NonNullable<RawRule['absent']>, pointer: string, at: Resolving): UserCondition | null {
  const { findings } = at;
  if (raw.for === undefined) {
    findings.problem('FL1106', pointer, 'needs for: how long it must be absent. Write: for: 10m');
    return null;
  }
  const forMs = durationMs(raw.for);
  if (forMs < 1000) {
    findings.problem('FL1106', `${pointer}/for`, 'must be 1s or more');
    return null;
  }
  if ((raw.kind.length === 0) === (raw.series === undefined)) {
    findings.problem('FL1106', pointer, 'needs either kind (of events) or series, with of');
    return null;
  }
  if (raw.series === undefined) {
    const of = patternOf(raw, pointer, at);
    return of === null ? null : { is: 'no-events', of, forMs, per: raw.per };
  }
  const select = selectOf(raw.of, raw.series, (key, text) =>
    findings.problem('FL1106', key === null ? pointer : `${pointer}/${key}`, text),
  );
  return select === null ? null : { is: 'no-series', ...select, forMs };
}

function selectOf(
  of: string | undefined,
  series: string | undefined,
  report: (key: string | null, text: string) => void,
) {
  if (of === undefined) report(null, 'needs of: the type of component. Write: of: gpu');
  if (series === undefined) report(null, 'needs series. Write: series: temperature');
  if (of === undefined || series === undefined) return null;
  if (COMPONENT_TYPES.some((type) => type === of)) {
    const meant = misspeltSeries(of, series);
    if (meant !== null) report('series', `is not a series of a ${of} that is read here. Did you mean: ${meant}`);
    return { componentType: of, quantity: series };
  }
  const near = didYouMean(of, COMPONENT_TYPES);
  report(
    'of',
    `is not a type of component. ${near === null ? `Known: ${COMPONENT_TYPES.join(', ')}` : `Did you mean: ${near}`}`,
  );
  return null;
}

/** The series that was meant; null where this one is known, or like none that is: a program of the site may send it. */
function misspeltSeries(of: string, series: string): string | null {
  const known = [
    ...SERIES.filter(({ on }) => on.includes(of)).map(({ quantity }) => quantity),
    ...DETECTION_RULES.flatMap(({ spec: { select } }) => (select.componentType === of ? select.quantity : [])),
  ];
  return known.includes(series) ? null : didYouMean(series, known);
}

/** Null where something is wrong, which was reported. */
function patternOf(
  { kind, component, where, severity }: RawEvents,
  pointer: string,
  { findings }: Resolving,
): EventPattern | null {
  if (kind.length === 0) {
    findings.problem('FL1106', pointer, 'needs kind. Write: kind: [gpu.memory.dbe]');
    return null;
  }
  const wrong = kind.filter((one, i) => {
    const trouble = kindTrouble(one);
    if (trouble !== null) findings.problem('FL1106', `${pointer}/kind/${i}`, trouble);
    return trouble !== null;
  });
  const placed = component === undefined || component.endsWith('*') || parseComponent(component) !== null;
  if (!placed) findings.problem('FL1106', `${pointer}/component`, 'must be type/id. Write: component: gpu/*');
  if (!placed || wrong.length > 0) return null;
  const pairs = where.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const);
  return { kinds: kind, component: component ?? null, where: Object.fromEntries(pairs), severity };
}

/** A rule that follows from rules could report itself for ever. */
function kindTrouble(text: string): string | null {
  if (text.startsWith('user.')) return 'is the event of a rule: rules follow from what is seen, not from rules';
  if (KINDS.some((kind) => matchesWildcard(kind, text) && !isUserKind(kind))) return null;
  const near = didYouMean(text, KINDS);
  return `names no kind. ${near === null ? 'docs/reference/kinds.md lists them' : `Did you mean: ${near}`}`;
}

/** For those who show rules: what its events are called. */
export function titleOf(rule: UserRule): string {
  return rule.title ?? (isKind(rule.kind) ? kindInfo(rule.kind).title : rule.name);
}
