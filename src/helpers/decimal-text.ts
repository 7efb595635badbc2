// Decimal text: numbers with thousands apart, as `Intl` writes them in English, whose tables would take 8 MiB and 70 ms of the daemon's thread.

export interface Digits {
  /** Digits behind the point at most; or the digits of all that say something. */
  readonly most: number | { readonly significant: number };
  /** Digits behind the point at least. */
  readonly least?: number;
}

/** `1,980`, `0.42`, `-7.5`: halves are rounded away from nothing, by the shortest text that is the number. Below 1e15, finite. */
export function decimalText(value: number, { most, least = 0 }: Digits): string {
  const [mantissa = '0', power = '0'] = Math.abs(value).toExponential().split('e');
  const whole = Number(power) + 1;
  const kept = typeof most === 'number' ? whole + most : most.significant;
  const { digits, carried } = rounded(mantissa.replace('.', ''), kept);
  const point = whole + carried;
  const all = point > 0 ? digits.padEnd(point, '0') : `${'0'.repeat(1 - point)}${digits}`;
  const at = Math.max(point, 1);
  const fraction = all.slice(at).replace(/0+$/, '').padEnd(least, '0');
  const text = `${grouped(all.slice(0, at))}${fraction === '' ? '' : `.${fraction}`}`;
  return value < 0 ? `-${text}` : text;
}

/** The first `kept` digits, and whether rounding made one more before them. */
function rounded(digits: string, kept: number): { digits: string; carried: number } {
  if (kept >= digits.length) return { digits, carried: 0 };
  if (kept < 0) return { digits: '0', carried: 0 };
  const up = digits.charCodeAt(kept) >= 0x35; // '5'
  const first = String(Number(digits.slice(0, kept)) + (up ? 1 : 0)).padStart(kept, '0');
  return { digits: first, carried: first.length - kept };
}

function grouped(whole: string): string {
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
}
