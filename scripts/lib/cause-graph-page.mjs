// Writes docs/reference/cause-graph.md from the files of catalog/kinds; `--check` only compares and exits 1 where they differ.

import { readFileSync, writeFileSync } from 'node:fs';
import { KIND_GROUPS } from '../../src/correlation/graph/kind-words.ts';
import { CATALOGUE_VERSION, FAMILIES } from '../../src/model/family.ts';
import { hasRole, KINDS, kindEntry } from '../../src/model/kind.ts';

const root = new URL('../../', import.meta.url);
const page = new URL('docs/reference/cause-graph.md', root);

const seconds = (ms) => `${ms / 1000}`;
const kinds = (words) => words.map((word) => `\`${word}\``).join(', ');
const flags = (row) => {
  const reported = [];
  if (row.while_active) reported.push('while the cause lasts');
  if (row.keeps_up) reported.push('or keeps up what something planned began');
  if (row.each_time) reported.push('after each time that the cause happens');
  if (row.part_first) reported.push('the part before the whole');
  if (row.sibling) reported.push(`together, from ${row.min_group ?? 2} places`);
  if (row.effect_max_ms) reported.push(`effect up to ${seconds(row.effect_max_ms)} s`);
  if (row.explains_ms === null) reported.push('explained for good');
  else if (row.explains_ms) reported.push(`explained for ${seconds(row.explains_ms)} s`);
  if (row.unmapped) reported.push('also unmapped feeds, doubted');
  if (row.cascade) reported.push('strictly after it');
  return reported.join('; ');
};

/** What is planned, and until when it explains what follows. */
function plans() {
  return KINDS.filter((kind) => hasRole(kind, 'explains')).map((kind) => {
    const usual = kindEntry(kind).explains_for;
    if (usual === undefined) return `- \`${kind}\`: for good`;
    return `- \`${kind}\`: ${usual.ms === 0 ? 'until it ends' : `for ${seconds(usual.ms)} s`} (${usual.source})`;
  });
}

/** Kinds by what ends them. */
function lasting() {
  const table = new Map();
  for (const kind of KINDS) {
    const until = kindEntry(kind).lasts_until;
    if (until !== undefined) table.set(kinds(until), [...(table.get(kinds(until)) ?? []), kind]);
  }
  return [...table];
}

const lines = [
  '# Cause graph',
  '',
  `Generated from \`catalog/kinds\` (version ${CATALOGUE_VERSION}) by \`scripts/lib/cause-graph-page.mjs\`.`,
  'Lag is physical, in seconds; "seen late" is how much later than it happened cause and effect may be seen, beyond the',
  'interval of the event. Strength is how surely the effect, at the right place and time, comes from this cause.',
  '',
  '## Rows',
  '',
  '| cause | effect | relation | lag s | seen late s | strength | when | why | source |',
  '|---|---|---|---|---|---|---|---|---|',
  ...FAMILIES.flatMap(({ causes }) => causes).map((row) => {
    const cells = [kinds(row.cause), kinds(row.effect), row.relation, row.lag_ms.map(seconds).join(' … ')];
    cells.push(row.seen_late_ms.map(seconds).join(' / '), row.strength, flags(row), row.note, row.source);
    return `| ${cells.join(' | ')} |`;
  }),
  '',
  '## Groups',
  '',
  ...[...KIND_GROUPS].map(([name, words]) => `- \`group:${name}\`: ${kinds(words)}`),
  '',
  '## Roles',
  '',
  `- Explain what follows and end the search: ${kinds(KINDS.filter((kind) => hasRole(kind, 'explains')))}`,
  `- Symptoms, as a root "no root cause yet": ${kinds(KINDS.filter((kind) => hasRole(kind, 'symptom')))}`,
  `- Set on purpose where planned work leaves it so: ${kinds(KINDS.filter((kind) => hasRole(kind, 'setting')))}`,
  ...lasting().map(([until, words]) => `- Last until ${until}: ${kinds(words)}`),
  '',
  '## What is planned explains what passes',
  '',
  'A fault that is still there then, and for the lateness of events more, is reported, with what it did not come back from.',
  '',
  ...plans(),
  '',
];
const text = lines.join('\n');
if (process.argv.includes('--check')) {
  if (readFileSync(page, 'utf8') !== text) {
    console.error(
      'docs/reference/cause-graph.md is not what catalog/kinds says. Run node scripts/lib/cause-graph-page.mjs',
    );
    process.exit(1);
  }
} else writeFileSync(page, text);
