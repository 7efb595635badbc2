// Preview alert: what Alertmanager would be sent of an incident; it hears of its beginning, its changes and its end.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { shownJson } from '../../model/shown-json.ts';
import { alertOf, postable } from '../../sinks/alertmanager/alert.ts';
import { MISSED } from '../../sinks/alertmanager/alert-book.ts';
import { testAlerts } from '../../sinks/alertmanager/send-test.ts';
import type { AlertmanagerConfig } from '../../sinks/alertmanager/settings.ts';
import { factsOf } from '../../sinks/message/facts.ts';
import { labelsOf } from '../../sinks/message/labels.ts';
import type { What } from '../../sinks/notify/notification.ts';

type Posted = Pick<ReturnType<typeof postable>, 'labels' | 'annotations'>;

const SENT: readonly What[] = ['test', 'opened', 'revised', 'resolved'];

/** Whether Alertmanager is sent that stage: repeats, escalations and digests are its own or a channel's. */
export function isAlerted(what: What): boolean {
  return SENT.includes(what);
}

/** In words, or one line of JSON for each replica. */
export function alertPreview(
  config: AlertmanagerConfig,
  incident: Incident,
  what: What,
  nowMs: number,
  json: boolean,
): string {
  const alerts = alertsOf(config, incident, what, nowMs);
  if (!json) return alerts.map(inWords).join('');
  return config.endpoints.map((url) => `${shownJson({ channel: 'alertmanager', url, body: alerts })}\n`).join('');
}

function alertsOf(config: AlertmanagerConfig, incident: Incident, what: What, nowMs: number): readonly Posted[] {
  if (what === 'test') return JSON.parse(testAlerts(config, incident.host, nowMs).toString());
  const then = { ...incident, state: what === 'resolved' ? ('resolved' as const) : incident.state };
  const labels = labelsOf(then, config.labels);
  const alert = alertOf(then, factsOf(then, config.runbooks), labels, config.labels, null);
  return [postable(alert, nowMs, config.resendMs * MISSED)];
}

function inWords({ labels, annotations }: Posted): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const lines = Object.entries(annotations).map(([name, value]) => `    ${name}: ${plain(value)}\n`);
  return `alertmanager (alertmanager)\n  ${plain(pairs.join(' '))}\n${lines.join('')}`;
}
