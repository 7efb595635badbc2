// Healthy: a report of a tool that says itself that all is well, which is an answer and not a text of which no line is known.

import catalog from '#catalog/healthy-reports.json' with { type: 'json' };
import { plain } from '../../model/plain.ts';

interface Row {
  readonly tool: string;
  readonly has: string;
  readonly states: readonly string[];
  readonly good: string;
  readonly quiet?: string;
  readonly not?: string;
  /** What it shows instead of a state. */
  readonly picture?: string;
}

const REPORTS = (catalog.reports as readonly Row[]).map((row) => ({
  tool: row.tool,
  picture: row.picture ?? null,
  has: new RegExp(row.has),
  states: row.states.map((form) => new RegExp(form)),
  good: new RegExp(row.good),
  quiet: row.quiet === undefined ? null : new RegExp(row.quiet),
  not: row.not === undefined ? null : new RegExp(row.not),
}));
type Report = (typeof REPORTS)[number];

export interface JudgedReport {
  readonly tool: string;
  /** False of what shows no state of anything. */
  readonly healthy: boolean;
  /** `"state: ONLINE" and "errors: No known data errors"`. */
  readonly says: string;
}

/** Kinds of lines of which the first is quoted. */
const MOST_QUOTED = 2;
const LONGEST = 100;
const LONGEST_LINE = 512;

/** The reports in a whole text that say that all is well; one of which any state is not good is not among them. */
export function healthyIn(text: string): readonly JudgedReport[] {
  const lines = text.split('\n').map((line) => line.slice(0, LONGEST_LINE).trimEnd());
  return REPORTS.flatMap((report) => {
    const says = lines.some((line) => report.has.test(line)) ? saidBy(report, lines) : null;
    return says === null ? [] : [says];
  });
}

function saidBy({ tool, picture, states, good, quiet, not }: Report, lines: readonly string[]): JudgedReport | null {
  const said = new Map<string, string[]>();
  for (const line of lines) {
    if (not?.test(line) === true) return null;
    for (const form of states) {
      const [, state] = form.exec(line) ?? [];
      if (state === undefined) continue;
      if (good.test(state)) said.set(`${form}`, [...(said.get(`${form}`) ?? []), line]);
      else if (quiet?.test(state) !== true) return null;
    }
  }
  if (said.size === 0) return null;
  if (picture !== null) return { tool, healthy: false, says: picture };
  return { tool, healthy: true, says: [...said.values()].slice(0, MOST_QUOTED).map(quoted).join(' and ') };
}

/** `"-I- Discovery 0 0" and 8 more lines like it`. */
function quoted([first = '', ...others]: readonly string[]): string {
  const line = `"${plain(first.trim().replace(/[ .\t]{2,}/g, ' '), LONGEST)}"`;
  return others.length === 0 ? line : `${line} (so do ${others.length} more lines)`;
}
