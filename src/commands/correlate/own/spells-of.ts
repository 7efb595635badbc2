// Spells of: the slow spells of all services, those of each node by themselves where the readings name it.

import type { Component } from '../../../model/component.ts';
import type { Records, ServicePoint, Span } from '../records.ts';
import { pointsOf } from '../series.ts';
import { type SlowSpell, slowSpells } from './slow-spells.ts';
import { spanReadings } from './span-readings.ts';

/** A node with fewer readings than this has no level of its own. */
const FEWEST = 5;

export interface PlacedSpell extends SlowSpell {
  /** The host whose readings they are; null where the readings do not tell, or the topology does not know it. */
  readonly host: string | null;
}

/** @param known the device of a name, null where no mapping has it. */
export function spellsOf(
  { services, spans }: Pick<Records, 'services' | 'spans'>,
  known: (name: string) => Component | null,
  lookbackS: number,
): PlacedSpell[] {
  const read = services.flatMap((series) => {
    const points = pointsOf(series);
    return [...byHost(points, known)].flatMap(([host, own]) => placed(slowSpells(own, lookbackS), host));
  });
  const withReadings = new Set(services.map(({ service }) => service));
  const traced = [...Map.groupBy(spans, ({ service }: Span) => service)].flatMap(([service, own]) =>
    withReadings.has(service) ? [] : placed(slowSpells(spanReadings(service, own), lookbackS), null),
  );
  return [...read, ...traced];
}

function placed(spells: readonly SlowSpell[], host: string | null): PlacedSpell[] {
  return spells.map((spell) => ({ ...spell, host }));
}

function byHost(
  points: readonly ServicePoint[],
  known: (name: string) => Component | null,
): ReadonlyMap<string | null, readonly ServicePoint[]> {
  const hostOf = ({ node }: ServicePoint): string | null => (node === null ? null : (known(node)?.host ?? null));
  const counts = new Map<string | null, number>();
  for (const point of points) counts.set(hostOf(point), (counts.get(hostOf(point)) ?? 0) + 1);
  return Map.groupBy(points, (point) => {
    const host = hostOf(point);
    return (counts.get(host) ?? 0) < FEWEST ? null : host;
  });
}
