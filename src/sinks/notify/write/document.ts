// Document: a notification as webhooks get it, faultline/notification/1, alone or as the data of a CloudEvent (1.0, structured).

import type { Notification } from '../notification.ts';

export function documentOf(notification: Notification, format: 'json' | 'cloudevents'): object {
  if (format === 'json') return notification;
  const { key, host, what, at, facts } = notification;
  return {
    specversion: '1.0',
    id: key,
    source: `/faultline/${encodeURIComponent(host)}`,
    type: `faultline.incident.${what}`,
    ...(facts === null ? {} : { subject: facts.id }),
    time: at,
    datacontenttype: 'application/json',
    data: notification,
  };
}
