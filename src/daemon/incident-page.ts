// Incident page: what the API serves of an incident to a browser: the same one HTML file that faultline explain makes.

import { join } from 'node:path';
import { CURRENT } from '../incidents/log/files.ts';
import { readSamples } from '../incidents/read-samples.ts';
import { savedSamples } from '../incidents/saved-samples.ts';
import type { Incident } from '../model/incident.ts';
import type { Said } from '../model/note.ts';
import { redactUrls } from '../model/redact.ts';

export async function incidentPage(incident: Incident, said: Said, directory: string, nowMs: number): Promise<string> {
  const { renderIncidentPage } = await import('../incidents/report/html/incident-page.ts');
  const box = await savedSamples(incident, directory);
  const samples = box === null ? null : { path: box.path, series: readSamples(box.text) };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const page = { incident, nowMs, timeZone, said, silent: null, samples, logPath: join(directory, CURRENT), root: '' };
  return redactUrls(renderIncidentPage(page));
}
