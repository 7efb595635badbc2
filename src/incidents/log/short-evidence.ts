// Short evidence: what was seen, cut where it alone would make a line of the log longer than a screen, whoever sent it.

import type { EvidenceDocument } from '../../model/documents/evidence.ts';
import { jsonLine } from './json-line.ts';

/** Bytes of one piece as JSON; what a line of 4 KiB has around it takes less than what is left. */
const MOST_BYTES = 3584;
/** Of these for the names of who wrote it and of where it was. */
const MOST_SOURCE = 256;
const MOST_PLACE = 1024;
/** A character of UTF-16 takes no more as JSON, as `\u202e`. */
const WIDEST = 6;
const CUT = '...';

/** The same list where all of it is short enough; texts that are longer end in an ellipsis. Readings stay as they are. */
export function shortEvidence(evidence: readonly EvidenceDocument[]): readonly EvidenceDocument[] {
  return evidence.every((seen) => short(seen) === seen) ? evidence : evidence.map(short);
}

function short(seen: EvidenceDocument): EvidenceDocument {
  if (!('text' in seen)) return seen;
  const { source, text, place } = seen;
  if ((source.length + text.length + (place?.length ?? 0)) * WIDEST <= MOST_BYTES - 100) return seen;
  if (bytesOf(seen) <= MOST_BYTES) return seen;
  const names = {
    source: cut(source, MOST_SOURCE),
    ...(place === undefined ? {} : { place: cut(place, MOST_PLACE) }),
  };
  const around = bytesOf({ ...seen, ...names, text: '' });
  return { ...seen, ...names, text: cut(text, MOST_BYTES - around) };
}

const bytesOf = (value: object): number => Buffer.byteLength(jsonLine(value));
/** Without its quotation marks. */
const bytesOfText = (text: string): number => bytesOf([text]) - 4;

/** The longest beginning of the text that takes no more than `most` bytes as JSON with the ellipsis. */
function cut(text: string, most: number): string {
  const head = text.slice(0, most + 1);
  if (head === text && bytesOfText(text) <= most) return text;
  let low = 0;
  let high = head.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (bytesOfText(head.slice(0, middle)) + CUT.length <= most) low = middle;
    else high = middle - 1;
  }
  const last = head.charCodeAt(low - 1);
  const half = last >= 0xd800 && last < 0xdc00; // of a character of two
  return head.slice(0, half ? low - 1 : low) + CUT;
}
