// Exceptions of a training process by what they mean: the job's own error, or the echo of another rank's.

import type { AttributeValue } from '../../../../model/event.ts';
import { shortened } from '../../../../model/shortened.ts';
import { type Fault, MAX_TEXT } from './fault.ts';
import { EXCEPTIONS, type FaultEntry, type Groups, rankSaid, UNCAUGHT } from './fault-entry.ts';

export interface Exception {
  /** Without its modules: "OutOfMemoryError". */
  readonly name: string;
  readonly message: string;
}

/** No name of an exception with its modules is longer. */
const MAX_NAME = 120;
const LINE =
  /^(?:[A-Za-z_]\w{0,63}\.){0,8}((?:_?[A-Z]|nccl)\w{0,63}(?:Error(?:_[A-Z]\w{1,40})?|Exception|Interrupt|Exit|Failure|Timeout)|Exception)(?::(?: |$)|$)/;
/** A class of any name in a module of exceptions: "google.api_core.exceptions.Forbidden: 403 …". */
const OF_MODULE = /^(?:[A-Za-z_]\w{0,63}\.){1,8}(?:exceptions?|errors?)\.(_?[A-Z]\w{2,63})(?:: |$)/;
/** At the end of a traceback classes of any name are exceptions: "torch._dynamo.exc.BackendCompilerFailed: …", "queue.Empty", "socket.timeout: timed out". */
const RAISED = /^(?:[A-Za-z_]\w{0,63}\.){1,8}(_?[A-Z]\w{2,63}|error|timeout|gaierror|herror)(?::(?: |$)|$)/;

/** Ray hands a worker's exception on: "ray.exceptions.RayTaskError(OutOfMemoryError): ray::Worker.step() (pid=17, …)". */
const HANDED_ON = /^(?:[A-Za-z_]\w{0,63}\.){0,8}RayTaskError\(([A-Z]\w{0,63})\)(?:: |$)/;
/** vLLM's executor does: "RuntimeError: Worker failed with error 'CUDA out of memory.', please check the stack trace above". */
const QUOTED = /^Worker failed with error '(?:([A-Z]\w{0,63}(?:Error|Exception)): )?([^\n]{1,800}?)', please check/;

/** "torch.OutOfMemoryError: CUDA out of memory. …"; null for other lines. `raised`: a traceback is above it. */
export function parseException(body: string, raised = false): Exception | null {
  const head = body.slice(0, MAX_NAME);
  const found = HANDED_ON.exec(head) ?? LINE.exec(head) ?? (raised ? RAISED : OF_MODULE).exec(head);
  if (found === null) return null;
  const message = body.slice(found[0].length).trim();
  const quoted = QUOTED.exec(message);
  return { name: quoted?.[1] ?? found[1] ?? '', message: quoted?.[2] ?? message };
}

/** Null where only a traceback before it, or its launcher, says that it ended anything. The first words that fit count. */
export function specificFault(exception: Exception): Fault | null {
  const text = textOf(exception);
  const found = first(EXCEPTIONS, text);
  return found === null ? null : faultOf(found, text, exception);
}

/** What an exception that was not caught means; null for one that ends on command. */
export function uncaughtFault(exception: Exception): Fault | null {
  const text = textOf(exception);
  const found = first(UNCAUGHT, text) ?? first(EXCEPTIONS, text);
  if (found !== null) return faultOf(found, text, exception);
  return { kind: 'job.rank_crashed', place: 'rank', rank: rankSaid(text), attributes: words(exception) };
}

export function words({ name, message }: Exception): Record<string, AttributeValue> {
  return { exception: name, message: shortened(message, MAX_TEXT) };
}

interface Found {
  readonly entry: FaultEntry;
  readonly groups: Groups;
}

function first(entries: readonly FaultEntry[], text: string): Found | null {
  for (const entry of entries) {
    const groups = entry.read(text);
    if (groups !== null) return { entry, groups };
  }
  return null;
}

function faultOf({ entry, groups }: Found, text: string, { name, message }: Exception): Fault | null {
  return entry.fault(groups, { text, name, message, label: null });
}

function textOf({ name, message }: Exception): string {
  return `${name}: ${message}`.slice(0, 4 * MAX_TEXT);
}
