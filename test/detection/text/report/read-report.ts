// What the readers of reports make of a text, in short.

import { Reports } from '../../../../src/detection/text/report/reports.ts';
import { componentText } from '../../../../src/model/component.ts';

export function readReport(text: string, path?: string) {
  const reports = new Reports('node-1', path);
  const found = text.split('\n').map((line) => reports.take(line));
  const findings = [...found, ...reports.end()].flatMap((report) => report?.findings ?? []);
  return {
    taken: found.map((report) => report !== null),
    forms: [...new Set(found.flatMap((report) => report?.form ?? []))],
    readings: found.flatMap((report) => report?.readings ?? []),
    states: found.flatMap((report) => report?.states ?? []),
    findings,
    faults: findings.map(({ kind, component }) => [kind, component === null ? null : componentText(component)]),
  };
}
