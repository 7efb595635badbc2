// Advice document: what a report says to do, as a program that pages the operator needs it: whole sentences, the same as its head has.

import { plain } from '../../model/plain.ts';
import { runbookOf } from './advice.ts';
import { type HeadInput, headOf } from './head.ts';

export interface AdviceDocument {
  /** What to do; of an incident without a root, how it is found. */
  readonly do: string;
  /** The first step with its commands, and whom to call; null where there is none. */
  readonly now: string | null;
  readonly call: string | null;
  /** What comes after the first step; null where that is all. */
  readonly then: string | null;
  /** In the folder of the installation. */
  readonly runbook: string;
}

/** `typed`: a text with its commands as they are started where it is read. */
export function adviceDocument(input: HeadInput, typed = (text: string): string => text): AdviceDocument {
  const { does, steps } = headOf(input);
  const rows = new Map(steps.map(({ label, text }) => [label, typed(text)]));
  return {
    do: typed(does),
    now: rows.get('Now') ?? null,
    call: rows.get('Call') ?? null,
    // biome-ignore lint/suspicious/noThenProperty: not a promise: the report calls it so
    then: rows.get('Then') ?? null,
    runbook: plain(runbookOf(input.incident.root.kind)),
  };
}
