// Remembers across runs which boot of the kernel was watched last, so that a reboot is reported, with when and how it ended.

import { join } from 'node:path';
import { readOwn, replaceOwn } from '../../helpers/files/own-file.ts';

const FILE = 'boot.json';
const MAX_BYTES = 4096;
const BOOT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** systemd stops services and the kernel within this of each other, and firmware starts for as long again. */
const ORDERLY_MS = 15 * 60_000;

/** What a run leaves behind. */
export interface BootRecord {
  readonly bootId: string;
  /** Epoch ms at which the daemon last wrote this. */
  readonly seenMs: number;
  /** True when the daemon was asked to stop. */
  readonly stopped: boolean;
}

export interface Reboot {
  /** Epoch ms at which the kernel started; null when it does not say. */
  readonly bootMs: number | null;
  readonly lastSeenMs: number;
  /** orderly: the daemon was stopped shortly before. abrupt: it was running when the host went. */
  readonly reason: 'orderly' | 'abrupt' | 'unknown';
}

/** Null when the boot is the one that was watched before, or nothing is known of an earlier one. */
export function rebootSince(before: BootRecord | null, bootId: string | null, bootMs: number | null): Reboot | null {
  if (before === null || bootId === null || before.bootId === bootId) return null;
  const soon = bootMs === null || bootMs - before.seenMs < ORDERLY_MS;
  const reason = before.stopped ? (soon ? 'orderly' : 'unknown') : 'abrupt';
  return { bootMs, lastSeenMs: before.seenMs, reason };
}

/** The id in the text of /proc/sys/kernel/random/boot_id; null when it is none. */
export function parseBootId(text: string | null): string | null {
  const id = text?.trim() ?? '';
  return BOOT_ID.test(id) ? id : null;
}

/** Null when there is none, or what is there is no record of ours. */
export async function readBootRecord(directory: string): Promise<BootRecord | null> {
  try {
    return parse(await readOwn(join(directory, FILE), MAX_BYTES));
  } catch {
    return null;
  }
}

/** Replaces the record in one step; rejects with what the file system says. */
export async function writeBootRecord(directory: string, record: BootRecord): Promise<void> {
  const path = join(directory, FILE);
  const { bootId, seenMs, stopped } = record;
  const document = { schema: 'faultline/boot/1', boot_id: bootId, seen_ms: Math.round(seenMs), stopped };
  // The record matters most when the power goes right after.
  await replaceOwn(path, `${JSON.stringify(document)}\n`, { sync: true });
}

function parse(text: string): BootRecord | null {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return null;
  const { boot_id: bootId, seen_ms: seenMs, stopped } = value as Record<string, unknown>; // a non-null object can be indexed
  if (typeof bootId !== 'string' || parseBootId(bootId) === null) return null;
  if (typeof seenMs !== 'number' || !Number.isFinite(seenMs) || seenMs < 0) return null;
  return { bootId, seenMs, stopped: stopped === true };
}
