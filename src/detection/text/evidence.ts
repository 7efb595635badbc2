// Evidence: the line that was seen, verbatim but bounded and safe to print.

import type { Evidence } from '../../model/event.ts';
import type { TextRecord } from '../../model/record.ts';
import { redactUrls } from '../../model/redact.ts';
import { safeText } from '../../model/safe-text.ts';

/** The kernel's own limit for one record is about this (LOG_LINE_MAX, printk); longer lines are cut. */
const EVIDENCE_BYTES = 2048;
/** A message that a logger wrote as one value of JSON may have several lines. */
const ENDS = /[\t ]*[\r\n]+[\t\r\n ]*/g;
/** In ASCII: as many bytes as signs. */
const CUT = '...';

/** What a terminal would obey, hide or reorder becomes an escape, secrets in URLs are taken out, lines are joined; cut to 2 KiB of UTF-8, with an ellipsis. */
export function evidenceText(text: string): string {
  const escaped = safeText(redactUrls(text.slice(0, EVIDENCE_BYTES)).replace(ENDS, ' '));
  const bytes = Buffer.from(escaped);
  if (bytes.length <= EVIDENCE_BYTES && text.length <= EVIDENCE_BYTES) return escaped;
  let cut = Math.min(bytes.length, EVIDENCE_BYTES - CUT.length);
  while (cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1; // not inside a character
  return bytes.toString('utf8', 0, cut) + CUT;
}

export function recordTime(record: TextRecord): number {
  return record.timeMs ?? record.observedMs;
}

export function lineEvidence(record: TextRecord): Evidence {
  const { place, writer } = record;
  const text = evidenceText(record.quote ?? record.text);
  const source = writer ?? record.source;
  return { source, timeMs: recordTime(record), text, ...(place === undefined ? {} : { place: evidenceText(place) }) };
}
