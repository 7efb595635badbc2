// Managers: who last wrote a field of an object, and when, as the API server keeps it: no one can write it for another unseen.

import { at, listAt, timeAt, wordAt } from '../pod/values.ts';

export interface Writer {
  /** The name that the client gave itself: "kubectl-cordon", "node-drainer". */
  readonly name: string;
  /** Epoch ms. */
  readonly atMs: number | null;
}

const MOST = 64;

/** `path`: in the form of `fieldsV1`: f:spec, f:unschedulable. The newest where several wrote it; null where it is not kept. */
export function writerOf(raw: unknown, ...path: readonly string[]): Writer | null {
  let newest: Writer | null = null;
  for (const entry of listAt(raw, 'metadata', 'managedFields').slice(0, MOST)) {
    const name = wordAt(entry, 'manager');
    if (name === null || at(entry, 'fieldsV1', ...path) === undefined) continue;
    const writer = { name, atMs: timeAt(entry, 'time') };
    if (newest === null || (writer.atMs ?? 0) >= (newest.atMs ?? 0)) newest = writer;
  }
  return newest;
}
