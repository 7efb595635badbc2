// What machines ask: /metrics for a scraper, /healthz and /readyz for whoever restarts or routes around the daemon.

import { setTimeout as sleep } from 'node:timers/promises';
import { send, sendJson } from './answer.ts';
import { ApiError } from './api-error.ts';
import type { Routes } from './route.ts';
import { document, listOf, TEXT } from './routes/shapes.ts';

interface Metrics {
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly sent?: () => void;
}

export interface ProbeBackend {
  /** What a scraper with this Accept header gets; null where no metrics are kept. `sent` is called once the response is over. */
  metrics(accept: string | undefined): Promise<Metrics> | null;
  /** Why the daemon is not ready, in words; empty when it is. */
  notReady(): Promise<readonly string[]>;
  uptimeSeconds(): number;
}

/** A turn of the event loop that takes longer than this holds up detection for too long to be called alive. */
const STUCK_MS = 1000;

const REASONS = listOf(TEXT);

export const PROBES: Routes<ProbeBackend> = {
  '/metrics': {
    GET: {
      summary: 'Metrics for Prometheus, where prometheus is on',
      answer: {
        description: 'Metrics in the form that Accept asks for',
        contentTypes: ['text/plain', 'application/openmetrics-text'],
      },
      run: async ({ backend, request, response }) => {
        const answer = backend.metrics(request.headers.accept);
        if (answer === null) {
          throw new ApiError(404, 'FL3303', 'no metrics are kept. Turn them on: prometheus: {enabled: on}');
        }
        const { contentType, body, sent } = await answer;
        // Of a response that is over already it does not come: then nothing is written over.
        if (sent !== undefined) response.once('close', sent);
        send(response, 200, contentType, body);
      },
    },
  },
  '/healthz': {
    GET: {
      summary: 'Whether the daemon is alive; 503 where it is not',
      answer: {
        description: 'Health',
        schema: document('health', { healthy: { type: 'boolean' }, reasons: REASONS }),
      },
      run: async ({ backend, response }) => {
        const askedMs = performance.now();
        const uptime = Math.round(backend.uptimeSeconds());
        await sleep(0);
        const turnMs = Math.round(performance.now() - askedMs);
        const stuck = turnMs > STUCK_MS;
        const reasons = stuck ? [`one turn of the event loop took ${turnMs} ms`] : [];
        const health = { schema: 'faultline/health/1', healthy: !stuck, reasons, loop_turn_ms: turnMs };
        sendJson(response, stuck ? 503 : 200, { ...health, uptime_s: uptime });
      },
    },
  },
  '/readyz': {
    GET: {
      summary: 'Whether the daemon is ready; 503 where it is not',
      answer: {
        description: 'Readiness',
        schema: document('readiness', { ready: { type: 'boolean' }, reasons: REASONS }),
      },
      run: async ({ backend, response }) => {
        const reasons = await backend.notReady();
        const ready = reasons.length === 0;
        sendJson(response, ready ? 200 : 503, { schema: 'faultline/readiness/1', ready, reasons });
      },
    },
  },
};
