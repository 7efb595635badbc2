// Incident parts: the incident as a document and a page, and its black box. The page is made of what is clean already.

import { join } from 'node:path';
import type { Cleaner } from '../../incidents/bundle/cleaner.ts';
import { CURRENT } from '../../incidents/log/files.ts';
import { readSamples } from '../../incidents/read-samples.ts';
import { renderIncidentPage } from '../../incidents/report/html/incident-page.ts';
import { savedSamples } from '../../incidents/saved-samples.ts';
import { wholeIncidentToDocument } from '../../model/documents/incident.ts';
import { saidToDocument } from '../../model/documents/note.ts';
import { installationRoot } from '../../native.ts';
import type { Part, PartContext, RawFile } from './part.ts';

const SAMPLES = 'samples.csv';

export const samples: Part = {
  name: SAMPLES,
  async take({ incident, logDirectory }) {
    const saved = await savedSamples(incident, logDirectory);
    if (saved === null) return { leftOut: 'the log folder has no black box of it' };
    return [
      { path: SAMPLES, what: 'raw samples around its opening: time, component, quantity, value', text: saved.text },
    ];
  },
};

/** Made last: every other part may have said which names there are. */
export function incidentFiles(context: PartContext, cleaner: Cleaner, csv: string | null, nowMs: number): RawFile[] {
  const incident = cleaner.value(context.incident);
  const said = cleaner.value(context.said);
  const document = { ...wholeIncidentToDocument(incident, { nowMs }), ...saidToDocument(said) };
  const page = renderIncidentPage({
    incident,
    nowMs,
    timeZone: 'UTC',
    said,
    silent: null,
    samples: csv === null ? null : { path: SAMPLES, series: readSamples(csv) },
    logPath: cleaner.text(join(context.logDirectory, CURRENT)),
    root: cleaner.text(installationRoot()),
  });
  return [
    { path: 'incident.json', what: 'the incident with its events: faultline/incident/1', value: document },
    { path: 'incident.html', what: 'the same as a page that loads nothing', text: page },
  ];
}
