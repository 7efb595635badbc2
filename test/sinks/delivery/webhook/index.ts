// A webhook sink made of delivery alone, as a test: what a new sink has to bring, and no more.

import { defineSink } from '../../../../src/sinks/define-sink.ts';

export const webhook = defineSink({
  name: 'webhook',
  schema: { webhook: { type: 'string', description: 'URL.' } },
  resolve: ({ webhook: url }) => (url === undefined ? null : { url }),
  async create(settings, context) {
    const { createWebhookSink } = await import('./webhook-sink.ts');
    return createWebhookSink(settings.url, context);
  },
});
