// The reference page of XIDs, from the catalogue: every code with its name, what it means and what to do, and the source of each row.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runbookOf } from '../../src/incidents/report/advice.ts';

const STATUS = { documented: '', retired: 'retired', reserved: 'reserved', name_only: 'name only' };

export function xidsPage(root) {
  const { version, sources, xids } = JSON.parse(readFileSync(join(root, 'catalog', 'xid.json'), 'utf8'));
  const rows = Object.entries(xids).map(([code, row]) => {
    const kind = `[\`${row.kind}\`](../${runbookOf(row.kind).replace(/^docs\//, '')})`;
    const brings = (row.brings ?? []).join(', ');
    const nvidia = row.nvidia.map((words) => words.replaceAll('|', '\\|')).join('; then ');
    const cells = [code, `\`${row.mnemonic}\``, row.note, kind, row.action, row.gpus.join(', '), nvidia, brings];
    return `| ${[...cells, STATUS[row.status], row.sources.join(', ')].join(' | ')} |`;
  });
  return `
# XIDs

Version ${version} of the catalogue: ${rows.length} codes of NVIDIA's driver. A line of the kernel log, or NVML, gives the number; the
words of the line may know better (fatal or not, the link, the unit), and the recovery action of XID 154 goes first. A code that is
not here is \`gpu.fault\` of severity error, and the event says that the catalogue does not have it.

"Retired": NVIDIA documents it for GPUs before Ampere and lists it as unused since. "Name only": nothing else is public, and
nothing is made up here. "Brings": codes that come with it on the same GPU; they do not count as faults of their own.

Sources:

${Object.entries(sources)
  .map(([name, text]) => `- ${name}: ${text}.`)
  .join('\n')}

| XID | name | meaning | kind | action | GPUs | NVIDIA's words: at once; to investigate | brings | | sources |
|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
