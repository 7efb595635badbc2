// Advice document: what a report says to do, as a program that pages the operator needs it: whole sentences, the same as its head has.

import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { runbookOf } from './advice.ts';
import { type HeadInput, headOf } from './head.ts';
import { actOn, placedTarget } from './place.ts';

export interface AdviceDocument {
  /** Where that is done, as the texts below call it; null where no line names it, or several may be meant. */
  readonly host: string | null;
  /** Those that it may be; more than one only where the lines do not say which. */
  readonly hosts: readonly string[];
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
  const { host, hosts } = actOn(input.incident);
  const rows = new Map(steps.map(({ label, text }) => [label, typed(text)]));
  return {
    host: host === null ? null : plain(host, LONGEST),
    hosts: hosts.map((each) => plain(each, LONGEST)),
    do: typed(does),
    now: rows.get('Now') ?? null,
    call: rows.get('Call') ?? null,
    // biome-ignore lint/suspicious/noThenProperty: not a promise: the report calls it so
    then: rows.get('Then') ?? null,
    runbook: plain(runbookOf(input.incident.root.kind)),
  };
}

const LONGEST = 253;

/** The action with its target on the host that the advice names; of several the lines do not say which, and the target is as it was. */
export function placedAction(incident: Incident): Incident['action'] {
  const isOne = actOn(incident).host !== null;
  return isOne ? { ...incident.action, target: placedTarget(incident) } : incident.action;
}
