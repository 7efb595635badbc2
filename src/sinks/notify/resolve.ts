// The notify section, from what is written to what is in force. Null means off.

import type { Findings } from '../../config/findings.ts';
import { durationMs, parseDuration, sizeBytes } from '../../config/quantity.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import { type Matcher, parseMatcher } from '../../model/matcher.ts';
import { LABEL_NAMES } from '../message/labels.ts';
import { labelTrouble, matcherTrouble } from '../message/matcher-trouble.ts';
import { ownLabels } from '../message/receiver.ts';
import { resolveChannel } from './channels/resolve.ts';
import type { notify } from './schema.ts';
import type { NotifyConfig, QuietHours, Route } from './settings.ts';

type RawNotify = FromSchema<typeof notify>;
type RawRoute = RawNotify['routes'][number];

export function resolveNotify(
  raw: RawNotify,
  absolute: (path: string) => string,
  findings: Findings,
): NotifyConfig | null {
  const channels = raw.channels.flatMap((one, at) => {
    const pointer = `/notify/channels/${at}`;
    const twice = raw.channels.findIndex(({ name }) => name === one.name) < at;
    if (twice)
      findings.problem('FL1106', `${pointer}/name`, `is the name of another channel. Write: name: ${one.name}-2`);
    return resolveChannel(one, { pointer, absolute, findings }) ?? [];
  });
  const known = raw.channels.map(({ name }) => name);
  const timeZone = raw.time_zone ?? 'UTC';
  // Intl's tables stay in memory: they are loaded only where a zone is named.
  if (raw.time_zone !== undefined && !isTimeZone(timeZone))
    findings.problem('FL1106', '/notify/time_zone', 'is not a time zone. Write: time_zone: Europe/Berlin');
  const labels = ownLabels(raw.labels, '/notify/labels', findings);
  const names = { channels: known, labels: [...LABEL_NAMES, ...Object.keys(labels)] };
  const routes = raw.routes.map((route, at) => resolveRoute(route, `/notify/routes/${at}`, names, findings));
  if (channels.length === 0) return null;
  return {
    channels,
    routes: routes.length > 0 ? routes : [everything(known)],
    labels,
    runbooks: raw.runbooks ?? null,
    limitADay: raw.limit_a_day,
    digestMinute: minuteOf(raw.digest_at),
    timeZone,
    caps: { maxBytes: sizeBytes(raw.max_bytes), maxAgeMs: durationMs(raw.max_age) },
  };
}

function everything(to: readonly string[]): Route {
  return {
    to,
    severity: 'error',
    matchers: [],
    minConfidence: 0,
    groupBy: [],
    repeatMs: null,
    quiet: null,
    escalate: null,
  };
}

/** What a route may name. */
interface Names {
  readonly channels: readonly string[];
  readonly labels: readonly string[];
}

function resolveRoute(raw: RawRoute, pointer: string, known: Names, findings: Findings): Route {
  const channels = (names: readonly string[], key: string): readonly string[] => {
    for (const [at, name] of names.entries())
      if (!known.channels.includes(name))
        findings.problem(
          'FL1106',
          `${pointer}/${key}/${at}`,
          `is not a channel of notify.channels. Known: ${known.channels.join(', ') || 'none'}`,
        );
    return names;
  };
  if (raw.to.length === 0) findings.problem('FL1106', `${pointer}/to`, 'names no channel. Write: to: [ops]');
  const matchers = raw.match.flatMap((text, at): readonly Matcher[] => {
    const matcher = parseMatcher(text);
    const error = 'error' in matcher ? matcher.error : matcherTrouble(matcher, known.labels);
    if (error !== null) findings.problem('FL1106', `${pointer}/match/${at}`, error);
    return 'error' in matcher ? [] : [matcher];
  });
  for (const [at, label] of raw.group_by.entries()) {
    const error = labelTrouble(label, known.labels);
    if (error !== null) findings.problem('FL1106', `${pointer}/group_by/${at}`, error);
  }
  if ((raw.escalate_after === undefined) !== (raw.escalate_to.length === 0))
    findings.problem('FL1110', pointer, 'needs escalate_after and escalate_to together. Add the one that is missing');
  const afterMs = raw.escalate_after === undefined ? null : durationMs(raw.escalate_after);
  return {
    to: channels(raw.to, 'to'),
    severity: raw.severity,
    matchers,
    minConfidence: raw.min_confidence / 100,
    groupBy: raw.group_by,
    repeatMs: raw.repeat === undefined ? null : parseDuration(raw.repeat),
    quiet: quietOf(raw, pointer, findings),
    escalate: afterMs === null ? null : { afterMs, to: channels(raw.escalate_to, 'escalate_to') },
  };
}

function quietOf(raw: RawRoute, pointer: string, findings: Findings): QuietHours | null {
  const { quiet_from: from, quiet_to: to } = raw;
  if ((from === undefined) !== (to === undefined))
    findings.problem('FL1110', pointer, 'needs quiet_from and quiet_to together. Add the one that is missing');
  if (from === undefined || to === undefined) return null;
  if (from === to)
    findings.problem(
      'FL1106',
      `${pointer}/quiet_to`,
      'is quiet_from: quiet hours need an end. Write: quiet_to: "07:00"',
    );
  return { fromMinute: minuteOf(from), toMinute: minuteOf(to), except: raw.quiet_except };
}

/** Of a text that fits the schema. */
function minuteOf(text: string): number {
  const [hours = '0', minutes = '0'] = text.split(':');
  return Number(hours) * 60 + Number(minutes);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
