// Evidence list: what was seen, as it was written; nothing of it is markup, and what is very long is cut with its length given.

import type { Evidence } from '../../../model/event.ts';
import { plain } from '../../../model/plain.ts';
import { parseSeriesKey } from '../../../model/reading.ts';
import { alikePieces, readingLines } from '../evidence-groups.ts';
import { numberText } from '../quantity.ts';
import { sourceText } from '../source-text.ts';
import { clockText, dayText } from '../when.ts';
import { html, htmlLines } from './escape.ts';

/** Of one item, and of all. */
const LONGEST = 32_768;
const ALL = 600_000;
const VALUES = 12;
/** Items that need no click. */
const OPEN = 8;

/** Of pieces that differ in numbers alone the first is shown, the others are under it, closed; on paper all are open. */
export function evidenceList(evidence: readonly Evidence[], timeZone: string): string {
  if (evidence.length === 0) return '<p>None was kept.</p>';
  let room = ALL;
  let shown = 0;
  const itemOf = (item: Evidence): string => {
    if (room <= 0) return '';
    const text = textOf(item, timeZone);
    const taken = text.slice(0, Math.min(LONGEST, room));
    room -= taken.length;
    shown += 1;
    const cut =
      taken.length === text.length ? '' : `<p>${html(`Cut here: ${numberText(text.length)} characters in all.`)}</p>`;
    return `${html(headOf(item, timeZone))}<pre tabindex="0">${htmlLines(taken)}</pre>${cut}`;
  };
  const groups = alikePieces(evidence);
  // The first of each before what is alike: where there is too much, no kind of evidence is left out.
  const firsts = groups.map(([first]) => itemOf(first));
  const items = groups.flatMap(([, ...others], at) => {
    if (firsts[at] === '') return [];
    const more = others.map(itemOf).filter((item) => item !== '');
    const alike = more.length === 0 ? '' : `<ol>${more.map((item) => `<li>${item}</li>`).join('\n')}</ol>`;
    const folded = alike === '' ? '' : `<details><summary>${more.length} more alike</summary>${alike}</details>`;
    return [`<li>${firsts[at]}${folded}</li>`];
  });
  const left = evidence.length - shown;
  const [first, rest] = [items.slice(0, OPEN), items.slice(OPEN)];
  const further =
    rest.length === 0
      ? ''
      : `<details><summary>${rest.length} more</summary><ol start="${OPEN + 1}">${rest.join('\n')}</ol></details>`;
  return `<ol>${first.join('\n')}</ol>${further}${left === 0 ? '' : `<p>${left} more are in the document that --format json gives.</p>`}`;
}

function headOf(item: Evidence, timeZone: string): string {
  const source = sourceText(item.source);
  if ('text' in item) return `${source}, ${dayText(item.timeMs, timeZone)} ${clockText(item.timeMs, timeZone, true)}`;
  const { component, quantity } = parseSeriesKey(item.series);
  return `${source}: ${plain(quantity, 64)} of ${plain(component, 128)}`;
}

/** The text, or the readings around the change that they prove. */
export function textOf(item: Evidence, timeZone: string): string {
  return 'text' in item ? item.text : readingLines(item, timeZone, VALUES).join('\n');
}
