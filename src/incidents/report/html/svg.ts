// SVG: numbers short enough for a page with many, and pictures that a screen reader can say.

import { html } from './escape.ts';

/** To a tenth of a unit. */
export function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

export interface PictureText {
  /** Unique on the page: letters, digits, hyphens. */
  readonly id: string;
  readonly title: string;
  /** What the picture shows, in words. */
  readonly words: string;
}

export function svg(
  kind: string,
  width: number,
  height: number,
  { id, title, words }: PictureText,
  body: string,
): string {
  return `<svg class="${kind}" viewBox="0 0 ${at(width)} ${at(height)}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${html(title)}</title><desc id="${id}-d">${html(words)}</desc>${body}</svg>`;
}

export function text(x: number, y: number, words: string, kind = ''): string {
  return `<text x="${at(x)}" y="${at(y)}"${kind === '' ? '' : ` class="${kind}"`}>${html(words)}</text>`;
}

/** About how many characters of 13 px fit; bold ones are wider. */
export function fitting(width: number, isBold = false): number {
  return Math.max(Math.floor(width / (isBold ? 7.5 : 6.9)), 4);
}

export function cut(words: string, longest: number): string {
  return words.length <= longest ? words : `${words.slice(0, longest - 1).trimEnd()}…`;
}
