// Incidents over the API: all that the daemon keeps, filtered and in parts, one of them, or as they come.

import { PAGE_POLICY } from '../../incidents/report/html/page.ts';
import { computedTime } from '../../model/documents/fields.ts';
import { wholeIncidentToDocument } from '../../model/documents/incident.ts';
import { saidToDocument } from '../../model/documents/note.ts';
import type { Incident } from '../../model/incident.ts';
import { NOTHING_SAID, type Said } from '../../model/note.ts';
import { send, sendJson } from '../answer.ts';
import { ApiError } from '../api-error.ts';
import { type ApiBackend, type KnownIncident, REPORT_FORMATS, type ReportFormat } from '../backend.ts';
import { conditionParameters, conditionsOf } from '../query/conditions.ts';
import { PAGE } from '../query/page.ts';
import { searchedIncident } from '../query/searched-incident.ts';
import type { Route, Routes } from '../route.ts';
import { FOLLOW, isFollowing, stream } from './follow.ts';
import { document, INCIDENT, listOf, PAGED } from './shapes.ts';

const HTML = 'text/html; charset=utf-8';
/** As the page's own policy, and what only a header can say: no frame around it, no script even if the page were to have one. */
const PAGE_HEADERS = {
  'content-security-policy': `${PAGE_POLICY}; frame-ancestors 'none'; sandbox`,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

const REPORT_TYPES: Readonly<Record<ReportFormat, string>> = {
  html: HTML,
  markdown: 'text/markdown; charset=utf-8',
  text: 'text/plain; charset=utf-8',
};

/** The incident alone, with what people said about it. */
export function incidentDocument(incident: Incident, backend: ApiBackend, logged: Said = NOTHING_SAID): object {
  const said = backend.said(incident.id);
  return { ...wholeIncidentToDocument(incident), ...saidToDocument(said === NOTHING_SAID ? logged : said) };
}

async function incidentOf(backend: ApiBackend, id: string): Promise<KnownIncident> {
  const known = await backend.incident(id);
  if (known !== null) return known;
  throw new ApiError(
    404,
    'FL4122',
    `neither the daemon nor its log has an incident ${id.slice(0, 64)}. GET /v1/incidents lists them`,
  );
}

const list: Route<ApiBackend> = {
  summary: 'Incidents of all runs that the log has, filtered and in parts; or as they come',
  parameters: {
    follow: FOLLOW,
    ...conditionParameters(['open', 'resolved']),
    log: {
      description: 'written: the log has it; unavailable: the disk did not take it (yet).',
      schema: { type: 'string', enum: ['written', 'unavailable'] },
    },
    ...PAGE,
  },
  answer: {
    description: 'Incidents; with follow=1 a document faultline/incident/1 a line, beginning with those of this run',
    schema: document('incidents', { incidents: listOf(INCIDENT), ...PAGED }),
  },
  run: async ({ backend, parameters, response, counters }) => {
    const fits = conditionsOf(parameters, backend.nowMs());
    if (isFollowing(parameters)) {
      const kept = () => backend.incidents().filter((one) => fits(searchedIncident(one)));
      return stream(
        response,
        counters,
        () => kept().map((incident) => incidentDocument(incident, backend)),
        (send) =>
          backend.onIncident((incident) => {
            if (fits(searchedIncident(incident))) send(incidentDocument(incident, backend));
          }),
      );
    }
    const asked = { parameters: parameters.toString(), nowMs: backend.nowMs(), want: 'page' } as const;
    const { incidents, nextCursor, total, said, completeSinceMs } = await backend.findIncidents(asked);
    sendJson(response, 200, {
      schema: 'faultline/incidents/1',
      incidents: incidents.map((incident) => incidentDocument(incident, backend, said[incident.id])),
      next_cursor: nextCursor,
      total,
      complete_since: computedTime(completeSinceMs),
    });
  },
};

export const INCIDENT_ROUTES: Routes<ApiBackend> = {
  '/v1/incidents': { GET: list },
  '/v1/incidents/{id}': {
    GET: {
      summary: 'One incident of any run, its newest revision',
      answer: { description: 'The incident', schema: INCIDENT },
      run: async ({ backend, path, response }) => {
        const { incident, said } = await incidentOf(backend, path.id ?? '');
        sendJson(response, 200, incidentDocument(incident, backend, said));
      },
    },
  },
  '/v1/incidents/{id}/report': {
    GET: {
      summary: 'One incident explained: one page that loads nothing and runs nothing, Markdown, or text',
      parameters: {
        format: {
          description: 'As faultline explain --format has it.',
          schema: { type: 'string', enum: REPORT_FORMATS, default: 'html' },
        },
      },
      answer: { description: 'The report', contentTypes: Object.values(REPORT_TYPES) },
      run: async ({ backend, path, parameters, response }) => {
        const format = REPORT_FORMATS.find((one) => one === parameters.get('format')) ?? 'html';
        const report = await backend.incidentReport(await incidentOf(backend, path.id ?? ''), format);
        for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
        send(response, 200, REPORT_TYPES[format], report);
      },
    },
  },
};
