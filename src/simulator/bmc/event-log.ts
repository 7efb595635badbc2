// The event log of a simulated BMC: one log service of its manager, whose entries stay.

import type { LogLine } from './state.ts';

/** `manager`: path of its holder; gives the path of the collection of log services. */
export function addEventLog(
  add: (path: string, body: object) => void,
  manager: string,
  lines: readonly LogLine[],
): string {
  const services = `${manager}/LogServices`;
  const log = `${services}/SEL`;
  const entries = `${log}/Entries`;
  add(services, { Name: 'Logs', Members: [{ '@odata.id': log }], 'Members@odata.count': 1 });
  add(log, { Id: 'SEL', Name: 'System event log', ServiceEnabled: true, Entries: { '@odata.id': entries } });
  const members = lines.map(({ created, severity, message, sensorType, messageId }, i) => ({
    '@odata.id': `${entries}/${i + 1}`,
    Id: String(i + 1),
    EntryType: sensorType === null ? 'Event' : 'SEL',
    Created: created,
    Severity: severity,
    Message: message,
    ...(sensorType === null ? {} : { SensorType: sensorType }),
    ...(messageId === null ? {} : { MessageId: messageId }),
  }));
  add(entries, { Name: 'Entries', Members: members, 'Members@odata.count': members.length });
  return services;
}
