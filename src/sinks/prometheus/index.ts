// The Prometheus sink as the rest of the program sees it.

import { defineSink } from '../define-sink.ts';
import { prometheus as schema } from './schema.ts';
import { resolvePrometheus } from './settings.ts';

export const prometheus = defineSink({
  name: 'prometheus',
  schema: { prometheus: schema },
  pulled: true,
  resolve: (raw, { findings }) => resolvePrometheus(raw.prometheus, findings),
  async create(settings, context) {
    const { PrometheusSink } = await import('./prometheus-sink.ts');
    return new PrometheusSink({ ...context, ...settings, self: await context.selfMetrics() });
  },
});
