// The routes of the API: what may be asked, with which method and parameters. All else that is said of the API comes from here.

import { sendJson } from './answer.ts';
import type { ApiBackend } from './backend.ts';
import { openApiDocument } from './openapi.ts';
import { PROBES } from './probes.ts';
import type { Routes } from './route.ts';
import { ALERT_ROUTES } from './routes/alerts.ts';
import { HOST_ROUTES } from './routes/host.ts';
import { INCIDENT_ROUTES } from './routes/incidents.ts';
import { OPERATE_ROUTES } from './routes/operate.ts';

export const ROUTES: Routes<ApiBackend> = {
  ...HOST_ROUTES,
  ...INCIDENT_ROUTES,
  ...ALERT_ROUTES,
  ...OPERATE_ROUTES,
  ...PROBES,
  '/v1/openapi.json': {
    GET: {
      summary: 'This document',
      answer: { description: 'OpenAPI 3.1', schema: { type: 'object' } },
      run: ({ backend, response }) => sendJson(response, 200, openApiDocument(ROUTES, backend.version)),
    },
  },
};
