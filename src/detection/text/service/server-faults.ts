// Server faults: how an inference server says that its engine or one of its workers is gone, and of what; words of catalog/job.

import { type Exception, parseException, specificFault, words } from '../job/fault/exception.ts';
import { type Fault, MAX_TEXT } from '../job/fault/fault.ts';
import { type FaultEntry, type Groups, OF_SERVERS, SERVER_WORDS } from '../job/fault/fault-entry.ts';
import { peel } from '../job/peel.ts';

/** Any line of these holds one of them. */
const HINT = new RegExp(SERVER_WORDS.map((word) => word.replace(/[^\w\s]/g, '\\$&')).join('|'));
/** No traceback continues for longer. */
const MAX_FRAMES = 400;

/** Keeps whether the engine has said that it ends; `place` of a fault is the service unless it is the host's or a device's. */
export class ServerFaults {
  /** Lines that may still belong to the end of the engine: before, an exception may be of a request that failed. */
  #left = 0;

  /** Null for nearly every line. */
  line(text: string): Fault | null {
    const head = text.slice(0, 2 * MAX_TEXT);
    const found = HINT.test(head) ? first(head) : null;
    if (found === null && this.#left === 0) return null;
    const { body } = peel(text);
    if (found !== null && found.entry.words.then === undefined)
      return found.entry.fault(found.groups, { text: head, name: '', message: body, label: null });
    this.#left = found === null ? this.#left - 1 : MAX_FRAMES;
    const exception = found === null && !body.startsWith(' ') ? parseException(body) : null;
    if (exception === null) return null;
    this.#left = 0;
    return ended(exception);
  }
}

function first(text: string): { readonly entry: FaultEntry; readonly groups: Groups } | null {
  for (const entry of OF_SERVERS) {
    const groups = entry.read(text);
    if (groups !== null) return { entry, groups };
  }
  return null;
}

function ended(exception: Exception): Fault {
  return specificFault(exception) ?? { kind: 'job.rank_crashed', place: 'job', attributes: words(exception) };
}
