// Alerts over the API: filtered and in parts, one with what belongs to it, the groups that correlation made, and statistics.

import { computedTime } from '../../model/documents/fields.ts';
import type { Incident } from '../../model/incident.ts';
import type { SentNotification } from '../../model/sent-notification.ts';
import { sendJson } from '../answer.ts';
import { ApiError } from '../api-error.ts';
import type { ApiBackend } from '../backend.ts';
import { type Alert, alertsOf, alertToDocument } from '../query/alerts.ts';
import { conditionParameters, conditionsOf } from '../query/conditions.ts';
import { PAGE, pageOf, STANDARD_LIMIT } from '../query/page.ts';
import { alertStatistics, counted } from '../query/statistics.ts';
import type { Parameters, Routes } from '../route.ts';
import { incidentDocument } from './incidents.ts';
import {
  ALERT,
  COUNTS,
  document,
  INCIDENT,
  listOf,
  NOTIFICATION,
  object,
  orNull,
  PAGED,
  TEXT_OR_NULL,
} from './shapes.ts';

const ALERT_CONDITIONS = conditionParameters(['firing', 'resolved']);
const { state: _, ...WITHOUT_STATE } = ALERT_CONDITIONS;

const NOTIFICATION_CONDITIONS: Parameters = {
  channel: { description: 'By this channel.', schema: { type: 'string', maxLength: 64 } },
  incident: { description: 'About this incident.', schema: { type: 'string', maxLength: 64 } },
  state: {
    description: 'waiting: not taken yet; refused: for good; held: by a silence, quiet hours or a limit.',
    schema: { type: 'string', enum: ['waiting', 'sent', 'refused', 'held'] },
  },
};

function alerts(backend: ApiBackend): Alert[] {
  return alertsOf(backend.recentEvents(), backend.incidents());
}

/** Those in memory, and of what memory has not those that the incident has. */
function groupAlerts(incident: Incident, known: readonly Alert[]): Alert[] {
  const own = known.filter((one) => one.incident?.id === incident.id);
  const has = new Set(own.map(({ id }) => id));
  const older = alertsOf(incident.events, [incident]).filter(({ id }) => !has.has(id));
  return [...older.map((one) => endedWith(incident, one)), ...own].sort((a, b) => a.timeMs - b.timeMs);
}

/** The log has when things began; of an incident that is over nothing lasts. */
function endedWith({ resolvedMs }: Incident, alert: Alert): Alert {
  if (resolvedMs === null || alert.state !== 'firing') return alert;
  return { ...alert, state: 'resolved', endsMs: resolvedMs, toMs: resolvedMs };
}

function paged<T>({ nextCursor, total }: { nextCursor: string | null; total: number }, sinceMs: number, more: T) {
  return { ...more, next_cursor: nextCursor, total, complete_since: computedTime(sinceMs) };
}

export const ALERT_ROUTES: Routes<ApiBackend> = {
  '/v1/alerts': {
    GET: {
      summary: 'What is or was wrong: one alert for each thing and kind, of this host and of systems that send theirs',
      parameters: { ...ALERT_CONDITIONS, ...PAGE },
      answer: { description: 'Alerts', schema: document('alerts', { alerts: listOf(ALERT), ...PAGED }) },
      run: ({ backend, parameters, response }) => {
        const found = alerts(backend).filter(conditionsOf(parameters, backend.nowMs()));
        const page = pageOf(found, parameters, STANDARD_LIMIT);
        const own = { schema: 'faultline/alerts/1', alerts: page.items.map(alertToDocument) };
        sendJson(response, 200, paged(page, backend.completeSinceMs(), own));
      },
    },
  },
  '/v1/alerts/{id}': {
    GET: {
      summary: 'One alert, the incident that it is part of, and the other alerts of that incident',
      answer: {
        description: 'The alert and what belongs to it',
        schema: document('alert', { alert: ALERT, incident: orNull(INCIDENT), correlated: listOf(ALERT) }),
      },
      run: ({ backend, path, response }) => {
        const all = alerts(backend);
        const alert = all.find(({ id }) => id === path.id);
        if (alert === undefined)
          throw new ApiError(404, 'FL4122', 'the daemon keeps no such alert. GET /v1/alerts lists those that it keeps');
        const { incident } = alert;
        const correlated = all.filter((one) => incident !== null && one !== alert && one.incident?.id === incident.id);
        sendJson(response, 200, {
          schema: 'faultline/alert/1',
          alert: alertToDocument(alert),
          incident: incident === null ? null : incidentDocument(incident, backend),
          correlated: correlated.map(alertToDocument),
        });
      },
    },
  },
  '/v1/correlations': {
    GET: {
      summary: 'Groups of alerts that have one cause: each is an incident with its alerts and what it took up',
      parameters: { ...conditionParameters(['open', 'resolved']), ...PAGE },
      answer: {
        description: 'Groups',
        schema: document('correlations', {
          groups: listOf(
            object({
              incident: { type: 'string' },
              root_alert: TEXT_OR_NULL,
              alerts: listOf(ALERT),
              merged: listOf({ type: 'string' }),
            }),
          ),
          ...PAGED,
        }),
      },
      run: async ({ backend, parameters, response }) => {
        const asked = { parameters: parameters.toString(), nowMs: backend.nowMs(), want: 'groups' } as const;
        const { incidents, merged, completeSinceMs, ...page } = await backend.findIncidents(asked);
        const known = alerts(backend);
        const groups = incidents.map((incident) => {
          const { id, title, root } = incident;
          const own = groupAlerts(incident, known);
          const rootAlert = own.find(({ event }) => event.id === root.eventId)?.id ?? null;
          return {
            incident: id,
            title,
            root_alert: rootAlert,
            alerts: own.map(alertToDocument),
            merged: merged[id] ?? [],
          };
        });
        sendJson(response, 200, paged(page, completeSinceMs, { schema: 'faultline/correlations/1', groups }));
      },
    },
  },
  '/v1/statistics': {
    GET: {
      summary: 'How many incidents, alerts and notifications, of what, and how long incidents lasted',
      parameters: WITHOUT_STATE,
      answer: {
        description: 'Counts',
        schema: document('statistics', {
          incidents: object({ total: { type: 'integer' }, by_severity: COUNTS, by_kind: COUNTS, by_job: COUNTS }),
          alerts: object({ total: { type: 'integer' }, by_severity: COUNTS, by_kind: COUNTS, by_source: COUNTS }),
          notifications: object({ total: { type: 'integer' }, by_state: COUNTS, by_channel: COUNTS }),
          complete_since: PAGED.complete_since,
        }),
      },
      run: async ({ backend, parameters, response }) => {
        const fits = conditionsOf(parameters, backend.nowMs());
        const asked = { parameters: parameters.toString(), nowMs: backend.nowMs(), want: 'statistics' } as const;
        const { statistics, completeSinceMs } = await backend.findIncidents(asked);
        const sent = backend.notifications();
        sendJson(response, 200, {
          schema: 'faultline/statistics/1',
          incidents: statistics,
          alerts: alertStatistics(alerts(backend).filter(fits)),
          notifications: {
            total: sent.length,
            by_state: counted(sent.map(({ state }) => state)),
            by_channel: counted(sent.map(({ channel }) => channel)),
          },
          complete_since: computedTime(completeSinceMs),
        });
      },
    },
  },
  '/v1/notifications': {
    GET: {
      summary: 'What people were sent, what waits, and what was held back or refused and why',
      parameters: { ...NOTIFICATION_CONDITIONS, ...PAGE },
      answer: {
        description: 'Notifications',
        schema: document('notifications', { notifications: listOf(NOTIFICATION), ...PAGED }),
      },
      run: ({ backend, parameters, response }) => {
        const [channel, state, incident] = ['channel', 'state', 'incident'].map((name) => parameters.get(name));
        const found = backend
          .notifications()
          .filter(
            (one) =>
              (channel == null || one.channel === channel) &&
              (state == null || one.state === state) &&
              (incident == null || one.incidentId === incident),
          );
        const page = pageOf(
          found.map((one) => ({ ...one, id: one.key.replace(/[^\x21-\x7e]/g, '_').slice(-64), timeMs: one.atMs })),
          parameters,
          STANDARD_LIMIT,
        );
        const own = { schema: 'faultline/notifications/1', notifications: page.items.map(notificationDocument) };
        sendJson(response, 200, paged(page, backend.completeSinceMs(), own));
      },
    },
  },
};

function notificationDocument(one: SentNotification): object {
  const { key, atMs, channel, what, severity, incidentId, reason, state, stateMs, detail } = one;
  return {
    key,
    at: computedTime(atMs),
    channel,
    what,
    severity,
    incident: incidentId,
    reason,
    state,
    state_at: computedTime(stateMs),
    detail,
  };
}
