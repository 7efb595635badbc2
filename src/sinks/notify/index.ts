// The notify sink as the rest of the program sees it.

import { defineSink } from '../define-sink.ts';
import { forgetJournal } from './places.ts';
import { resolveNotify } from './resolve.ts';
import { notify as schema } from './schema.ts';

export const notify = defineSink({
  name: 'notify',
  schema: { notify: schema },
  resolve: (raw, { absolute, findings }) => resolveNotify(raw.notify, absolute, findings),
  withheld: forgetJournal,
  async create(settings, context) {
    const { createNotifySink } = await import('./notify-sink.ts');
    return createNotifySink(settings, context);
  },
});
