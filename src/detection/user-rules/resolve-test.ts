// Resolve test: what a test of a rule gives and what must come of it, checked.

import { durationMs } from '../../config/quantity.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import type { Resolving } from '../../config/section.ts';
import { parseComponent } from '../../model/component.ts';
import type { AttributeValue } from '../../model/event.ts';
import { isKind } from '../../model/kind.ts';
import type { RULES } from './schema.ts';
import type { RuleTest, TestInput } from './user-rule.ts';

type Raw = FromSchema<typeof RULES>[number]['tests'][number];

/** Null where something is wrong, which was reported. */
export function resolveTest(raw: Raw, pointer: string, { findings }: Resolving): RuleTest | null {
  let sound = true;
  const wrong = (at: string, text: string): null => {
    findings.problem('FL1106', `${pointer}${at}`, text);
    sound = false;
    return null;
  };
  const component = (text: string | undefined, at: string): string | null => {
    if (text === undefined) return null;
    return parseComponent(text) === null ? wrong(at, 'must be type/id. Write: component: gpu/0000:9b:00.0') : text;
  };
  const given = raw.given.map((one, i): TestInput => {
    const at = `/given/${i}`;
    const { kind, state, value, series, severity, job, every, model } = one;
    if (kind !== undefined && !isKind(kind)) wrong(`${at}/kind`, 'names no kind. docs/reference/kinds.md lists them');
    if ((kind === undefined) === (value === undefined) && model === undefined)
      wrong(at, 'needs either kind (an event) or value (a sample)');
    if ((one.times ?? 1) > 1 && every === undefined) wrong(`${at}/times`, 'needs every. Write: every: 1s');
    return {
      atMs: durationMs(one.at),
      component: component(one.component, `${at}/component`),
      kind: kind !== undefined && isKind(kind) ? kind : null,
      state,
      attributes: Object.fromEntries(one.where.map((text) => [text.slice(0, text.indexOf('=')), attributeOf(text.slice(text.indexOf('=') + 1))])), // biome-ignore format: one line
      severity: severity ?? null,
      job: job ?? null,
      series: series ?? null,
      value: value ?? null,
      everyMs: every === undefined ? 0 : durationMs(every),
      times: one.times ?? 1,
      model: model ?? null,
    };
  });
  const { name, wait, fires, by, cleared } = raw;
  const of = component(raw.component, '/component');
  if (!sound) return null;
  return {
    name,
    given,
    waitMs: wait === undefined ? 0 : durationMs(wait),
    fires,
    component: of,
    firstByMs: by === undefined ? null : durationMs(by),
    cleared: cleared ?? null,
    origin: findings.placeText(pointer),
  };
}

/** As sources have them: numbers as numbers. */
function attributeOf(text: string): AttributeValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : text;
}
