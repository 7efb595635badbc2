// Which text format a scraper asked for, by its Accept header.

import type { Format } from './exposition.ts';

const MAX_HEADER = 1024;

/** OpenMetrics where it is asked for at least as much as plain text; plain text in every case of doubt. */
export function negotiate(accept: string | undefined): Format {
  if (accept === undefined || accept.length > MAX_HEADER) return 'text';
  let openMetrics = 0;
  let text = 0;
  for (const entry of accept.split(',')) {
    const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    const quality = qualityOf(parameters);
    if (type === 'application/openmetrics-text' && versionFits(parameters))
      openMetrics = Math.max(openMetrics, quality);
    if (type === 'text/plain') text = Math.max(text, quality);
  }
  return openMetrics > 0 && openMetrics >= text ? 'openmetrics' : 'text';
}

function qualityOf(parameters: readonly string[]): number {
  const written = parameters.find((parameter) => parameter.startsWith('q='));
  if (written === undefined) return 1;
  const quality = Number(written.slice(2));
  return quality >= 0 && quality <= 1 ? quality : 0;
}

function versionFits(parameters: readonly string[]): boolean {
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length);
  return version === undefined || version === '1.0.0' || version === '0.0.1';
}
