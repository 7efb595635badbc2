// Shown: incidents of the files as everywhere else, as text, JSON or for a ticket.

import { renderIncidentText } from '../../../incidents/report/text.ts';
import { eventToDocument } from '../../../model/documents/event.ts';
import { incidentToDocument } from '../../../model/documents/incident.ts';
import { shownJson } from '../../../model/shown-json.ts';
import type { CommandIo } from '../../common/command-io.ts';
import type { Found } from './correlate-records.ts';

const SCHEMA = 'faultline/correlate/1';
const WIDTH = 100;

/** In the form that was asked for. */
export function shown({ incidents, events }: Found, output: 'timeline' | 'json' | 'markdown', io: CommandIo): string {
  if (output === 'json') {
    const documents = events.map((event) => eventToDocument(event, event.component?.host ?? ''));
    return `${shownJson({ schema: SCHEMA, events: documents, incidents: incidents.map((each) => incidentToDocument(each)) })}\n`;
  }
  if (incidents.length === 0) return `No incident in ${events.length} events.\n`;
  const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH);
  const texts = incidents.map((incident) =>
    renderIncidentText(incident, {
      width,
      colour: io.colour && output === 'timeline',
      nowMs: incident.updatedMs,
      timeZone: 'UTC',
      hint: false,
      logged: false,
    }),
  );
  if (output === 'timeline') return texts.map((text) => `${text}\n`).join('\n');
  return texts.map((text) => `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\`\n`).join('\n');
}
