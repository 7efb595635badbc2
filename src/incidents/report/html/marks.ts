// Marks: what happened, numbered, as plots and timeline show it.

import type { Incident } from '../../../model/incident.ts';
import { type Group, groupsOf, how, whenOf, who } from '../groups.ts';
import { happeningText } from '../happening.ts';

export interface Mark {
  /** From 1, in the order of the chain. */
  readonly number: number;
  readonly isRoot: boolean;
  readonly timeMs: number;
  readonly digits: number;
  readonly earliestMs: number;
  readonly latestMs: number;
  readonly who: string;
  readonly what: string;
  readonly how: string;
  readonly orderUnknown: boolean;
  readonly group: Group;
}

export function marksOf(incident: Incident): Mark[] {
  return groupsOf(incident).map((group, i) => {
    const { links, events } = group;
    return {
      number: i + 1,
      isRoot: links.some(({ eventId }) => eventId === incident.root.eventId),
      ...whenOf(group),
      who: who(group),
      what: happeningText(links[0]?.kind ?? incident.root.kind, events),
      how: how(group),
      orderUnknown: links.some((link) => link.orderUnknown),
      group,
    };
  });
}
