// Writes docs/samples/: the reports of the power chain as correlation explains it, made as `faultline explain` makes them. `--check` compares.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderIncidentPage } from '../../src/incidents/report/html/incident-page.ts';
import { renderMarkdown } from '../../src/incidents/report/markdown/markdown.ts';
import { powerChain } from '../../test/incidents/report/html/cases.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'samples');
const input = powerChain();
const samples = { 'voltage-sag.html': renderIncidentPage(input), 'voltage-sag.md': renderMarkdown(input) };

mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(samples)) {
  const path = join(folder, name);
  if (!process.argv.includes('--check')) {
    writeFileSync(path, text);
    continue;
  }
  if (readFileSync(path, 'utf8') === text) continue;
  console.error(`docs/samples/${name} is not what the report is now. Run: node scripts/lib/sample-reports.mjs`);
  process.exitCode = 1;
}
