// Silent nodes: what slurmctld writes of nodes that do not answer, and of those that answer again, where a line of it is in a job's log: by
// the rows that its own log and a syslog are read by.

import { bareFindings, wordsOfKind } from '../../programs/program-rows.ts';
import type { Fault } from './fault.ts';

const DOWN = 'host.down';
const PROGRAM = 'slurmctld';

/** Of which every such line has one. */
export const NODE_WORDS: readonly string[] = wordsOfKind(PROGRAM, DOWN);

/** One of each node that the line names; empty where it says nothing of any. */
export function silentNodes(text: string): Fault[] {
  if (!NODE_WORDS.some((word) => text.includes(word))) return [];
  const findings = bareFindings(text, '') ?? [];
  return findings.flatMap(({ kind, component, severity, state, attributes }) => {
    if (kind !== DOWN || component?.type !== 'host' || component.id === '') return [];
    const more = { ...(severity === undefined ? {} : { severity }), ...(state === undefined ? {} : { state }) };
    return [{ kind, place: { host: component.id }, ...more, attributes: { ...attributes, told_by: 'scheduler' } }];
  });
}
