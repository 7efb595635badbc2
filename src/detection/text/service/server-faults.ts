// Server faults: how an inference server says that its engine or one of its workers is gone, and of what.

import { type Exception, parseException, specificFault, words } from '../job/fault/exception.ts';
import { type Fault, MAX_TEXT } from '../job/fault/fault.ts';

/** What vLLM and SGLang put before a message: "(EngineCore_0 pid=1907951) ERROR 11-28 12:02:25 [core.py:710] ", "[2026-11-28 12:02:25 TP0] ". */
const PREFIX =
  /^(?:\([\w =.-]{1,64}\) )?(?:(?:ERROR|CRITICAL|WARNING) \d\d-\d\d \d\d:\d\d:\d\d \[[\w.:/-]{1,64}\] |\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [\w ]{1,32})?\] )/;
/** From here on an exception is the end of the engine; before, one may be a request that failed. */
const FATAL = /EngineCore encountered a fatal error|Scheduler hit an exception|EngineCore failed to start/;
/** A process of the server is gone, whatever it said before. */
const GONE =
  /(?:Worker|Engine core) proc \S{1,64} died unexpectedly|Received sigquit from a child process|EngineDeadError/;
const HINT = /EngineCore|Scheduler hit|Worker proc|sigquit|EngineDead/;
/** No traceback continues for longer. */
const MAX_FRAMES = 400;

/** Keeps whether the engine has said that it ends; `place` of a fault is the service unless it is the host's or a device's. */
export class ServerFaults {
  /** Lines that may still belong to the end of the engine. */
  #left = 0;

  /** Null for nearly every line. */
  line(text: string): Fault | null {
    if (this.#left === 0 && !HINT.test(text)) return null;
    const body = text.replace(PREFIX, '');
    if (FATAL.test(text.slice(0, 2 * MAX_TEXT))) {
      this.#left = MAX_FRAMES;
      return null;
    }
    if (GONE.test(text.slice(0, 2 * MAX_TEXT)))
      return { kind: 'job.rank_crashed', place: 'job', attributes: { message: body.slice(0, MAX_TEXT) } };
    if (this.#left === 0) return null;
    this.#left -= 1;
    const exception = body.startsWith(' ') ? null : parseException(body);
    if (exception === null) return null;
    this.#left = 0;
    return ended(exception);
  }
}

function ended(exception: Exception): Fault {
  return specificFault(exception) ?? { kind: 'job.rank_crashed', place: 'job', attributes: words(exception) };
}
