// Incident report: what the API serves of an incident to people: the same that faultline explain makes.

import { join } from 'node:path';
import type { KnownIncident, ReportFormat } from '../api/backend.ts';
import { CURRENT } from '../incidents/log/files.ts';
import { readSamples } from '../incidents/read-samples.ts';
import { savedSamples } from '../incidents/saved-samples.ts';
import { redactUrls } from '../model/redact.ts';

const WIDTH = 100;

export async function incidentReport(
  { incident, said }: KnownIncident,
  format: ReportFormat,
  directory: string,
  nowMs: number,
): Promise<string> {
  const box = await savedSamples(incident, directory);
  const samples = box === null ? null : { path: box.path, series: readSamples(box.text) };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const input = { incident, nowMs, timeZone, said, silent: null, samples, logPath: join(directory, CURRENT), root: '' };
  switch (format) {
    case 'html':
      return redactUrls((await import('../incidents/report/html/incident-page.ts')).renderIncidentPage(input));
    case 'markdown':
      return redactUrls((await import('../incidents/report/markdown/markdown.ts')).renderMarkdown(input));
    case 'text': {
      const { renderIncidentText } = await import('../incidents/report/text.ts');
      const { logPath, root } = input;
      const text = renderIncidentText(incident, { width: WIDTH, colour: false, nowMs, timeZone, logPath, root, said });
      return redactUrls(`${text}\n`);
    }
  }
}
