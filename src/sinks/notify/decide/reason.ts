// Reason: what changed about an incident since a channel heard of it, in a few words.

import type { Sent } from './sent-book.ts';
import { kindTitle, type View } from './view.ts';

export function changeText(view: View, before: Sent): string {
  if (view.severity !== before.severity) return `${before.severity} → ${view.severity}`;
  if (view.kind !== before.kind) return `another cause than ${kindTitle(before.kind)}`;
  return 'more is known';
}
