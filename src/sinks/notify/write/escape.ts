// Escape: what text of others becomes where it is put into a channel's markup. Whatever an incident quotes, it is shown and not obeyed.

/** Controls that a terminal or a client may obey, and marks that turn writing around; line ends stay. */
const UNSEEN = /[^\P{C}\n]/gu;

const plain = (text: string): string => text.replace(UNSEEN, '').toWellFormed();

/** A client that makes a mention of @name finds none: a character without width is behind the sign. */
const mentions = (text: string): string =>
  plain(text)
    .replace(/@(?=[\p{L}\p{N}_])/gu, '@\u2060')
    .replace(/(^|\s)\/(?=[a-z])/g, '$1/\u2060');

/** https://docs.slack.dev/messaging/formatting-message-text/#escaping: with these three no mention, link or date is left. */
const slack = (text: string): string =>
  mentions(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const html = (text: string): string =>
  plain(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');

export const ESCAPES = { plain, mentions, slack, html } as const;
export type EscapeName = keyof typeof ESCAPES;

/** At most this many bytes of UTF-8, no character cut in two. */
export function cutBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const cut = Buffer.from(text)
    .subarray(0, most - 3)
    .toString();
  return `${cut.replace(/\uFFFD+$/, '')}…`;
}
