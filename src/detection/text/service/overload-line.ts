// Overload lines: what inference servers write of having more requests than they can serve, by catalog/job.

import { FRAMEWORKS, type Framework, type OverloadWords } from '../job/framework.ts';

const MAX_LINE = 4096;

export interface OverloadLine {
  readonly server: Framework;
  /** A request that ran had to make room, or was not taken. */
  readonly means: 'preempted' | 'refused';
  /** Of how many requests the line is. */
  readonly count: number;
  /** Of how many since the server started; null where it does not say. */
  readonly total: number | null;
}

const LINES = FRAMEWORKS.flatMap(([server, { overload }]) =>
  (overload?.lines ?? []).map(({ words, pattern, means }) => ({ server, words, form: new RegExp(pattern), means })),
);

/** Null for nearly every line. */
export function parseOverloadLine(line: string): OverloadLine | null {
  const text = line.slice(0, MAX_LINE);
  for (const { server, words, form, means } of LINES) {
    if (!text.includes(words)) continue;
    const found = form.exec(text);
    if (found === null) continue;
    const { count, total } = found.groups ?? {};
    return { server, means, count: Number(count ?? 1), total: total === undefined ? null : Number(total) };
  }
  return null;
}

/** As people call the server, and what makes room for more requests; null of one of which nothing is known. */
export function roomFor(server: Framework): Pick<OverloadWords, 'name' | 'more' | 'slots'> | null {
  return FRAMEWORKS.find(([name]) => name === server)?.[1].overload ?? null;
}
