// Contrast: what of a page is hard to read, by WCAG's ratio of 4.5, asked of the browser that shows it.

import type { Page } from 'playwright-core';

/** In the page: each text's own colour against the nearest background behind it. */
const UNREADABLE = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const linear = (value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const light = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) + 0.05;
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== '');
    if (!own || /^(?:title|desc|style)$/i.test(element.tagName)) continue;
    const style = getComputedStyle(element);
    const [a, b] = [channels(element instanceof SVGElement ? style.fill : style.color), behind(element)].map(light);
    if (Math.max(a, b) / Math.min(a, b) < 4.5) found.push(element.textContent.trim().slice(0, 40));
  }
  return found;
})()`;

export async function unreadable(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(UNREADABLE);
}
