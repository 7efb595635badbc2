// When a card's PCIe link counts as degraded: under what slot and card can do, while it works. Pure.

import type { Interval } from '../../model/time.ts';
import { DEGRADED_READS, RESTORED_READS } from './catalogue.ts';

export interface PcieLink {
  /** GT/s. */
  readonly speed: number;
  /** Lanes. */
  readonly width: number;
  /** What both ends can do. */
  readonly fullSpeed: number;
  readonly fullWidth: number;
}

export interface PcieEdge {
  readonly state: 'onset' | 'clear';
  readonly interval: Interval;
  readonly link: PcieLink;
}

export class PcieWatch {
  #lastMs: number | null = null;
  #degraded = 0;
  #restored = 0;
  #reported = false;
  #turned: Interval = { earliestMs: 0, latestMs: 0 };

  /** An idle link may rest at a lower speed: only readings under load count against it. */
  update(link: PcieLink, loaded: boolean, timeMs: number): PcieEdge | null {
    const interval = { earliestMs: this.#lastMs ?? timeMs, latestMs: timeMs };
    const below = link.width < link.fullWidth || link.speed < link.fullSpeed;
    // An idle link says nothing about the loaded one: the last word holds, and so does its time.
    if (below && !loaded) return null;
    this.#lastMs = timeMs;
    if (below ? this.#degraded === 0 : this.#restored === 0) this.#turned = interval;
    this.#degraded = below ? this.#degraded + 1 : 0;
    this.#restored = below ? 0 : this.#restored + 1;
    const turns = this.#reported ? this.#restored >= RESTORED_READS : this.#degraded >= DEGRADED_READS;
    if (!turns) return null;
    this.#reported = !this.#reported;
    return { state: this.#reported ? 'onset' : 'clear', interval: this.#turned, link };
  }
}
