// Server faults: how an inference server says that its engine or one of its workers is gone, and of what; words of catalog/job.

import { type Exception, parseException, specificFault, uncaughtFault, words } from '../job/fault/exception.ts';
import { type Fault, MAX_TEXT } from '../job/fault/fault.ts';
import { type FaultEntry, type Groups, OF_SERVERS, SERVER_WORDS } from '../job/fault/fault-entry.ts';
import { peel } from '../job/peel.ts';

/** Any line of these, of an exception or a traceback holds one of them. */
const HINT = new RegExp(
  ['rror', 'xception', 'Traceback', ...SERVER_WORDS].map((word) => word.replace(/[^\w\s]/g, '\\$&')).join('|'),
);
const TRACEBACK = 'Traceback (most recent call last):';
/** The outermost frame of what the program itself did not catch: "  File "/usr/bin/vllm", line 10, in <module>". */
const OUTERMOST = /^ {2}File "[^"\n]{1,400}", line \d{1,7}, in (\S{1,120})$/;
/** No traceback continues for longer. */
const MAX_FRAMES = 400;
const MAX_PRINTERS = 64;
/** A fault of a device, the host or its memory, whichever request or process met it; others are a request's until the server ends. */
const OF_ITSELF = /^(?:gpu|nvlink|fabric_manager|host)\.|^job\.gpu_oom$/;

/** A server that was stopped at its terminal is not a job that was cancelled, and says so in its own words. */
function endOf(exception: Exception): Fault | null {
  const fault = uncaughtFault(exception);
  return fault?.kind === 'job.cancelled' ? null : fault;
}

interface Traceback {
  left: number;
  /** The function of the outermost frame; null until it is read. */
  outermost: string | null;
}

/** Keeps whether the engine has said that it ends, and of what; `place` of a fault is the service unless it is the host's or a device's. */
export class ServerFaults {
  /** Lines that may still belong to the end of the engine: before, an exception may be of a request that failed. */
  #left = 0;
  /** Tracebacks under way, by printer. */
  readonly #open = new Map<string, Traceback>();
  /** What a traceback ended with last, and for how many lines it may be what the server ends of. */
  #raised: { readonly exception: Exception; left: number } | null = null;

  /** The next lines count, whatever words they have. */
  get open(): boolean {
    return this.#left > 0 || this.#open.size > 0 || this.#raised !== null;
  }

  /** Null for nearly every line. */
  line(text: string): Fault | null {
    if (this.#raised !== null && --this.#raised.left <= 0) this.#raised = null;
    const head = text.slice(0, 2 * MAX_TEXT);
    const hinted = HINT.test(head);
    if (!hinted && this.#left === 0 && this.#open.size === 0) return null;
    const found = hinted ? first(head) : null;
    const { body, message, who } = peel(text);
    if (found !== null && found.entry.words.then === undefined) return this.#end(found, head, body);
    if (found !== null) this.#left = MAX_FRAMES;
    else if (this.#left > 0) this.#left -= 1;
    if (body.includes(TRACEBACK)) {
      this.#begin(who);
      return null;
    }
    const traceback = this.#open.get(who);
    if (body.startsWith(' ')) {
      if (traceback !== undefined) this.#frame(traceback, who, body);
      return null;
    }
    const exception = found === null ? (parseException(body) ?? parseException(message)) : null;
    return exception === null ? null : this.#ends(exception, traceback, who);
  }

  #ends(exception: Exception, traceback: Traceback | undefined, who: string): Fault | null {
    this.#open.delete(who);
    const uncaught = this.#left > 0 || traceback?.outermost === '<module>';
    this.#left = 0;
    if (uncaught) return endOf(exception);
    const fault = specificFault(exception);
    if (fault !== null && OF_ITSELF.test(fault.kind)) return fault;
    if (traceback !== undefined) this.#raised = { exception, left: MAX_FRAMES };
    return null;
  }

  /** The server's own word that it ends, with what was raised before it. */
  #end({ entry, groups }: Found, head: string, body: string): Fault | null {
    const fault = entry.fault(groups, { text: head, name: '', message: body, label: null });
    const raised = this.#raised;
    this.#raised = null;
    if (fault === null || raised === null) return fault;
    return { ...fault, attributes: { ...fault.attributes, ...words(raised.exception) } };
  }

  #begin(who: string): void {
    this.#open.delete(who);
    this.#open.set(who, { left: MAX_FRAMES, outermost: null });
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_PRINTERS) break;
      this.#open.delete(oldest);
    }
  }

  #frame(traceback: Traceback, who: string, body: string): void {
    traceback.outermost ??= OUTERMOST.exec(body)?.[1] ?? null;
    traceback.left -= 1;
    if (traceback.left <= 0) this.#open.delete(who);
  }
}

interface Found {
  readonly entry: FaultEntry;
  readonly groups: Groups;
}

function first(text: string): Found | null {
  for (const entry of OF_SERVERS) {
    const groups = entry.read(text);
    if (groups !== null) return { entry, groups };
  }
  return null;
}
