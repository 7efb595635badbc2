// Evidence: the line that was seen, verbatim but bounded and safe to print.

import type { Evidence } from '../../model/event.ts';
import type { TextRecord } from '../../model/record.ts';

/** The kernel's own limit for one record is about this (LOG_LINE_MAX, printk); longer lines are cut. */
const EVIDENCE_BYTES = 2048;

/** Control characters become `\xNN`, so that a terminal or log never obeys them; cut to 2 KiB of UTF-8. */
export function evidenceText(text: string): string {
  let escaped = '';
  const end = Math.min(text.length, EVIDENCE_BYTES);
  let from = 0;
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 && (code < 0x7f || code > 0x9f)) continue;
    escaped += `${text.slice(from, at)}\\x${code.toString(16).padStart(2, '0')}`;
    from = at + 1;
  }
  escaped += text.slice(from, end);
  const bytes = Buffer.from(escaped);
  if (bytes.length <= EVIDENCE_BYTES) return escaped;
  let cut = EVIDENCE_BYTES;
  while (cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1; // not inside a character
  return bytes.toString('utf8', 0, cut);
}

export function recordTime(record: TextRecord): number {
  return record.timeMs ?? record.observedMs;
}

export function lineEvidence(record: TextRecord): Evidence {
  return { source: record.source, timeMs: recordTime(record), text: evidenceText(record.text) };
}
