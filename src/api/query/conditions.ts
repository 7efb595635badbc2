// Conditions: what of incidents and alerts is asked for, by time, severity, kind, component, job, user and state.

import { parseDuration } from '../../config/quantity.ts';
import { matchesWildcard } from '../../helpers/wildcard.ts';
import { isAbout, isOfJob } from '../../incidents/about.ts';
import { type Component, canonicalPciAddress, componentText, parseComponent } from '../../model/component.ts';
import { compareSeverity, SEVERITIES, type Severity } from '../../model/severity.ts';
import { parseTime } from '../../model/time.ts';
import type { Whose } from '../../model/whose.ts';
import { ApiError } from '../api-error.ts';
import type { Parameters } from '../route.ts';

/** What conditions look at. */
export interface Searched {
  readonly fromMs: number;
  /** When it last changed; what is still open reaches to now. */
  readonly toMs: number;
  readonly severity: Severity;
  readonly kinds: readonly string[];
  readonly places: readonly Component[];
  readonly whose: readonly Whose[] | undefined;
  readonly state: string;
}

const MOST_KINDS = 16;

export function conditionParameters(states: readonly string[]): Parameters {
  return {
    since: {
      description: 'Open at this time or changed after it: RFC 3339, or a duration back from now.',
      schema: { type: 'string', maxLength: 40 },
      example: '24h',
    },
    until: {
      description: 'Begun at this time or before.',
      schema: { type: 'string', maxLength: 40 },
      example: '2026-12-01T00:00:00Z',
    },
    severity: { description: 'Of this severity or worse.', schema: { type: 'string', enum: SEVERITIES } },
    kind: {
      description: 'Of one of these kinds, with commas between them; * stands for any characters.',
      schema: { type: 'string' },
      example: 'gpu.*',
    },
    component: {
      description: 'About this component, as type/id, or a part of it.',
      schema: { type: 'string' },
      example: 'gpu/0000:9b:00.0',
    },
    job: { description: 'That hit this job, by id, name or pod.', schema: { type: 'string' }, example: 'llama-70b' },
    user: { description: 'That hit a job of this user.', schema: { type: 'string' }, example: 'anna' },
    state: { description: 'In this state.', schema: { type: 'string', enum: states } },
  };
}

/** Throws FL4103 for what no condition can be. */
export function conditionsOf(parameters: URLSearchParams, nowMs: number): (searched: Searched) => boolean {
  const sinceMs = sinceOf(parameters, nowMs);
  const untilMs = time(parameters, 'until', nowMs) ?? Number.POSITIVE_INFINITY;
  const severity = SEVERITIES.find((one) => one === parameters.get('severity')) ?? 'info';
  const kinds = parameters.get('kind')?.split(',').slice(0, MOST_KINDS) ?? null;
  const component = componentOf(parameters);
  const [job, user, state] = [parameters.get('job'), parameters.get('user'), parameters.get('state')];
  return (one) =>
    one.toMs >= sinceMs &&
    one.fromMs <= untilMs &&
    compareSeverity(one.severity, severity) >= 0 &&
    (kinds === null || one.kinds.some((kind) => kinds.some((wanted) => matchesWildcard(kind, wanted)))) &&
    (component === null || isAbout(one.places, component)) &&
    (job === null || isOfJob(one.whose, one.places, job)) &&
    (user === null || (one.whose ?? []).some((whose) => whose.user === user)) &&
    (state === null || one.state === state);
}

/** Epoch ms; minus infinity where it is not a condition. */
export function sinceOf(parameters: URLSearchParams, nowMs: number): number {
  return time(parameters, 'since', nowMs) ?? Number.NEGATIVE_INFINITY;
}

function time(parameters: URLSearchParams, name: string, nowMs: number): number | null {
  const text = parameters.get(name);
  if (text === null) return null;
  const back = parseDuration(text);
  const at = back === null ? parseTime(text) : null;
  if (back === null && at === null)
    throw new ApiError(400, 'FL4103', `${name} must be a time or a duration back from now. Write: ${name}=24h`);
  return back === null ? (at?.epochMs ?? null) : nowMs - back;
}

function componentOf(parameters: URLSearchParams): string | null {
  const text = parameters.get('component');
  if (text === null) return null;
  const component = parseComponent(text.trim());
  if (component === null)
    throw new ApiError(400, 'FL4103', 'component must be type/id. Write: component=gpu/0000:9b:00.0');
  const address = canonicalPciAddress(component.id);
  return componentText(address === null ? component : { ...component, id: address });
}
