// Brief line: a revision as its line says it, but for its lists: these are seen to be good where they stand, and not made.

import { COMPONENT_TYPES } from '../../model/component.ts';
import { isKind } from '../../model/kind.ts';
import { SEVERITIES } from '../../model/severity.ts';

/** Patterns of what our own documents write, no wider than what their readers take. */
const TEXT = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`;
const NAME = `(?!"")${TEXT}`;
const COUNT = String.raw`(?:0|[1-9]\d{0,14})`;
const NUMBER = String.raw`-?${COUNT}(?:\.\d{1,20})?(?:e-?\d{1,2})?`;
const DAY = String.raw`(?:02-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:0[1-9]|[12]\d|30)|(?:0[13578]|1[02])-31)`;
const TIME = String.raw`"[12]\d{3}-${DAY}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z"`;
const word = (words: readonly string[]): string => `"(?:${words.join('|')})"`;
const orNull = (pattern: string): string => `(?:null|${pattern})`;
const maybe = (pattern: string): string => `(?:${pattern})?`;
const list = (pattern: string): string => String.raw`\[(?:${pattern}(?:,${pattern})*)?\]`;
/** Fields in their order; a name that begins with "?" may be left out. */
const fields = (of: Readonly<Record<string, string>>): string => {
  const [first = '', ...others] = Object.entries(of).map(([name, pattern]) => [name, pattern] as const);
  const rest = others.map(([name, pattern]) =>
    name.startsWith('?') ? maybe(`,"${name.slice(1)}":${pattern}`) : `,"${name}":${pattern}`,
  );
  return String.raw`\{"${first[0]}":${first[1]}${rest.join('')}\}`;
};
const COMPONENT = fields({
  type: word(COMPONENT_TYPES),
  id: NAME,
  '?host': TEXT,
  '?parent': TEXT,
  '?aliases': list(TEXT),
});
const SPAN = { from: TIME, to: orNull(TIME) };
const LOSS = fields({
  gpus: COUNT,
  share: NUMBER,
  ...SPAN,
  counted_under: list(fields({ incident: TEXT, gpus: NUMBER, ...SPAN })),
});
/** Each list of an incident's document, in the order in which they stand there. Kinds are looked at by themselves. */
const ITEMS: Readonly<Record<string, string>> = {
  confidence_parts: fields({ code: orNull(TEXT), why: TEXT, delta: NUMBER }),
  chain: fields({
    event_id: NAME,
    kind: TEXT,
    component: orNull(COMPONENT),
    severity: word(SEVERITIES),
    time: TIME,
    '?time_earliest': TIME,
    '?time_latest': TIME,
    caused_by: list(NAME),
    lag_ms: orNull(NUMBER),
    confidence: NUMBER,
    order_unknown: '(?:true|false)',
  }),
  impact: fields({
    component: COMPONENT,
    quantity: TEXT,
    before: orNull(NUMBER),
    after: orNull(NUMBER),
    unit: TEXT,
    text: TEXT,
    '?traces': list(fields({ trace_id: TEXT, span_id: TEXT })),
    loss: orNull(LOSS),
    gpu_hours: orNull(NUMBER),
    cost: orNull(fields({ amount: NUMBER, currency: TEXT, per_gpu_hour: NUMBER })),
  }),
  alternatives: fields({
    root: fields({ kind: TEXT, component: orNull(COMPONENT) }),
    confidence: NUMBER,
    why: TEXT,
  }),
  ruled_out: fields({ what: TEXT, why: TEXT }),
  evidence: `(?:${fields({ source: TEXT, time: TIME, text: TEXT, '?place': TEXT })}|${fields({
    source: TEXT,
    series: TEXT,
    values: list(String.raw`\[${TIME},${orNull(NUMBER)}\]`),
  })})`,
};
const LISTS = Object.entries(ITEMS).map(([name, item]) => ({
  key: `"${name}":`,
  pattern: new RegExp(list(item), 'y'),
  withKinds: item.includes('"kind":'),
}));
const KIND = /"kind":("[^"]*")/g;

/**
 * The line with each of these lists empty; null where one of them is not as we write it, or might not be read. It parses where the
 * line does, and to the same but for the lists: each is a whole list behind its name, and no text has that name inside.
 */
export function withoutLists(line: Buffer): string | null {
  // By bytes, of which a text may hold any from 0x80 on.
  const bytes = line.toString('latin1');
  let brief = '';
  let at = 0;
  for (const { key, pattern, withKinds } of LISTS) {
    const found = bytes.indexOf(key, at);
    if (found < 0) return null;
    const begin = found + key.length;
    pattern.lastIndex = begin;
    if (!pattern.test(bytes)) return null;
    const end = pattern.lastIndex;
    if (withKinds && !areKinds(bytes.slice(begin, end))) return null;
    brief += `${line.toString('utf8', at, begin)}[]`;
    at = end;
  }
  return brief + line.toString('utf8', at);
}

function areKinds(items: string): boolean {
  for (const [, kind = ''] of items.matchAll(KIND)) if (!isKind(kind.slice(1, -1))) return false;
  return true;
}
