// Page: a part of a list that is ordered by time, and where the next part begins. A cursor stays right while the list grows.

import { ApiError } from '../api-error.ts';
import type { Parameters } from '../route.ts';

export interface Placed {
  readonly id: string;
  readonly timeMs: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null where nothing more is there. */
  readonly nextCursor: string | null;
  /** All that the conditions leave. */
  readonly total: number;
}

export const MOST_ITEMS = 500;
export const STANDARD_LIMIT = 100;

export const PAGE: Parameters = {
  order: {
    description: 'Which come first.',
    schema: { type: 'string', enum: ['newest', 'oldest'], default: 'newest' },
  },
  limit: {
    description: 'At most this many; the answer then says where the next ones begin.',
    schema: { type: 'integer', minimum: 1, maximum: MOST_ITEMS },
    example: '100',
  },
  cursor: {
    description: 'next_cursor of the answer before, with the same conditions and order.',
    schema: { type: 'string', maxLength: 128, pattern: '^[A-Za-z0-9_-]+$' },
  },
};

export function pageOf<T extends Placed>(all: readonly T[], parameters: URLSearchParams, standard: number): Page<T> {
  const sign = parameters.get('order') === 'oldest' ? 1 : -1;
  const limit = Number(parameters.get('limit') ?? standard);
  const sorted = [...all].sort((a, b) => sign * compare(a, b));
  const after = readCursor(parameters.get('cursor'));
  const rest = after === null ? sorted : sorted.filter((one) => sign * compare(one, after) > 0);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    nextCursor: last === undefined || rest.length === items.length ? null : cursorOf(last),
    total: all.length,
  };
}

/** Of the same time by id, so that no two have one place. */
function compare(a: Placed, b: Placed): number {
  return a.timeMs - b.timeMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Of the last item of an answer: where the next one begins. */
export function cursorOf({ timeMs, id }: Placed): string {
  return Buffer.from(`${timeMs} ${id}`).toString('base64url');
}

function readCursor(text: string | null): Placed | null {
  if (text === null) return null;
  const [, time, id] = /^(-?\d+(?:\.\d+)?) ([\x21-\x7e]{1,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (time === undefined || id === undefined)
    throw new ApiError(400, 'FL4103', 'cursor must be next_cursor of the answer before, as it was');
  return { timeMs: Number(time), id };
}
