// Page: one HTML file that loads nothing, runs nothing and needs nothing: its policy allows its own style sheet alone.

import { createHash } from 'node:crypto';
import { html } from './escape.ts';
import { STYLE } from './style.ts';

export interface Section {
  /** Letters and hyphens: the anchor of the heading. */
  readonly id: string;
  readonly title: string;
  /** HTML. */
  readonly body: string;
}

export interface Page {
  /** Of the browser's tab. */
  readonly title: string;
  /** HTML of the head of the page; has the only `<h1>`. */
  readonly header: string;
  readonly sections: readonly Section[];
  /** HTML. */
  readonly footer: string;
  /** False where the head leads to each section already. */
  readonly links?: boolean;
}

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** No script, image, font, frame, form or address of any kind: a browser that reads it refuses them all. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

export function renderPage({ title, header, sections, footer, links: linked = true }: Page): string {
  const links = sections.map(({ id, title: name }) => `<li><a href="#${id}">${html(name)}</a></li>`);
  const bodies = sections.map(
    ({ id, title: name, body }) =>
      `<section aria-labelledby="${id}">\n<h2 id="${id}" tabindex="-1">${html(name)}</h2>\n${body}\n</section>`,
  );
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${html(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
${header}
</header>
${linked ? `<nav aria-label="Sections of this report"><ul>${links.join('')}</ul></nav>\n` : ''}<main id="main" tabindex="-1">
${bodies.join('\n')}
</main>
<footer>
${footer}
</footer>
</body>
</html>
`;
}

/** A part that may be wider than a phone: scrolls by itself, also by keyboard. */
export function wide(label: string, body: string): string {
  return `<div class="wide" role="region" tabindex="0" aria-label="${html(label)}">${body}</div>`;
}

/** Up to here a phone shows each row as a block; the labels that this takes would make a longer table too large. */
const MOST_BLOCKS = 1000;

/** Columns of a table and its rows, HTML each; the first cell of a row is its head. On a phone each cell has its column's name. */
export function table(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length > MOST_BLOCKS ? plainTable(caption, columns, rows) : blockTable(caption, columns, rows);
}

/** Roles keep it a table for screen readers where the style shows blocks. */
function blockTable(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((column) => `<th scope="col" role="columnheader">${html(column)}</th>`).join('');
  const body = rows.map(([first = '', ...cells]) => {
    const own = cells
      .map((cell, at) => `<td role="cell" data-l="${html(columns[at + 1] ?? '')}">${cell}</td>`)
      .join('');
    return `<tr role="row"><th scope="row" role="rowheader">${first}</th>${own}</tr>`;
  });
  return `<table class="blocks" role="table"><caption>${html(caption)}</caption><thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">\n${body.join('\n')}\n</tbody></table>`;
}

function plainTable(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((column) => `<th scope="col">${html(column)}</th>`).join('');
  const body = rows.map(
    ([first = '', ...cells]) =>
      `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  );
  return `<table><caption>${html(caption)}</caption><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`;
}

/** Labels and what they say. */
export function definitions(rows: readonly { readonly label: string; readonly text: string }[], code = false): string {
  const term = (label: string): string => (code ? `<code>${html(label)}</code>` : html(label));
  return `<dl>${rows.map(({ label, text }) => `<div><dt>${term(label)}</dt><dd>${html(text)}</dd></div>`).join('\n')}</dl>`;
}
