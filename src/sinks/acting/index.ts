// Acting as the rest of the program sees it: what the daemon does about an incident by itself. Shadow mode does not make it.

import { defineSink } from '../define-sink.ts';
import { acting as schema } from './schema.ts';
import { resolveActing } from './settings.ts';

export const acting = defineSink({
  name: 'acting',
  schema: { acting: schema },
  resolve: (raw, at) => resolveActing(raw.acting, at),
  async create(settings, context) {
    const { createActingSink } = await import('./acting-sink.ts');
    return createActingSink(settings, context);
  },
});
