// Printed lines: incidents that a list prints as the log has them, which need not be parsed for it.

import type { SignOfLife } from '../../incidents/log/alive.ts';
import type { OwnLine } from '../../incidents/log/drafts.ts';
import { headlineOf } from '../../incidents/log/whole-line.ts';
import type { NoteBook } from '../../incidents/notes/note-book.ts';
import { saidToDocument } from '../../model/documents/note.ts';
import type { Incident } from '../../model/incident.ts';
import { NOTHING_SAID } from '../../model/note.ts';
import { shownJson } from '../../model/shown-json.ts';
import { formatTime } from '../../model/time.ts';
import type { Filter } from './filter.ts';
import { type Row, rowOfLine } from './row.ts';
import { silentSinceMs } from './writer.ts';

/** Makes the rows of such incidents; null for another. Undefined where the filter asks for more than a line shows. */
export function printedLines(
  { passesHeadline }: Filter,
  book: () => NoteBook,
  sign: SignOfLife,
  nowMs: number,
): ((line: OwnLine) => Row | null) | undefined {
  if (passesHeadline === null) return undefined;
  const tailOf = (state: Incident['state']): string => {
    const silentMs = silentSinceMs(state, sign, nowMs);
    const asOf = silentMs === null ? {} : { as_of: formatTime(silentMs, 3) };
    return `,${shownJson({ ...asOf, ...saidToDocument(NOTHING_SAID) }).slice(1)}\n`;
  };
  const tails = { open: tailOf('open'), resolved: tailOf('resolved') };
  return (line) => {
    const headline = headlineOf(line.bytes);
    const { id, revision } = line.spot;
    if (headline?.id !== id || headline.revision !== revision || book().of(id) !== NOTHING_SAID) return null;
    return rowOfLine(headline, line, passesHeadline(headline, NOTHING_SAID) ? tails[headline.state] : null);
  };
}
