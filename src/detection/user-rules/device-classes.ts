// Device classes: which of several detectors of one name judges a device, by its model. What one began it also ends.

import { matchesWildcard } from '../../helpers/wildcard.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import type { DetectorEdge } from '../../native.ts';

/** The model of a device by its component text; null where it is not known. */
export type ModelOf = (component: string) => string | null;

interface Class {
  /** Of the detector as it is built in. */
  readonly name: string;
  readonly models: readonly string[];
}

/** More devices than a host holds, times its detectors. */
const MOST_OPEN = 16_384;

export class DeviceClasses {
  readonly #modelOf: ModelOf;
  /** By the name of the detector in native code. */
  readonly #classes = new Map<string, Class>();
  readonly #byName = new Map<string, Class[]>();
  /** Detector and series of what was let through and is not over. */
  readonly #open = new Set<string>();

  constructor(modelOf: ModelOf) {
    this.#modelOf = modelOf;
  }

  /** `name`: what detectors of the same kind for other models have in common; null of one that is alone. */
  set(
    detectors: readonly { readonly detector: string; readonly name: string; readonly models: readonly string[] }[],
  ): void {
    this.#classes.clear();
    this.#byName.clear();
    // As it nearly always is: each is for all devices.
    if (detectors.every(({ models }) => models.length === 0)) return;
    for (const { detector, name, models } of detectors) {
      const own = { name, models };
      this.#classes.set(detector, own);
      this.#byName.set(name, [...(this.#byName.get(name) ?? []), own]);
    }
    for (const key of this.#byName.keys()) {
      const some = this.#byName.get(key) ?? [];
      if (some.every(({ models }) => models.length === 0)) this.#byName.delete(key);
    }
  }

  /** Whether this detector is the one that judges the device of the edge. */
  passes({ detector, key, edge }: DetectorEdge): boolean {
    const own = this.#classes.get(detector);
    const all = own === undefined ? undefined : this.#byName.get(own.name);
    if (own === undefined || all === undefined) return true;
    const what = `${detector} ${key}`;
    if (edge === 'clear') return this.#open.delete(what);
    const model = this.#modelOf(parseSeriesKey(key).component);
    const fits = ({ models }: Class) => model !== null && models.some((one) => matchesWildcard(model, one));
    // The last that names the model counts; what no entry names is judged by the one for all.
    const judge = all.filter(fits).at(-1) ?? all.find(({ models }) => models.length === 0);
    if (judge !== own || this.#open.size >= MOST_OPEN) return false;
    this.#open.add(what);
    return true;
  }
}
