// Schema of a user's pattern: the fields of catalog/patterns.schema.json; of a site's own, only what it is and its tests must be there.

import { item, type SchemaNode } from '../../../config/schema-parts.ts';

const text = (description: string, shortest: number, longest: number) =>
  ({ type: 'string', description, pattern: `^[\\s\\S]{${shortest},${longest}}$`, form: `text of ${shortest} to ${longest} characters` }) as const; // biome-ignore format: one node
const KINDS = {
  type: 'array',
  description: 'kinds, `prefix.*` of several, or `group:name`',
  items: {
    type: 'string',
    pattern: '^(group:[a-z_]+|[a-z_]+(\\.[a-z_]+)*(\\.\\*)?)$',
    form: 'a kind, prefix.* or group:name',
    examples: ['gpu.thermal_throttle'],
  },
  minItems: 1,
  maxItems: 64,
} as const;
const NEEDS = {
  type: 'array',
  items: item(
    {
      any: KINDS,
      or_root: { type: 'boolean', description: 'the root itself may be it' },
      why: text('what it is, for people', 10, 200),
    },
    ['any', 'why'],
  ),
  maxItems: 16,
} as const;
const EVENTS = {
  type: 'array',
  description: 'each [seconds, kind, component] or [seconds, kind, component, attributes]',
  items: { type: 'array' },
  minItems: 1,
  maxItems: 200,
} as const;
const EXAMPLE = item({ events: EVENTS }, ['events']);
const PATTERN_ID = {
  type: 'string',
  pattern: '^[a-z][a-z0-9_]{0,63}$',
  form: 'the name of a pattern',
  examples: ['gpu_overheating'],
} as const;

export const USER_PATTERN = item(
  {
    $schema: text('of editors; not read', 0, 400),
    version: text('of this file', 1, 40),
    headline: text('a short noun phrase', 5, 60),
    about: text('what it is, in one sentence', 20, 600),
    root: KINDS,
    requires: NEEDS,
    completes: NEEDS,
    without: KINDS,
    advisory: { type: 'boolean', description: 'never more than in part' },
    thresholds: {
      type: 'array',
      items: item(
        { what: text('what is measured', 3, 200), value: text('its limit', 1, 100), source: text('of it', 3, 300) },
        ['what', 'value', 'source'],
      ),
      maxItems: 32,
    },
    look_alikes: {
      type: 'array',
      items: item({ pattern: PATTERN_ID, told_apart_by: text('in words', 5, 300) }, ['pattern', 'told_apart_by']),
      maxItems: 16,
    },
    remediation: text('what to do, in one or two sentences', 20, 600),
    runbook: text("address or path of the site's own runbook", 3, 400),
    source: text('where it comes from', 5, 400),
    examples: item(
      {
        clear: EXAMPLE,
        partial: EXAMPLE,
        noisy: EXAMPLE,
        look_alike: item({ is: PATTERN_ID, events: EVENTS }, ['is', 'events']),
      },
      ['clear'],
    ),
  },
  ['headline', 'about', 'root', 'completes', 'remediation', 'examples'],
) satisfies SchemaNode;
