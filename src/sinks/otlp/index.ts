// The section of the OTLP sink.

import { resolveOtlp } from './resolve.ts';
import { otlp as schema } from './schema.ts';
import { defineSection } from '../../config/section.ts';

export const otlp = defineSection({
  name: 'otlp',
  schema: { otlp: schema },
  resolve: (raw, { environment, absolute, findings }) => resolveOtlp(raw.otlp, environment, absolute, findings),
});
