// Since: reads a point in time as people give it to a command.

import { parseTime } from '../../model/time.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Epoch ms of "10m", "2h", "3d" before `nowMs`, of RFC 3339, or of a UTC day "2026-11-27"; null where it is none. */
export function parseSince(text: string, nowMs: number): number | null {
  const ago = /^(\d{1,9})([smhdw])$/.exec(text);
  if (ago) return nowMs - Number(ago[1]) * (UNIT_MS[ago[2] ?? ''] ?? 0);
  return (parseTime(text) ?? parseTime(`${text}T00:00:00Z`))?.epochMs ?? null;
}
