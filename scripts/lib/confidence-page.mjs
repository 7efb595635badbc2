// The reference page of confidence parts: the stable code of each with what it means.

import { CONFIDENCE_CODES } from '../../src/model/confidence.ts';

export function confidencePage() {
  const rows = Object.entries(CONFIDENCE_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);
  return `
# Confidence parts

The confidence of an incident is the sum of its parts: \`confidence_parts: [{code, why, delta}]\`. Select by \`code\`; \`why\` is
a sentence for people and may change. \`code\` is null in incidents that a release without codes wrote.

| code | what it says |
|---|---|
${rows.join('\n')}
`;
}
