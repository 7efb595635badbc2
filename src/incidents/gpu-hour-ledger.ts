// GpuHourLedger: which incident counts a lost GPU-hour where two hit the same job: the one that opened first; the others say whose it is.

import { lossOwner } from '../model/gpu-hours.ts';
import type { CountedElsewhere, Impact, Incident } from '../model/incident.ts';

/** Jobs and devices, and incidents of each, the youngest. */
const MOST_OWNERS = 1024;
const MOST_INCIDENTS = 64;

interface Reported {
  readonly openedMs: number;
  /** What it says of this job, in GPUs that stand still. */
  readonly losses: readonly { readonly gpus: number; readonly fromMs: number; readonly toMs: number | null }[];
}

type Losses = Pick<Incident, 'id' | 'openedMs' | 'impact' | 'resolvedMs' | 'mergedInto'>;

export class GpuHourLedger {
  /** By job or device, then by incident. */
  readonly #owners = new Map<string, Map<string, Reported>>();
  /** What the incident that was taken last had reported before, and does not any more. */
  #left: readonly string[] = [];

  /** Takes what an incident says now; of one that was merged nothing counts any more. */
  take(incident: Losses): void {
    const byOwner = new Map<string, Reported['losses']>();
    for (const { component, loss } of incident.mergedInto === null ? incident.impact : []) {
      if (loss === undefined) continue;
      const owner = lossOwner(component);
      const toMs = loss.toMs ?? incident.resolvedMs;
      byOwner.set(owner, [...(byOwner.get(owner) ?? []), { gpus: loss.gpus * loss.share, fromMs: loss.fromMs, toMs }]);
    }
    this.#left = [...this.#owners.keys()].filter(
      (owner) => !byOwner.has(owner) && this.#owners.get(owner)?.delete(incident.id) === true,
    );
    for (const owner of this.#left) if (this.#owners.get(owner)?.size === 0) this.#owners.delete(owner);
    for (const [owner, losses] of byOwner) {
      const incidents = this.#owners.get(owner) ?? new Map<string, Reported>();
      this.#owners.delete(owner);
      this.#owners.set(owner, incidents);
      incidents.delete(incident.id);
      incidents.set(incident.id, { openedMs: incident.openedMs, losses });
      keep(incidents, MOST_INCIDENTS);
    }
    keep(this.#owners, MOST_OWNERS);
  }

  /** The same impacts, each with what incidents that opened earlier count of it. */
  shared({ id, openedMs, impact }: Pick<Losses, 'id' | 'openedMs' | 'impact'>): readonly Impact[] {
    return impact.map((one) => {
      if (one.loss === undefined) return one;
      const { elsewhere: _, ...loss } = one.loss;
      const elsewhere = this.#elsewhere(id, openedMs, lossOwner(one.component), loss.fromMs, loss.toMs);
      return { ...one, loss: elsewhere.length === 0 ? loss : { ...loss, elsewhere } };
    });
  }

  /** Ids of incidents that opened later than this one, which was taken last, and hit what it hits or hit before. */
  later({ id, openedMs, impact }: Pick<Losses, 'id' | 'openedMs' | 'impact'>): ReadonlySet<string> {
    const now = impact.flatMap(({ component, loss }) => (loss === undefined ? [] : [lossOwner(component)]));
    const owners = new Set([...now, ...this.#left]);
    const ids = [...owners].flatMap((owner) =>
      [...(this.#owners.get(owner) ?? [])].flatMap(([other, reported]) =>
        isEarlier({ id, openedMs }, { id: other, openedMs: reported.openedMs }) ? [other] : [],
      ),
    );
    return new Set(ids);
  }

  #elsewhere(id: string, openedMs: number, owner: string, fromMs: number, toMs: number | null): CountedElsewhere[] {
    const found: CountedElsewhere[] = [];
    for (const [other, reported] of this.#owners.get(owner) ?? []) {
      if (other === id || !isEarlier({ id: other, openedMs: reported.openedMs }, { id, openedMs })) continue;
      for (const loss of reported.losses) {
        const over = loss.toMs !== null && loss.toMs <= fromMs;
        const after = toMs !== null && loss.fromMs >= toMs;
        if (!over && !after) found.push({ incidentId: other, ...loss });
      }
    }
    return found.sort((a, b) => a.fromMs - b.fromMs || (a.incidentId < b.incidentId ? -1 : 1));
  }
}

interface Opened {
  readonly id: string;
  readonly openedMs: number;
}

function isEarlier(a: Opened, b: Opened): boolean {
  return a.openedMs < b.openedMs || (a.openedMs === b.openedMs && a.id < b.id);
}

function keep(map: Map<string, unknown>, most: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}
