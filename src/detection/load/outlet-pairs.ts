// Which outlet feeds which supply, out of steps in load that both show: proposed with its odds, never used by itself. A step that every
// outlet of a row shows at once, as when a job starts on all its hosts, says nothing of any one of them.

/** A change that counts as a step: this share of what was there, and where it is watts no less than this. */
const SHARE = 0.15;
const LEAST_W = 30;
const LEAST_A = 0.15;
/** How far apart the two may show one step: a BMC renews its readings seldom. ms */
const APART_MS = 20_000;
/** After this all that belongs to a step of a supply was read. ms */
const LATE_MS = 60_000;
/** How well both sides agree on the size of it, as a share of what was there before. */
const AGREES = 0.2;
/** How often the right outlet shows a step of its supply. */
const SHOWN = 0.9;
const MOST_SERIES = 4096;
const MOST_STEPS = 8;
/** What is worth proposing. */
const LEAST_STEPS = 3;
const LEAST_ODDS = Math.log(20);
const AHEAD = Math.log(5);
/** A mapping of the configuration that so many steps speak against, by so much, is worth a word. */
const DOUBTED_STEPS = 5;
const DOUBTED = Math.log(1 / 1000);

interface Step {
  readonly earliestMs: number;
  readonly latestMs: number;
  /** After over before, as a logarithm. */
  readonly ratio: number;
}

interface Series {
  value: number;
  timeMs: number;
  steps: Step[];
}

interface Pair {
  score: number;
  shown: number;
  of: number;
}

export interface Proposal {
  readonly outlet: string;
  readonly supply: string;
  readonly shown: number;
  readonly of: number;
  readonly odds: number;
}

export interface Doubt {
  readonly outlet: string;
  readonly supply: string;
  readonly shown: number;
  readonly of: number;
}

const OUTLET = /^(pdu_outlet\/[^#]+)#(power|current)$/;
const SUPPLY = /^(psu\/[^#]+)#input_power$/;

export class OutletPairs {
  readonly #outlets = new Map<string, Series>();
  readonly #supplies = new Map<string, Series>();
  /** By supply, then by outlet. */
  readonly #pairs = new Map<string, Map<string, Pair>>();
  #waiting: { readonly supply: string; readonly step: Step }[] = [];

  /** Samples of a poll. */
  take(keys: readonly string[], timesMs: readonly number[], values: readonly number[]): void {
    let newestMs = Number.NEGATIVE_INFINITY;
    for (const [i, key] of keys.entries()) {
      const timeMs = timesMs[i] ?? 0;
      newestMs = Math.max(newestMs, timeMs);
      const [, outlet, quantity] = OUTLET.exec(key) ?? [];
      if (outlet !== undefined && quantity !== undefined)
        this.#sample(this.#outlets, outlet, timeMs, values[i] ?? 0, quantity === 'power' ? LEAST_W : LEAST_A);
      const supply = SUPPLY.exec(key)?.[1];
      if (supply === undefined) continue;
      const step = this.#sample(this.#supplies, supply, timeMs, values[i] ?? 0, LEAST_W);
      if (step !== null) this.#waiting.push({ supply, step });
    }
    const due = this.#waiting.filter(({ step }) => newestMs - step.latestMs >= LATE_MS);
    if (due.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => !due.includes(one));
    for (const { supply, step } of due) this.#judge(supply, step);
  }

  /** The pairs that are likely enough, the best first; `configured`: by supply, those that are written already. */
  proposals(configured: ReadonlyMap<string, ReadonlySet<string>>): Proposal[] {
    const found: Proposal[] = [];
    for (const [supply, pairs] of this.#pairs) {
      const [best, second] = [...pairs].toSorted(([, a], [, b]) => b.score - a.score);
      if (best === undefined || configured.get(supply)?.has(best[0]) === true) continue;
      const [outlet, { score, shown, of }] = best;
      if (shown < LEAST_STEPS || score < LEAST_ODDS || (second !== undefined && score - second[1].score < AHEAD))
        continue;
      found.push({ outlet, supply, shown, of, odds: Math.round(Math.min(1e6, Math.exp(score))) });
    }
    return found.toSorted((a, b) => b.odds - a.odds || (a.supply < b.supply ? -1 : 1));
  }

  /** Written pairs that the load speaks against: stale, or never right. */
  doubts(configured: ReadonlyMap<string, ReadonlySet<string>>): Doubt[] {
    return [...configured].flatMap(([supply, outlets]) =>
      [...outlets].flatMap((outlet) => {
        const pair = this.#pairs.get(supply)?.get(outlet);
        const doubted = pair !== undefined && pair.of >= DOUBTED_STEPS && pair.score < DOUBTED;
        return doubted ? [{ outlet, supply, shown: pair.shown, of: pair.of }] : [];
      }),
    );
  }

  #sample(all: Map<string, Series>, name: string, timeMs: number, value: number, least: number): Step | null {
    const before = all.get(name);
    if (before === undefined) {
      if (all.size < MOST_SERIES) all.set(name, { value, timeMs, steps: [] });
      return null;
    }
    if (timeMs <= before.timeMs) return null;
    const size = Math.abs(value - before.value);
    const step =
      size >= Math.max(least, SHARE * Math.max(value, before.value)) && Math.min(value, before.value) > 0
        ? { earliestMs: before.timeMs, latestMs: timeMs, ratio: Math.log(value / before.value) }
        : null;
    before.value = value;
    before.timeMs = timeMs;
    if (step !== null) before.steps = [...before.steps, step].slice(-MOST_STEPS);
    return step;
  }

  #judge(supply: string, step: Step): void {
    const shown = new Map(
      [...this.#outlets].flatMap(([outlet, { steps, timeMs }]) =>
        timeMs < step.latestMs ? [] : [[outlet, steps.some((one) => agree(one, step))] as const],
      ),
    );
    const count = [...shown.values()].filter(Boolean).length;
    // How likely any outlet shows such a step at that time, whoever it feeds.
    const chance = (count + 0.5) / (shown.size + 1);
    const pairs = this.#pairs.get(supply) ?? new Map<string, Pair>();
    this.#pairs.set(supply, pairs);
    for (const [outlet, isShown] of shown) {
      const pair = pairs.get(outlet) ?? { score: 0, shown: 0, of: 0 };
      pair.of += 1;
      pair.shown += isShown ? 1 : 0;
      pair.score += isShown ? Math.log(SHOWN / chance) : Math.log((1 - SHOWN) / (1 - chance));
      pairs.set(outlet, pair);
    }
  }
}

function agree(one: Step, other: Step): boolean {
  const near = one.earliestMs <= other.latestMs + APART_MS && other.earliestMs <= one.latestMs + APART_MS;
  return near && Math.abs(one.ratio - other.ratio) <= AGREES;
}
