// Counts: of what the incidents of a period were, and which devices were the root of more than one.

import { knownPatterns } from '../../../../correlation/patterns/known-patterns.ts';
import { componentText } from '../../../../model/component.ts';
import { addressText, nameText } from '../../../../model/component-name.ts';
import type { LostToDocument } from '../../../../model/documents/lost.ts';
import type { Incident } from '../../../../model/incident.ts';
import type { Kind } from '../../../../model/kind.ts';
import { maxSeverity, type Severity } from '../../../../model/severity.ts';

export interface CauseCount {
  /** Null: no root cause yet. */
  readonly kind: Kind | null;
  /** The headline of the pattern that most of them are. */
  readonly pattern: string | null;
  readonly count: number;
  readonly worst: Severity;
  /** Null where none is known. */
  readonly gpuHours: number | null;
}

/** Most frequent first. */
export function causesOf(incidents: readonly Incident[], costs: readonly LostToDocument[]): CauseCount[] {
  const byKind = new Map<Kind | null, Incident[]>();
  for (const incident of incidents) {
    const kind = incident.rootKnown ? incident.root.kind : null;
    const own = byKind.get(kind) ?? [];
    own.push(incident);
    byKind.set(kind, own);
  }
  return [...byKind]
    .map(([kind, own]) => ({
      kind,
      pattern: headlineOf(own),
      count: own.length,
      worst: own.reduce<Severity>((worst, { severity }) => maxSeverity(worst, severity), 'info'),
      gpuHours: costs.find(({ cause }) => cause === kind)?.gpu_hours ?? null,
    }))
    .sort((a, b) => b.count - a.count || ((a.kind ?? '') < (b.kind ?? '') ? -1 : 1));
}

function headlineOf(incidents: readonly Incident[]): string | null {
  const counts = new Map<string, number>();
  for (const { pattern } of incidents) if (pattern !== null) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most === undefined ? null : (knownPatterns().get(most[0])?.headline ?? null);
}

export interface DeviceCount {
  readonly name: string;
  readonly address: string;
  readonly count: number;
  readonly kinds: readonly Kind[];
  readonly lastMs: number;
}

/** Roots that are known, by device, most often first. */
export function devicesOf(incidents: readonly Incident[]): DeviceCount[] {
  const byDevice = new Map<string, Incident[]>();
  for (const incident of incidents) {
    const { component } = incident.root;
    if (component === null || !incident.rootKnown) continue;
    const text = componentText(component);
    const own = byDevice.get(text) ?? [];
    own.push(incident);
    byDevice.set(text, own);
  }
  return [...byDevice.values()]
    .flatMap((own) => {
      const component = own[0]?.root.component ?? null;
      if (component === null) return [];
      const kinds = [...new Set(own.map(({ root }) => root.kind))];
      const lastMs = own.reduce((last, { openedMs }) => Math.max(last, openedMs), 0);
      return [{ name: nameText(component), address: addressText(component), count: own.length, kinds, lastMs }];
    })
    .sort((a, b) => b.count - a.count || b.lastMs - a.lastMs);
}
