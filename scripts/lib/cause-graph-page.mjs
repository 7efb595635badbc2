// Writes docs/reference/cause-graph.md from catalog/causes.json; `--check` only compares and exits 1 where they differ.

import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const page = new URL('docs/reference/cause-graph.md', root);
const catalog = JSON.parse(readFileSync(new URL('catalog/causes.json', root), 'utf8'));

const seconds = (ms) => `${ms / 1000}`;
const kinds = (words) => words.map((word) => `\`${word}\``).join(', ');
const flags = (row) => {
  const reported = [];
  if (row.while_active) reported.push('while the cause lasts');
  if (row.sibling) reported.push(`together, from ${row.min_group ?? 2} places`);
  if (row.effect_max_ms) reported.push(`effect up to ${seconds(row.effect_max_ms)} s`);
  if (row.unmapped) reported.push('also unmapped feeds, doubted');
  if (row.cascade) reported.push('strictly after it');
  return reported.join('; ');
};

const lines = [
  '# Cause graph',
  '',
  `Generated from \`catalog/causes.json\` (version ${catalog.version}) by \`scripts/lib/cause-graph-page.mjs\`.`,
  'Lag is physical, in seconds; "seen late" is how much later than it happened cause and effect may be seen, beyond the',
  'interval of the event. Strength is how surely the effect, at the right place and time, comes from this cause.',
  '',
  '## Rows',
  '',
  '| cause | effect | relation | lag s | seen late s | strength | when | why | source |',
  '|---|---|---|---|---|---|---|---|---|',
  ...catalog.rows.map((row) => {
    const cells = [kinds(row.cause), kinds(row.effect), row.relation, row.lag_ms.map(seconds).join(' … ')];
    cells.push(row.seen_late_ms.map(seconds).join(' / '), row.strength, flags(row), row.note, row.source);
    return `| ${cells.join(' | ')} |`;
  }),
  '',
  '## Groups',
  '',
  ...Object.entries(catalog.groups).map(([name, words]) => `- \`group:${name}\`: ${kinds(words)}`),
  '',
  '## Roles',
  '',
  `- Explain what follows and end the search: ${kinds(catalog.explains)}`,
  `- Symptoms, as a root "no root cause yet": ${kinds(catalog.symptoms)}`,
  ...catalog.lasting.map((row) => `- Last until ${kinds(row.until)}: ${kinds(row.kinds)}`),
  '',
];
const text = lines.join('\n');
if (process.argv.includes('--check')) {
  if (readFileSync(page, 'utf8') !== text) {
    console.error(
      'docs/reference/cause-graph.md is not what catalog/causes.json says. Run node scripts/lib/cause-graph-page.mjs',
    );
    process.exit(1);
  }
} else writeFileSync(page, text);
