// The Alertmanager sink as tests start it, and incidents that live on.

import { join } from 'node:path';
import type { Incident } from '../../../src/model/incident.ts';
import { type AlertmanagerSink, createAlertmanagerSink } from '../../../src/sinks/alertmanager/alertmanager-sink.ts';
import type { AlertmanagerConfig } from '../../../src/sinks/alertmanager/settings.ts';
import type { SinkContext } from '../../../src/sinks/define-sink.ts';
import { Backoff } from '../../../src/sinks/delivery/send/backoff.ts';
import { sinkContext, type TestContext } from '../context.ts';

export function config(urls: readonly string[], more: Partial<AlertmanagerConfig> = {}): AlertmanagerConfig {
  return {
    endpoints: urls.map((url) => `${url}/api/v2/alerts`),
    headers: {},
    reach: { timeoutMs: 2_000, proxy: null, caFile: null, certificateFile: null, keyFile: null },
    severity: 'warning',
    minConfidence: 0,
    labels: { rack: 'r14' },
    resendMs: 3_600_000,
    runbooks: 'https://wiki.example/faultline/',
    caps: { maxBytes: 1 << 24, maxAgeMs: 86_400_000 },
    ...more,
  };
}

export async function startSink(
  folder: string,
  name: string,
  settings: AlertmanagerConfig,
  more: Partial<SinkContext> = {},
): Promise<{ readonly sink: AlertmanagerSink; readonly context: TestContext }> {
  const context = sinkContext(join(folder, name), more);
  const sink = await createAlertmanagerSink(settings, context, { backoff: () => new Backoff(() => 0, 20, 50) });
  sink.start(new AbortController().signal);
  return { sink, context };
}

export const later = (incident: Incident, more: Partial<Incident>): Incident => ({
  ...incident,
  revision: incident.revision + 1,
  updatedMs: incident.updatedMs + 1000,
  ...more,
});

export const over = (incident: Incident): Incident =>
  later(incident, { state: 'resolved', resolvedMs: incident.updatedMs + 1000 });
