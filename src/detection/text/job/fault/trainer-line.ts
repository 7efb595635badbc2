// What trainers print of their loss as a dictionary, in a log that is declared to be another framework's.

import type { Fault } from './fault.ts';

const LOGGED = /^\{'loss': ([\w.+-]{1,32}), (?:'grad_norm': ([\w.+-]{1,32}), )?/;
const BROKEN = /^[+-]?(?:nan|inf)$/i;

/** A loss or gradient that is not a number, or one that is again; the first of each is reported. */
export class TrainerLog {
  #broken = false;

  line(body: string): Fault | null {
    const found = LOGGED.exec(body.slice(0, 120));
    if (found === null) return null;
    const [, loss = '', norm = ''] = found;
    const what = BROKEN.test(loss) ? 'loss' : BROKEN.test(norm) ? 'grad_norm' : null;
    if ((what !== null) === this.#broken) return null;
    this.#broken = what !== null;
    return {
      kind: 'job.nan',
      place: 'job',
      state: this.#broken ? 'onset' : 'clear',
      attributes: what === null ? {} : { what, value: what === 'loss' ? loss : norm },
    };
  }
}
