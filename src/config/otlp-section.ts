// The section of the OTLP sink.

import { resolveOtlp } from './resolve-otlp.ts';
import { otlp as schema } from './schema-otlp.ts';
import { defineSection } from './section.ts';

export const otlp = defineSection({
  name: 'otlp',
  schema: { otlp: schema },
  resolve: (raw, { environment, absolute, findings }) => resolveOtlp(raw.otlp, environment, absolute, findings),
});
