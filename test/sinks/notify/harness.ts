// Settings of the notify sink and incidents that live on, for tests.

import type { Incident } from '../../../src/model/incident.ts';
import type { ChannelType } from '../../../src/sinks/notify/channels/definition.ts';
import type { ChannelConfig, NotifyConfig, Route } from '../../../src/sinks/notify/settings.ts';
import { smallIncident } from '../../incidents/sample.ts';

export function channel(
  name: string,
  type: ChannelType,
  url: string,
  more: Partial<ChannelConfig> = {},
): ChannelConfig {
  return {
    name,
    type,
    url,
    secret: null,
    token: null,
    user: null,
    to: [],
    from: null,
    format: 'json',
    rate: 60_000,
    templates: { title: null, text: null },
    reach: { timeoutMs: 2_000, proxy: null, caFile: null, certificateFile: null, keyFile: null },
    ...more,
  };
}

export function route(to: readonly string[], more: Partial<Route> = {}): Route {
  return {
    to,
    severity: 'error',
    matchers: [],
    minConfidence: 0,
    groupBy: [],
    repeatMs: null,
    quiet: null,
    escalate: null,
    ...more,
  };
}

export function config(channels: readonly ChannelConfig[], more: Partial<NotifyConfig> = {}): NotifyConfig {
  return {
    channels,
    routes: [route(channels.map(({ name }) => name))],
    labels: { rack: 'r14' },
    runbooks: null,
    limitADay: 50,
    digestMinute: 8 * 60,
    timeZone: 'UTC',
    caps: { maxBytes: 1 << 26, maxAgeMs: 86_400_000 },
    ...more,
  };
}

export function incident(number: number, more: Partial<Incident> = {}): Incident {
  return { ...smallIncident(number), severity: 'error', ...more };
}

export const later = (before: Incident, more: Partial<Incident>): Incident => ({
  ...before,
  revision: before.revision + 1,
  updatedMs: before.updatedMs + 1000,
  ...more,
});

export const over = (before: Incident): Incident =>
  later(before, { state: 'resolved', resolvedMs: before.updatedMs + 1000 });
