// Incidents over the API: all that the daemon keeps, filtered and in parts, one of them, or as they come.

import { placesOf } from '../../incidents/about.ts';
import { PAGE_POLICY } from '../../incidents/report/html/page.ts';
import { computedTime } from '../../model/documents/fields.ts';
import { wholeIncidentToDocument } from '../../model/documents/incident.ts';
import { saidToDocument } from '../../model/documents/note.ts';
import type { Incident } from '../../model/incident.ts';
import { send, sendJson } from '../answer.ts';
import { ApiError } from '../api-error.ts';
import type { ApiBackend } from '../backend.ts';
import { conditionParameters, conditionsOf, type Searched } from '../query/conditions.ts';
import { PAGE, type Placed, pageOf } from '../query/page.ts';
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

/** The incident alone, with what people said about it. */
export function incidentDocument(incident: Incident, backend: ApiBackend): object {
  return { ...wholeIncidentToDocument(incident), ...saidToDocument(backend.said(incident.id)) };
}

export interface SearchedIncident extends Placed, Searched {
  readonly incident: Incident;
}

/** One that was taken up by another is not open any more. */
export function searchedIncident(incident: Incident): SearchedIncident {
  const { id, openedMs, updatedMs, state, severity, chain, root, whose, mergedInto } = incident;
  const isOpen = state === 'open' && mergedInto === null;
  return {
    id,
    timeMs: openedMs,
    fromMs: openedMs,
    toMs: isOpen ? Number.POSITIVE_INFINITY : updatedMs,
    severity,
    kinds: [root.kind, ...chain.map(({ kind }) => kind)],
    places: placesOf(incident),
    whose,
    state: isOpen ? 'open' : 'resolved',
    incident,
  };
}

export function incidentOf(backend: ApiBackend, id: string): Incident {
  const incident = backend.incidents().find((one) => one.id === id);
  if (incident !== undefined) return incident;
  throw new ApiError(
    404,
    'FL4122',
    `the daemon keeps no incident ${id.slice(0, 64)}. GET /v1/incidents lists them; older ones: faultline incidents`,
  );
}

const list: Route<ApiBackend> = {
  summary: 'Incidents, filtered and in parts, or as they come',
  parameters: { follow: FOLLOW, ...conditionParameters(['open', 'resolved']), ...PAGE },
  answer: {
    description: 'Incidents; with follow=1 a document faultline/incident/1 a line',
    schema: document('incidents', { incidents: listOf(INCIDENT), ...PAGED }),
  },
  run: ({ backend, parameters, response, counters }) => {
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
    const found = backend.incidents().map(searchedIncident).filter(fits);
    const { items, nextCursor, total } = pageOf(found, parameters, Number.POSITIVE_INFINITY);
    sendJson(response, 200, {
      schema: 'faultline/incidents/1',
      incidents: items.map(({ incident }) => incidentDocument(incident, backend)),
      next_cursor: nextCursor,
      total,
      complete_since: computedTime(backend.completeSinceMs()),
    });
  },
};

export const INCIDENT_ROUTES: Routes<ApiBackend> = {
  '/v1/incidents': { GET: list },
  '/v1/incidents/{id}': {
    GET: {
      summary: 'One incident, its newest revision',
      answer: { description: 'The incident', schema: INCIDENT },
      run: ({ backend, path, response }) =>
        sendJson(response, 200, incidentDocument(incidentOf(backend, path.id ?? ''), backend)),
    },
  },
  '/v1/incidents/{id}/report': {
    GET: {
      summary: 'One incident for a browser: one page that loads nothing and runs nothing',
      answer: { description: 'The page', contentTypes: [HTML] },
      run: async ({ backend, path, response }) => {
        const page = await backend.incidentPage(incidentOf(backend, path.id ?? ''));
        for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
        send(response, 200, HTML, page);
      },
    },
  },
};
