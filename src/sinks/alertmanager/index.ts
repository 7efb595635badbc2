// The Alertmanager sink as the rest of the program sees it.

import { defineSink } from '../define-sink.ts';
import { forgetJournal } from './places.ts';
import { alertmanager as schema } from './schema.ts';
import { resolveAlertmanager } from './settings.ts';

export const alertmanager = defineSink({
  name: 'alertmanager',
  schema: { alertmanager: schema },
  resolve: (raw, { absolute, findings }) => resolveAlertmanager(raw.alertmanager, absolute, findings),
  withheld: forgetJournal,
  async create(settings, context) {
    const { createAlertmanagerSink } = await import('./alertmanager-sink.ts');
    return createAlertmanagerSink(settings, context);
  },
});
