// The section of the Prometheus sink.

import { resolvePrometheus } from './settings.ts';
import { prometheus as schema } from './schema.ts';
import { defineSection } from '../../config/section.ts';

export const prometheus = defineSection({
  name: 'prometheus',
  schema: { prometheus: schema },
  resolve: (raw, { findings }) => resolvePrometheus(raw.prometheus, findings),
});
