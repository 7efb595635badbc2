// The reference page of event kinds, from the catalogues: severity, action and XIDs of each.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runbookOf } from '../../src/incidents/report/advice.ts';

export function kindsPage(root) {
  const read = (name) => JSON.parse(readFileSync(join(root, 'catalog', name), 'utf8'));
  const { kinds, never_root: neverRoot, version } = read('kinds.json');
  const { xids } = read('xid.json');
  const numbers = (kind) => Object.keys(xids).filter((xid) => xids[xid].kind === kind);
  const rows = Object.entries(kinds).map(([kind, [severity, action, title]]) => {
    const link = `[\`${kind}\`](../${runbookOf(kind).replace(/^docs\//, '')})`;
    const role = neverRoot.includes(kind) ? 'never a root' : '';
    return `| ${[link, title, severity, action, numbers(kind).join(', '), role].join(' | ')} |`;
  });
  return `
# Kinds of events

Version ${version} of the catalogue. Each name leads to its runbook. Severity and action are the defaults: a source may know
better, and what the driver asks for goes first. XIDs are those whose number alone decides; the words of a line may make
another kind of it (74 and 144 to 150). What causes what stands in the [cause graph](cause-graph.md).

| kind | meaning | severity | action | XID | role |
|---|---|---|---|---|---|
${rows.join('\n')}

## Severity

\`info\` (9), \`warning\` (13), \`error\` (17: the job is affected), \`critical\` (21: device or node unusable, act now). The
numbers are those of OTLP.
`;
}
