// The reference page of event kinds, from the catalogues: severity, action, XIDs and detectors of each; and the closed lists.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INFERENCES } from '../../src/correlation/inference/index.ts';
import { runbookOf } from '../../src/incidents/report/advice.ts';
import { ACTIONS } from '../../src/model/action.ts';
import { COMPONENT_TYPES } from '../../src/model/component.ts';
import { CATALOGUE_VERSION } from '../../src/model/family.ts';
import { KINDS, kindInfo } from '../../src/model/kind.ts';

/** A row for several components makes a detector of each. */
const namesOf = ({ name, on }) => (name.includes('{on}') ? on.map((type) => name.replace('{on}', type)) : [name]);

export function kindsPage(root) {
  const read = (name) => JSON.parse(readFileSync(join(root, 'catalog', name), 'utf8'));
  const { xids } = read('xid.json');
  const numbers = (kind) =>
    Object.keys(xids).filter((xid) => xids[xid].kind === kind && xids[xid].status === 'documented');
  const catalogues = ['detectors.json', 'gpu-detectors.json', 'nic.json'].map(read);
  const detectors = catalogues.flatMap((catalogue) => catalogue.detectors);
  const events = Object.entries(read('gpu-detectors.json').events);
  const seenBy = (kind) => [
    ...detectors.filter((row) => row.kind === kind || row.deeper?.kind === kind).flatMap(namesOf),
    ...events.filter(([, event]) => event.kind === kind).map(([name]) => `NVML ${name}`),
    ...INFERENCES.filter(({ infers }) => infers.includes(kind)).map(({ name }) => `inference ${name}`),
  ];
  const code = (words) => words.map((word) => `\`${word}\``).join(', ');
  const rows = KINDS.map((kind) => {
    const { severity, action, title, neverRoot } = kindInfo(kind);
    const link = `[\`${kind}\`](../${runbookOf(kind).replace(/^docs\//, '')})`;
    const role = neverRoot ? 'never a root' : '';
    return `| ${[link, title, severity, action, numbers(kind).join(', '), seenBy(kind).join(', '), role].join(' | ')} |`;
  });
  return `
# Kinds of events

Version ${CATALOGUE_VERSION} of the catalogue. Each name leads to its runbook. Severity and action are the defaults: a source may know
better, and what the driver asks for goes first. XIDs are those whose number alone decides; the words of a line may make
another kind of it (74 and 144 to 150); [every XID](xids.md) has a page of its own. [Detectors](detectors.md) judge readings; kinds without one come from text, from a
source's own look, or from the driver; an inference concludes from other events what nothing read. What causes what is in the [cause graph](cause-graph.md).

| kind | meaning | severity | action | XID | detectors, driver events, inferences | role |
|---|---|---|---|---|---|---|
${rows.join('\n')}

## Severity

\`info\` (9), \`warning\` (13), \`error\` (17: the job is affected), \`critical\` (21: device or node unusable, act now). The
numbers are those of OTLP.

## Actions

${code(ACTIONS)}.

## Components

${code(COMPONENT_TYPES)}. A device's id is its PCI address; \`gpu_instance\` and \`nvlink\` add the instance's or the link's
number, \`rank\` its global number to the job's id.
`;
}
