// Words: text of others inside Markdown; nothing of it is a heading, link, picture, mention or HTML.

import { safeText } from '../../../model/safe-text.ts';
import { piecesOf } from '../shell-commands.ts';

const SIGNS = /[\\`*_{}[\]<>|~^$]/g;
/** What begins a block when it begins a line; a cell or an item may begin with it. */
const STARTS = /^(\s*)(#|[+=-](?=[\s+=-]|$)|\d+[.)](?=\s|$))/;
/** What sites link by themselves: mentions, numbers of issues, addresses. In a code span they stay text. */
const LINKED = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.|@|#\d)[^\s`]*/gi;

/** One line. */
export function words(text: string): string {
  const safe = safeText(text.toWellFormed().replace(/\s+/g, ' '));
  let made = '';
  let end = 0;
  for (const match of safe.matchAll(LINKED)) {
    made += escaped(safe.slice(end, match.index)) + code(match[0]);
    end = match.index + match[0].length;
  }
  return (made + escaped(safe.slice(end))).replace(STARTS, (_, space: string, sign: string) => {
    return `${space}${sign.slice(0, -1)}\\${sign.slice(-1)}`;
  });
}

function escaped(text: string): string {
  return text
    .replace(SIGNS, (sign) => (sign === '<' ? '&lt;' : sign === '>' ? '&gt;' : `\\${sign}`))
    .replaceAll('&#', '&amp;#');
}

/** In a code span, on one line; a bar would end a cell of a table even there. */
export function code(text: string): string {
  return span(safeText(text.toWellFormed().replace(/\s+/g, ' ')).replaceAll('|', '\\|'));
}

/** A sentence outside tables, its commands in code spans: copied from the source or the page, a shell takes them as they are. */
export function sentence(text: string): string {
  return piecesOf(safeText(text.toWellFormed().replace(/\s+/g, ' ')))
    .map((piece) => (piece.isCommand ? span(piece.text) : words(piece.text)))
    .join('');
}

function span(safe: string): string {
  const fence = '`'.repeat(longestRun(safe) + 1);
  const room = safe.startsWith('`') || safe.endsWith('`') ? ' ' : '';
  return `${fence}${room}${safe}${room}${fence}`;
}

/** A block that ends only where it should, whatever is in it. */
export function block(text: string): string {
  const safe = text.toWellFormed().split('\n').map(safeText).join('\n');
  const fence = '`'.repeat(Math.max(longestRun(safe) + 1, 3));
  return `${fence}text\n${safe}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
