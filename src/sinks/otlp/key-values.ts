// Lists of name=value,name=value with percent encoding, as OpenTelemetry's variables hold headers and attributes.

const MOST = 64;

/**
 * The pairs in order; null when an entry has no "=", no name, broken percent encoding or a control character, or there
 * are more than 64. Form: the baggage list of the OpenTelemetry specification, without its ";" properties.
 */
export function parseKeyValues(text: string): Record<string, string> | null {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  if (entries.length > MOST) return null;
  const pairs: [string, string][] = [];
  for (const entry of entries) {
    const equals = entry.indexOf('=');
    const name = decoded(entry.slice(0, Math.max(equals, 0)));
    const value = decoded(entry.slice(equals + 1));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they would split a header
    if (name === null || value === null || name === '' || /[\0-\x1f\x7f]/.test(name + value)) return null;
    pairs.push([name, value]);
  }
  return Object.fromEntries(pairs);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return null;
  }
}
