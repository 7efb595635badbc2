// Test notification: what faultline notify test sends.

import { NOTIFICATION_SCHEMA, type Notification } from './notification.ts';

export function testNotification(channel: string, host: string, nowMs: number): Notification {
  return {
    schema: NOTIFICATION_SCHEMA,
    key: `test-${host}-${channel}-${nowMs}`,
    conversation: `${host}/test-${nowMs}`,
    what: 'test',
    channel,
    host,
    at: new Date(nowMs).toISOString(),
    severity: 'info',
    group: null,
    reason: null,
    facts: null,
    digest: null,
    incident: null,
  };
}
