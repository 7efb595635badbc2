// Inject request: what root asks to be put in, parsed once into a request that cannot be wrong; who else asks is refused.

import { isKind, type Kind } from '../model/kind.ts';
import { ApiError } from './api-error.ts';
import { type Caller, callerText } from './caller.ts';

/** How long what was put in lasts, where it is not ended before. */
export const STANDS_MS = 600_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_600_000;
/** As much as the kernel puts into one record (printk). */
const LONGEST_LINE = 1024;
const LONGEST_COMPONENT = 256;
const LAST_XID = 999;

interface Timed {
  readonly forMs: number;
}

export type InjectRequest =
  | (Timed & { readonly what: 'xid'; readonly xid: number; readonly gpu: string | null })
  | (Timed & { readonly what: 'kernel-line'; readonly text: string })
  | (Timed & { readonly what: 'event'; readonly kind: Kind; readonly component: string | null })
  | (Timed & { readonly what: 'end' });

type Fields = Readonly<Record<string, unknown>>;

const KEYS = {
  xid: ['what', 'for_ms', 'xid', 'gpu'],
  'kernel-line': ['what', 'for_ms', 'text'],
  event: ['what', 'for_ms', 'kind', 'component'],
  end: ['what'],
} as const;

/** Throws FL3411 for everybody but root and the daemon's own user, FL3412 where the configuration says no. */
export function mayInject(caller: Caller | null, enabled: boolean, own: number | null): void {
  if (caller === null || (caller.uid !== 0 && caller.uid !== own)) {
    const who = caller === null ? 'who asks is unknown' : `this is ${callerText(caller)}`;
    throw new ApiError(403, 'FL3411', `only root and the daemon's own user may inject faults; ${who}. Use sudo`);
  }
  if (enabled) return;
  throw new ApiError(
    403,
    'FL3412',
    'this daemon takes no made-up faults: inject.enabled is off. To try one, write inject: {enabled: on} into its configuration and restart it',
  );
}

/** Throws FL3410 with what is wrong and how to write it. */
export function readInject(body: unknown): InjectRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw wrong('the request must be an object');
  const from = body as Fields; // an object that is not an array has fields of unknown type
  const what = (Object.keys(KEYS) as (keyof typeof KEYS)[]).find((each) => each === from.what);
  if (what === undefined) throw wrong(`what must be one of ${Object.keys(KEYS).join(', ')}`);
  const known: readonly string[] = KEYS[what];
  for (const key of Object.keys(from)) {
    if (!known.includes(key)) throw wrong(`${key.slice(0, 64)} is not known. Known: ${known.join(', ')}`);
  }
  const forMs = from.for_ms === undefined ? STANDS_MS : whole(from.for_ms, 'for_ms', SHORTEST_MS, LONGEST_MS);
  switch (what) {
    case 'xid':
      return { what, forMs, xid: whole(from.xid, 'xid', 1, LAST_XID), gpu: place(from.gpu, 'gpu') };
    case 'kernel-line':
      return { what, forMs, text: line(from.text) };
    case 'event':
      return { what, forMs, kind: kindOf(from.kind), component: place(from.component, 'component') };
    case 'end':
      return { what, forMs };
  }
}

function wrong(text: string): ApiError {
  return new ApiError(400, 'FL3410', text);
}

function whole(value: unknown, key: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrong(`${key} must be a whole number from ${least} to ${most}`);
}

function line(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  if (text !== '' && text.length <= LONGEST_LINE && !/[\p{Cc}\p{Cs}]/u.test(text)) return text;
  throw wrong(`text must be one line of 1 to ${LONGEST_LINE} characters without control characters`);
}

function place(value: unknown, key: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^[\p{L}\p{N}\p{P}\p{S} ]{1,256}$/u.test(value)) return value;
  throw wrong(`${key} must be a text of 1 to ${LONGEST_COMPONENT} characters that can be printed`);
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'string' && isKind(value)) return value;
  throw wrong('kind must be a kind of docs/reference/kinds.md, for example gpu.lost; faultline inject list shows them');
}
