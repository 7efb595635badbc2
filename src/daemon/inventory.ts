// Inventory of the running daemon: its parts as a document, and the word of an operator that one was taken out on purpose.

import { ApiError } from '../api/api-error.ts';
import type { Caller } from '../api/caller.ts';
import { isPartType, type KnownPart } from '../identity/parts/part.ts';
import type { PartMemory } from '../identity/parts/part-memory.ts';
import { formatTime } from '../model/time.ts';
import type { Parts } from './parts.ts';

interface InventoryParts {
  readonly identity: Pick<Parts['identity'], 'parts'>;
  readonly logger: { info(fields: object, text: string): void };
}

const LONGEST_NAME = 256;

/** In the form that operators write it: type and slot. */
function nameOf({ type, slot }: KnownPart): string {
  return `${type}/${slot}`;
}

function partDocument(part: KnownPart): object {
  const { type, slot, serial, model, firstSeenMs, missingSinceMs } = part;
  const missing_since = missingSinceMs === null ? null : formatTime(missingSinceMs, 3);
  return { part: nameOf(part), type, slot, serial, model, first_seen: formatTime(firstSeenMs, 3), missing_since };
}

export function inventoryDocument(parts: PartMemory): object {
  return { parts: parts.all().map(partDocument) };
}

/** `{accept: "gpu/0000:9b:00.0"}`. */
export function acceptPart({ identity, logger }: InventoryParts, body: unknown, caller: Caller | null): object {
  const given = typeof body === 'object' && body !== null && 'accept' in body ? body.accept : undefined;
  const text = typeof given === 'string' ? given.slice(0, LONGEST_NAME) : '';
  const slash = text.indexOf('/');
  const type = text.slice(0, Math.max(0, slash));
  const part = isPartType(type) ? identity.parts.accept(type, text.slice(slash + 1)) : null;
  if (part === null) {
    const missing = identity.parts.all().filter(({ missingSinceMs }) => missingSinceMs !== null);
    const names = missing.length === 0 ? 'none is' : missing.map(nameOf).join(', ');
    throw new ApiError(404, 'FL3408', `${JSON.stringify(text)} is not missing. Missing: ${names}`);
  }
  logger.info({ part: nameOf(part), serial: part.serial, uid: caller?.uid ?? null }, 'a part is expected no more');
  return partDocument(part);
}
