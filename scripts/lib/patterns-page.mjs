// The reference page of named patterns, from the catalogue: what each needs, thresholds with their sources, look-alikes, what to do.

import { patternDocument } from '../../src/commands/patterns/pattern-document.ts';
import { PATTERNS } from '../../src/correlation/patterns/patterns.ts';

export function patternsPage() {
  const sections = [...PATTERNS.values()].map((pattern) => section(patternDocument(pattern)));
  return `
# Named patterns

${PATTERNS.size} ways in which things break that have a name, one file each in \`catalog/patterns\`, over the kinds and causes of the
[cause graph](cause-graph.md). An incident names the one that it is (\`pattern\`; null where none fits), \`faultline patterns NAME\` shows it,
and exported records carry \`pattern.id\`, \`pattern.confidence\`, \`pattern.headline\`, \`pattern.remediation\` and
\`pattern.verdict_json\` (\`catalog/pattern-verdict.schema.json\`).

**full**: all that the pattern needs was seen, of hardware by more than what a user of the host could have written. **partial**: a part of it
was not. Of several that fit, the whole one goes before one in part, then the one that asks for more, then the narrower one.

Alert rules for Prometheus: \`deploy/rules/faultline.yaml\`, made by \`faultline patterns --rules\`; with \`--runbooks URL\` their links lead to
where you serve \`docs/\`.

${sections.join('\n')}`;
}

function section({
  id,
  headline,
  about,
  root,
  requires,
  completes,
  without,
  advisory,
  thresholds,
  detectors,
  look_alikes,
  remediation,
  runbook,
  source,
}) {
  const kinds = (list) => list.map((kind) => `\`${kind}\``).join(', ');
  const needs = [
    ...requires.map(({ why }) => `always: ${why}`),
    ...completes.map(({ why }) => `for the whole: ${why}`),
    ...(without.length === 0 ? [] : [`never with ${kinds(without)}`]),
    ...(advisory ? ['advisory: never more than in part'] : []),
  ];
  const lines = [
    ...thresholds.map(({ what, value, source: from }) => `- ${what}: ${value} (${from})`),
    ...(detectors.length === 0
      ? []
      : [
          `- [Detectors](detectors.md): ${detectors.map(({ name, watches, condition }) => `\`${name}\` (${watches} ${condition})`).join(', ')}`,
        ]),
  ];
  return `## ${id}

**${headline}.** ${about}

- Root: ${kinds(root)}
- Needs: ${needs.join('; ')}
${lines.join('\n')}
${look_alikes.map(({ pattern, told_apart_by }) => `- Not [${pattern}](#${pattern}): there ${told_apart_by}`).join('\n')}
- Do: ${remediation} [Runbook](../${runbook.replace(/^docs\//, '')})
- Source: ${source}
`;
}
