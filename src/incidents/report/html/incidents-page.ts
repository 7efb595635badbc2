// Incidents page: all that a scan found as one HTML file, the gravest first, with a list of them at the head that leads to each.

import { plain } from '../../../model/plain.ts';
import { badgesOf, headOf } from '../head.ts';
import type { ReportInput } from '../report-input.ts';
import { shortId } from '../sentences.ts';
import { headlineOf, hostOf } from '../summary.ts';
import { clockText, dayText } from '../when.ts';
import { html } from './escape.ts';
import { badgeList, sectionsOf } from './incident-page.ts';
import { renderPage, type Section } from './page.ts';

/** Drawings and tables of more would make a file that a browser is slow with; the others have what they did and what to do. */
const DRAWN = 60;

export interface SeveralInput {
  /** `3 incidents, the gravest first: act on 6f3581 before the others`. */
  readonly title: string;
  /** What was scanned. */
  readonly of: string;
  /** In the order in which they are shown. */
  readonly incidents: readonly ReportInput[];
  /** What else is said of what was read, a paragraph each. */
  readonly notes: readonly string[];
}

/** The whole file. */
export function renderIncidentsPage({ title, of, incidents, notes }: SeveralInput): string {
  const rows = incidents.map((input) => `<li>${contents(input)}</li>`);
  const list = rows.length === 0 ? '' : `\n<ol class="contents">${rows.join('\n')}</ol>`;
  return renderPage({
    title: plain(title, 200),
    header: `<p class="brand">${html(plain(of, 400))}</p>\n<h1>${html(title)}</h1>${notes.map((note) => `\n<p>${html(plain(note, 1000))}</p>`).join('')}${list}`,
    sections: incidents.map(sectionOf),
    footer: `<p>${html('One file: nothing is loaded and nothing runs.')}</p>`,
    links: false,
  });
}

function anchorOf({ incident: { id } }: ReportInput): string {
  return `i-${shortId(id).replace(/\W/g, '')}`;
}

function whenOf({ incident, timeZone }: ReportInput): string {
  return `${dayText(incident.openedMs, timeZone)} ${clockText(incident.openedMs, timeZone)} ${timeZone}`;
}

/** What broke, and what to do about it: enough to choose by. */
function contents(input: ReportInput): string {
  const [severity = ''] = badgesOf(input);
  const head = html(`${headlineOf(input)}`);
  return `<a href="#${anchorOf(input)}">${head}</a> <span class="soft">${html(`${shortId(input.incident.id)}, ${severity}, ${whenOf(input)}`)}</span><br>${html(`Do: ${headOf(input).does}`)}`;
}

function sectionOf(input: ReportInput, at: number): Section {
  const id = anchorOf(input);
  const parts = sectionsOf(input).slice(0, at < DRAWN ? undefined : 1);
  const bodies = parts.map(
    (part) => `<h3 id="${part.id}">${html(part.title)}</h3>\n${part.body.replaceAll(/<(\/?)h3/g, '<$1h4')}`,
  );
  const head = `<p class="brand">${html(`INCIDENT ${shortId(input.incident.id)} on ${hostOf(input)}, ${whenOf(input)}`)}</p>\n${badgeList(input)}`;
  return { id, title: headlineOf(input), body: `${head}\n${withIds(bodies.join('\n'), id)}` };
}

/** Of several drawings of one kind each has its ids; text of others has no quotation mark that is not escaped. */
function withIds(body: string, id: string): string {
  return body
    .replace(/ id="([\w-]+)"/g, (_, own: string) => ` id="${id}-${own}"`)
    .replace(/ aria-labelledby="([\w -]+)"/g, (_, ids: string) => ` aria-labelledby="${ids.split(' ').map((own) => `${id}-${own}`).join(' ')}"`); // biome-ignore format: one rule
}
