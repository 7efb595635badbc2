// The NVSentinel sink as the rest of the program sees it.

import { defineSink } from '../define-sink.ts';
import { forgetJournal } from './places.ts';
import { nvsentinel as schema } from './schema.ts';
import { resolveNvsentinel } from './settings.ts';

export const nvsentinel = defineSink({
  name: 'nvsentinel',
  schema: { nvsentinel: schema },
  resolve: (raw, { absolute }) => resolveNvsentinel(raw.nvsentinel, absolute),
  withheld: forgetJournal,
  async create(settings, context) {
    const { createNvsentinelSink } = await import('./nvsentinel-sink.ts');
    return createNvsentinelSink(settings, context);
  },
});
