// Line patterns: what the parts of an incident's document look like as we write them, for lines that are looked at without being parsed.

import { COMPONENT_TYPES } from '../../model/component.ts';
import { CONFIDENCE_CODES } from '../../model/confidence.ts';
import { SEVERITIES } from '../../model/severity.ts';

export function orNull(pattern: string): string {
  return `(?:null|${pattern})`;
}

export function word(words: readonly string[]): string {
  return `"(?:${words.join('|')})"`;
}

/** A text that is not empty. */
export function nameOf(text: string): string {
  return `(?!"")${text}`;
}

/** No wider than what readers take. */
export const TEXT = String.raw`"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"`;
export const COUNT = String.raw`(?:0|[1-9]\d{0,14})`;
const DAY = String.raw`(?:02-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:0[1-9]|[12]\d|30)|(?:0[13578]|1[02])-31)`;
const CLOCK = String.raw`(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d`;
const NUMBER = String.raw`-?${COUNT}(?:\.\d{1,20})?(?:e-?\d{1,2})?`;
const TIME = String.raw`"[12]\d{3}-${DAY}T${CLOCK}(?:\.\d{1,9})?Z"`;
const LATER_TIME = String.raw`"(?:19[7-9]\d|2\d{3})-${DAY}T${CLOCK}`;

export interface Forms {
  readonly text: string;
  readonly number: string;
  /** Of a time that was computed, and of one with as many digits as its source had. */
  readonly time: string;
  readonly sourceTime: string;
  /** Of a part of a confidence. */
  readonly code: string;
  /** "?" where a link may be without its interval. */
  readonly interval: '?' | '';
}

/** All that is read. */
export const READ: Forms = {
  text: TEXT,
  number: NUMBER,
  time: TIME,
  sourceTime: TIME,
  code: orNull(TEXT),
  interval: '?',
};

/**
 * Only what is written again as it was read: texts without escapes that could be left out, numbers of fifteen digits at most, which a
 * float64 gives back as they are, and times to a millisecond or, where that says more, a microsecond.
 */
export const SAME: Forms = {
  text: String.raw`"[^"\\\x00-\x1f]*(?:\\["\\bfnrt][^"\\\x00-\x1f]*)*"`,
  number: String.raw`(?!-?0\.0{6}|-0[^.])(?=[-.\d]{1,16}[^-.\de])-?${COUNT}(?:\.\d*[1-9])?`,
  time: String.raw`${LATER_TIME}\.\d{3}(?:(?!000)\d{3})?Z"`,
  sourceTime: String.raw`${LATER_TIME}(?:\.\d{1,6})?Z"`,
  code: orNull(word(Object.keys(CONFIDENCE_CODES))),
  interval: '',
};

export const list = (pattern: string): string => String.raw`\[(?:${pattern}(?:,${pattern})*)?\]`;
/** Fields in their order, with their braces; a name that begins with "?" may be left out. */
export const fields = (of: Readonly<Record<string, string>>): string => String.raw`\{${bareFields(of)}\}`;
/** The same without braces. */
export const bareFields = (of: Readonly<Record<string, string>>): string =>
  Object.entries(of)
    .map(([name, pattern], at) => {
      const comma = at === 0 ? '' : ',';
      return name.startsWith('?') ? `(?:${comma}"${name.slice(1)}":${pattern})?` : `${comma}"${name}":${pattern}`;
    })
    .join('');

export const component = ({ text }: Forms): string =>
  fields({ type: word(COMPONENT_TYPES), id: nameOf(text), '?host': text, '?parent': text, '?aliases': list(text) });

/** Each list of an incident's document, in the order in which they stand there. Kinds are looked at by themselves. */
export function items(forms: Forms): Items {
  const { text, number, time, sourceTime, code, interval } = forms;
  const name = nameOf(text);
  const place = component(forms);
  const span = { from: time, to: orNull(time) };
  const others = list(fields({ incident: text, gpus: number, ...span }));
  const loss = fields({ gpus: COUNT, share: number, ...span, counted_under: others });
  return {
    confidence_parts: fields({ code, why: text, delta: number }),
    chain: fields({
      event_id: name,
      kind: text,
      component: orNull(place),
      severity: word(SEVERITIES),
      time: sourceTime,
      [`${interval}time_earliest`]: time,
      [`${interval}time_latest`]: time,
      caused_by: list(name),
      lag_ms: orNull(number),
      confidence: number,
      order_unknown: '(?:true|false)',
    }),
    impact: fields({
      component: place,
      quantity: text,
      before: orNull(number),
      after: orNull(number),
      unit: text,
      text,
      '?traces': list(fields({ trace_id: text, span_id: text })),
      loss: orNull(loss),
      gpu_hours: orNull(number),
      cost: orNull(fields({ amount: number, currency: text, per_gpu_hour: number })),
    }),
    alternatives: fields({ root: fields({ kind: text, component: orNull(place) }), confidence: number, why: text }),
    ruled_out: fields({ what: text, why: text }),
    evidence: `(?:${fields({ source: text, time, text, '?place': text })}|${fields({
      source: text,
      series: text,
      values: list(String.raw`\[${time},${orNull(number)}\]`),
    })})`,
  };
}

type Items = Readonly<
  Record<'confidence_parts' | 'chain' | 'impact' | 'alternatives' | 'ruled_out' | 'evidence', string>
>;
