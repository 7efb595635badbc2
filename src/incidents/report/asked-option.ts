// Asked option: which option a program's error asks to be changed, and in which way; its words know best.

/** "Please try to increase --mem-fraction-static", "Try increasing `gpu_memory_utilization` or decreasing `max_model_len`", "You need to decrease `--max-batch-prefill-tokens`". */
const ASKED =
  /\b(?:(increas|rais)(?:e|ing)|(decreas|reduc)(?:e|ing)|(lower)(?:ing)?)\s{1,2}(?:the\s)?[`'"]?(--?[a-z][\w-]{2,48}|[a-z]{2,24}_[a-z_]{2,40})[`'"]?/gi;
const ASKS = /\b(?:try|please|consider|need to|should|must|you can|recommend)/i;
const MOST = 3;

/** "a higher --mem-fraction-static", one for each; null where the lines ask for nothing. Linear in them. */
export function askedOptions(lines: readonly string[]): string | null {
  const found = new Set<string>();
  for (const line of lines) {
    const begin = line.search(ASKS);
    if (begin < 0) continue;
    for (const [, more, , , option = ''] of line.slice(begin).matchAll(ASKED))
      found.add(`${more === undefined ? 'a lower' : 'a higher'} ${option}`);
  }
  return found.size === 0 ? null : [...found].slice(0, MOST).join(' or ');
}
