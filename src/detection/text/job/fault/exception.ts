// Exceptions of a training process by what they mean: the job's own error, or the echo of another rank's.

import type { AttributeValue } from '../../../../model/event.ts';
import { Cursor } from '../../cursor.ts';
import { type Fault, MAX_TEXT } from './fault.ts';

export interface Exception {
  /** Without its modules: "OutOfMemoryError". */
  readonly name: string;
  readonly message: string;
}

/** No name of an exception with its modules is longer. */
const MAX_NAME = 120;
const LINE =
  /^(?:[A-Za-z_]\w{0,63}\.){0,8}((?:[A-Z]|nccl)\w{0,63}(?:Error|Exception|Interrupt|Exit|Failure|Timeout))(?::(?: |$)|$)/;

/** "torch.OutOfMemoryError: CUDA out of memory. …"; null for other lines. */
export function parseException(body: string): Exception | null {
  const found = LINE.exec(body.slice(0, MAX_NAME));
  if (found === null) return null;
  return { name: found[1] ?? '', message: body.slice(found[0].length).trim() };
}

const REMOTE = /remote process exited or there was a network error|^ncclRemoteError/;

type Rule = readonly [pattern: RegExp, fault: (exception: Exception) => Fault | null];

/** A launcher's or a person's word to end, or that what it started has ended: what they say of it is reported by their own lines. */
const TOLD_TO_END = /^(?:SignalException|KeyboardInterrupt|SystemExit|ChildFailedError|CalledProcessError)$/;

/** What an exception says whose cause is at the other end; lines without one say it at every ordinary end, too. */
const PEER_GONE = /^\w+: .*(?:Connection (?:closed|reset) by (?:remote )?peer|Broken pipe|communicator was aborted)/;

/**
 * Wordings of PyTorch, NCCL, CUDA and the C library, looked for in "Name: message". Those that are clear by themselves need
 * no traceback before them; the first that fits counts.
 */
const RULES: readonly Rule[] = [
  [
    /^OutOfMemoryError|^\w*: (?:CUDA|HIP|XPU) out of memory\. Tried to allocate|RESOURCE_EXHAUSTED: Out of memory/,
    gpuMemory,
  ],
  [/Detected mismatch between collectives on ranks/, () => ({ kind: 'job.collective_mismatch', place: 'job' })],
  [/waiting for clients\. \d+\/\d+ clients joined/, (e) => notUp(e)],
  [/client socket has timed out|^RendezvousTimeoutError|\bconnect\(\) timed out/, (e) => notUp(e)],
  [REMOTE, (e) => ({ kind: 'job.peer_failure', place: 'rank', attributes: words(e) })], // biome-ignore format: one line
  [/^RendezvousConnectionError|^DistNetworkError/, (e) => reset(e)],
  [PEER_GONE, (e) => ({ ...reset(e), place: 'rank' })],
  [/uncorrectable ECC error/, () => ({ kind: 'gpu.memory.uncorrectable', place: 'device' })],
  [/uncorrectable NVLink error/, () => ({ kind: 'nvlink.fatal', place: 'device' })],
  [/driver on your system is too old|unsupported display driver|driver version is insufficient/, (e) => ({ kind: 'gpu.driver_unsupported', place: 'host', attributes: words(e) })], // biome-ignore format: one line
  [/killed by signal: Bus error|insufficient shared memory|\/dev\/shm\/.*No space left|unable to (?:open|mmap) .*shared memory/, (e) => ({ kind: 'host.shm_full', place: 'host', attributes: words(e) })], // biome-ignore format: one line
  [/PytorchStreamWriter failed|inline_container\.cc.*(?:write failed|unexpected pos)/, (e) => ({ kind: 'job.checkpoint_failed', place: 'job', attributes: words(e) })], // biome-ignore format: one line
  [/No space left on device/, (e) => ({ kind: 'host.disk_full', place: 'host', attributes: words(e) })],
];

/** Null where only a traceback before it, or its launcher, says that it ended anything. */
export function specificFault(exception: Exception): Fault | null {
  const text = `${exception.name}: ${exception.message}`.slice(0, 4 * MAX_TEXT);
  for (const [pattern, fault] of RULES) if (pattern.test(text)) return fault(exception);
  return null;
}

/** What an exception that was not caught means; null for one that ends on command. */
export function uncaughtFault(exception: Exception): Fault | null {
  if (TOLD_TO_END.test(exception.name)) return null;
  // The process is gone for it: more than the word of a peer.
  if (REMOTE.test(`${exception.name}: ${exception.message}`)) return { ...reset(exception), place: 'rank' };
  return specificFault(exception) ?? { kind: 'job.rank_crashed', place: 'rank', attributes: words(exception) };
}

export function words({ name, message }: Exception): Record<string, AttributeValue> {
  return { exception: name, message: message.slice(0, MAX_TEXT) };
}

function notUp(exception: Exception): Fault {
  return { kind: 'job.bootstrap_timeout', place: 'job', attributes: words(exception) };
}

function reset(exception: Exception): Fault {
  return { kind: 'net.connection_reset', place: 'job', severity: 'warning', attributes: words(exception) };
}

/** "… GPU 4 has a total capacity of 79.10 GiB of which 1.17 GiB is free. Process 9911 has 70.88 GiB memory in use. …" */
function gpuMemory(exception: Exception): Fault {
  const cursor = new Cursor(exception.message);
  const attributes: Record<string, AttributeValue> = {};
  const take = (name: string, before: string, unit: string): void => {
    const at = new Cursor(cursor.text);
    const value = at.skipPast(before) ? at.until(unit, 12) : null;
    if (value !== null) attributes[name] = value.trim();
  };
  take('tried_gib', 'Tried to allocate ', ' GiB');
  take('free_gib', 'of which ', ' GiB is free');
  take('reserved_unallocated_gib', 'allocated by PyTorch, and ', ' GiB is reserved');
  take('other_pid', 'Process ', ' has ');
  return { kind: 'job.gpu_oom', place: 'rank', attributes: { ...words(exception), ...attributes } };
}
