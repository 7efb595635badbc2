// Shown: incidents of the files as everywhere else, as text, JSON or for a ticket.

import { renderIncidentText } from '../../../incidents/report/text.ts';
import { eventToDocument } from '../../../model/documents/event.ts';
import { incidentToDocument } from '../../../model/documents/incident.ts';
import type { Incident } from '../../../model/incident.ts';
import { NOTHING_SAID } from '../../../model/note.ts';
import { plain } from '../../../model/plain.ts';
import { shownJson } from '../../../model/shown-json.ts';
import { installationRoot } from '../../../native.ts';
import type { CommandIo } from '../../common/command-io.ts';
import { pageOf } from '../../common/give-report.ts';
import { pathWords } from '../../scan/as-typed.ts';
import type { Files } from '../read-records.ts';
import type { Found } from './correlate-records.ts';

const SCHEMA = 'faultline/correlate/1';
const WIDTH = 100;
const LONGEST = 4096;

interface ShownOptions extends Files {
  readonly output: 'timeline' | 'json' | 'markdown';
}

/** In the form that was asked for. */
export async function shown({ incidents, events }: Found, options: ShownOptions, io: CommandIo): Promise<string> {
  const { output } = options;
  if (output === 'json') {
    const documents = events.map((event) => eventToDocument(event, event.component?.host ?? ''));
    return `${shownJson({ schema: SCHEMA, events: documents, incidents: incidents.map((each) => incidentToDocument(each)) })}\n`;
  }
  if (incidents.length === 0) return `No incident in ${events.length} events.\n`;
  if (output === 'markdown') return (await forTickets(incidents, options)).join('\n');
  const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH);
  return incidents
    .map((incident) =>
      renderIncidentText(incident, {
        width,
        colour: io.colour,
        nowMs: incident.updatedMs,
        timeZone: 'UTC',
        hint: false,
        logged: false,
      }),
    )
    .map((text) => `${text}\n`)
    .join('\n');
}

/** As `explain` and `scan` write them. */
async function forTickets(incidents: readonly Incident[], { events, traces, topology }: Files): Promise<string[]> {
  const files = [events, traces, topology];
  const again = `faultline correlate --events ${pathWords([events])} --traces ${pathWords([traces])} --topology ${pathWords([topology])} --output json`;
  const pages = [];
  for (const incident of incidents)
    pages.push(
      await pageOf('markdown', {
        incident,
        nowMs: incident.updatedMs,
        timeZone: 'UTC',
        said: NOTHING_SAID,
        silent: null,
        samples: null,
        logPath: plain(files.join(' '), LONGEST),
        again: plain(again, LONGEST),
        root: installationRoot(),
        place: null,
      }),
    );
  return pages;
}
