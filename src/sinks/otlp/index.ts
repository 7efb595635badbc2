// The OTLP sink as the rest of the program sees it.

import { defineSink } from '../define-sink.ts';
import { forgetJournal } from './places.ts';
import { resolveOtlp } from './resolve.ts';
import { otlp as schema } from './schema.ts';

export const otlp = defineSink({
  name: 'otlp',
  schema: { otlp: schema },
  resolve: (raw, { environment, absolute, findings }) => resolveOtlp(raw.otlp, environment, absolute, findings),
  withheld: forgetJournal,
  async create(settings, context) {
    const { createOtlpSink } = await import('./otlp-sink.ts');
    const { selfMetrics, ...own } = context;
    if (settings.metrics === null) return createOtlpSink(settings, own);
    const self = await selfMetrics();
    return createOtlpSink(settings, { ...own, selfMetrics: () => self.collect() });
  },
});
