// Node reasons: why a scheduler takes a node out of service, by catalog/node-reasons.json.

import catalog from '#catalog/node-reasons.json' with { type: 'json' };
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import type { Finding } from '../kernel/finding.ts';

interface Row {
  readonly example: string;
  readonly pattern: string;
  readonly kind: Kind;
  readonly severity?: Severity;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

export const REASON_ROWS = catalog.rows as readonly Row[]; // held against kinds and severities by test/detection/text/node-reasons.test.ts
/** Sites' own scripts set the same words in capitals of their own. A reason may be cut where a table ends, and others of the same node follow behind a comma. */
const FORMS = REASON_ROWS.map((row) => ({ row, form: new RegExp(`^(?:${row.pattern})\\s*(?:$|[,;[])`, 'i') }));
const MAX_REASON = 512;

/** Null where it is none of those that programs give: a person's own words. */
export function reasonFinding(reason: string, node: string): Finding | null {
  const said = reason.trim().slice(0, MAX_REASON);
  for (const { row, form } of FORMS) {
    const found = form.exec(said);
    if (found === null) continue;
    const numbers = Object.entries(found.groups ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Number(value)] as const],
    );
    const attributes: Record<string, AttributeValue> = {
      reason: evidenceText(said),
      told_by: 'scheduler',
      ...row.attributes,
      ...Object.fromEntries(numbers),
    };
    return {
      kind: row.kind,
      component: { type: 'host', id: node },
      ...(row.severity === undefined ? {} : { severity: row.severity }),
      attributes,
    };
  }
  return null;
}
