// The section of the Prometheus sink.

import { resolvePrometheus } from './resolve-prometheus.ts';
import { prometheus as schema } from './schema-prometheus.ts';
import { defineSection } from './section.ts';

export const prometheus = defineSection({
  name: 'prometheus',
  schema: { prometheus: schema },
  resolve: (raw, { findings }) => resolvePrometheus(raw.prometheus, findings),
});
