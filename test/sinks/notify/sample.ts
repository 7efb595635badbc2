// A notification of each kind, made of an incident as the sink makes it.

import { incidentToDocument } from '../../../src/model/documents/incident.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { factsOf } from '../../../src/sinks/message/facts.ts';
import { NOTIFICATION_SCHEMA, type Notification, type What } from '../../../src/sinks/notify/notification.ts';
import { T0 } from '../../incidents/sample.ts';
import { incident, over } from './harness.ts';

export function notification(what: What, more: Partial<Incident> = {}): Notification {
  const one = { ...(what === 'resolved' ? over(incident(1)) : incident(1)), ...more };
  const about = what !== 'digest' && what !== 'held' && what !== 'test';
  return {
    schema: NOTIFICATION_SCHEMA,
    key: `${one.id}-ops-${what}`,
    conversation: `node-3/${one.id}`,
    what,
    channel: 'ops',
    host: 'node-3',
    at: new Date(T0).toISOString(),
    severity: one.severity,
    group: null,
    reason: what === 'revised' ? 'warning → error' : null,
    facts: about ? factsOf(one, null) : null,
    digest: about ? null : { count: 2, listed: [], more: 2, limit: 50, at: '08:00' },
    incident: about ? incidentToDocument(one) : null,
  };
}
