// Escape: text of others inside HTML and SVG; nothing of it can be markup, and what would mislead a reader is shown as an escape.

import { safeText } from '../../../model/safe-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** One line for an element or a quoted attribute: control characters and marks of direction are shown as `\x1b`, `\u{202e}`. */
export function html(text: string): string {
  return safeText(text.toWellFormed()).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The same with its ends of lines, for `<pre>`. */
export function htmlLines(text: string): string {
  return text.split('\n').map(html).join('\n');
}
