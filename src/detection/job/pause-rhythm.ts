// Pause rhythm: learns that a job is slow for the same while after the same number of steps, again and again.

/** A run of slow steps that is over. */
export interface Episode {
  /** Number of its first step, and how many there were. */
  readonly start: number;
  readonly steps: number;
  /** The worst of them. */
  readonly value: number;
  /** The job's log said why. */
  readonly explained: boolean;
}

const KEPT = 4;
/** How far the distance of two pauses, in steps, may be off: a timer counts seconds, not steps. */
const SLACK_STEPS = 2;
const SLACK = 0.03;
/** How much one pause may differ from another in length and in depth. */
const ALIKE = 0.3;
/** Pauses that the detector or the log missed in between. */
const MISSED = 2;

export class PauseRhythm {
  readonly #episodes: Episode[] = [];

  add(episode: Episode): void {
    this.#episodes.push(episode);
    if (this.#episodes.length > KEPT) this.#episodes.shift();
  }

  /**
   * How many slow steps from this one on are not news, because a pause is due: the log has just announced one (and said
   * of the last that it was one), two distances agree, or one where the log said why both times. Null when none is due,
   * or when it is slower than such a pause ever was.
   */
  due(start: number, value: number, announced: boolean): number | null {
    const [c, b, a] = this.#episodes.toReversed();
    if (c === undefined || Math.abs(value / c.value - 1) > ALIKE) return null;
    if (announced && c.explained) return longer(c.steps);
    if (b === undefined || !alike(b, c)) return null;
    const distance = c.start - b.start;
    const known = b.explained && c.explained;
    const agreed = a !== undefined && alike(a, b) && isMultiple(b.start - a.start, distance);
    if (!(known || agreed) || !isMultiple(start - c.start, distance)) return null;
    return longer(Math.max(b.steps, c.steps));
  }

  /** Whether this one, over now, is the third of its kind at the same distances. */
  repeats(episode: Episode): boolean {
    const [c, b] = this.#episodes.toReversed();
    if (b === undefined || c === undefined) return false;
    return alike(b, c) && alike(c, episode) && isMultiple(episode.start - c.start, c.start - b.start);
  }
}

function longer(steps: number): number {
  return Math.ceil(steps * (1 + ALIKE)) + 1;
}

function alike(a: Episode, b: Episode): boolean {
  const steps = Math.abs(a.steps - b.steps) <= Math.max(1, ALIKE * Math.max(a.steps, b.steps));
  return steps && Math.abs(a.value / b.value - 1) <= ALIKE;
}

/** Once, twice or three times the distance, as far as slack allows. */
function isMultiple(steps: number, distance: number): boolean {
  if (distance <= 0) return false;
  const times = Math.round(steps / distance);
  if (times < 1 || times > 1 + MISSED) return false;
  return Math.abs(steps - times * distance) <= Math.max(SLACK_STEPS, SLACK * distance) * times;
}
