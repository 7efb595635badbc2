// Shown JSON: a document as it leaves this process for people and their tools; safe on a terminal, without secrets in URLs.

import { redactUrls } from './redact.ts';
import { safeJson } from './safe-text.ts';

/** Reads back as the same document but for what `redactUrls` takes out. `indent` as of JSON.stringify. */
export function shownJson(document: object, indent = 0): string {
  const json = JSON.stringify(document, null, indent);
  return safeJson(mayHoldUrl(json) ? JSON.stringify(document, redacted, indent) : json);
}

/** The same for one document that is JSON on one line already. */
export function shownJsonLine(json: string): string {
  return safeJson(mayHoldUrl(json) ? JSON.stringify(JSON.parse(json), redacted) : json);
}

/** Whether `redactUrls` may find something in it. */
export function mayHoldUrl(json: string): boolean {
  // What is rare is looked for first.
  return (json.includes('@') || json.includes('?')) && json.includes(':/');
}

function redacted(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? redactUrls(value) : value;
}
