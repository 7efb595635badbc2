// Counters of disks and network interfaces: /proc/diskstats (Documentation/admin-guide/iostats.rst) and /proc/net/dev.

import { eachLine, endOfWord, numbersAt, skipBlank } from './scan.ts';

/** The kernel counts sectors of 512 bytes, whatever the disk's own are. */
const SECTOR_BYTES = 512;

export interface DiskCounters {
  readonly name: string;
  readonly readBytes: number;
  readonly writtenBytes: number;
  /** Time in which at least one request was under way; null before Linux 2.6. */
  readonly busyMs: number | null;
}

/** Disks of which `wanted` is true; a line that is not whole is left out. */
export function parseDisks(text: string, wanted: (name: string) => boolean): DiskCounters[] {
  const disks: DiskCounters[] = [];
  eachLine(text, (from) => {
    const minor = skipBlank(text, endOfWord(text, skipBlank(text, from)));
    const start = skipBlank(text, endOfWord(text, minor));
    const end = endOfWord(text, start);
    const name = text.slice(start, end);
    if (name === '' || !wanted(name)) return;
    const [, , sectorsRead, , , , sectorsWritten, , , busyMs] = numbersAt(text, end);
    if (sectorsRead === undefined || sectorsWritten === undefined) return;
    disks.push({
      name,
      readBytes: sectorsRead * SECTOR_BYTES,
      writtenBytes: sectorsWritten * SECTOR_BYTES,
      busyMs: busyMs ?? null,
    });
  });
  return disks;
}

export interface InterfaceCounters {
  readonly name: string;
  readonly receivedBytes: number;
  readonly receiveErrors: number;
  readonly receiveDrops: number;
  readonly transmittedBytes: number;
  readonly transmitErrors: number;
  readonly transmitDrops: number;
}

/** Interfaces of which `wanted` is true; the two heading lines and lines that are not whole are left out. */
export function parseInterfaces(text: string, wanted: (name: string) => boolean): InterfaceCounters[] {
  const found: InterfaceCounters[] = [];
  eachLine(text, (from, to) => {
    const start = skipBlank(text, from);
    const colon = text.indexOf(':', start);
    if (colon < 0 || colon >= to) return;
    const name = text.slice(start, colon);
    if (name === '' || !wanted(name)) return;
    const [receivedBytes, , receiveErrors, receiveDrops, , , , , transmittedBytes, , transmitErrors, transmitDrops] =
      numbersAt(text, colon + 1);
    if (
      receivedBytes === undefined ||
      receiveErrors === undefined ||
      receiveDrops === undefined ||
      transmittedBytes === undefined ||
      transmitErrors === undefined ||
      transmitDrops === undefined
    ) {
      return;
    }
    const received = { receivedBytes, receiveErrors, receiveDrops };
    found.push({ name, ...received, transmittedBytes, transmitErrors, transmitDrops });
  });
  return found;
}
