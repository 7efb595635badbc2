// ASCII: what stands for each sign of ours where the terminal's locale shows none but ASCII.

type Environment = Readonly<Record<string, string | undefined>>;

/** Same meaning first, same width where that is to be had. */
const SIGNS: Readonly<Record<string, string>> = {
  '→': '->',
  '←': '<-',
  '▲': '^',
  '▼': 'v',
  '·': '|',
  '•': '*',
  '×': 'x',
  '≈': '~',
  '±': '+-',
  '≥': '>=',
  '≤': '<=',
  '≠': '!=',
  '−': '-',
  '–': '-',
  '—': '-',
  '°': ' deg ',
  '²': '^2',
  '³': '^3',
  µ: 'u',
  μ: 'u',
  Ω: 'Ohm',
  '∞': 'inf',
  '✓': 'ok',
  '✗': 'x',
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '÷': '/',
  '√': 'sqrt',
  '─': '-',
  '━': '=',
  '╸': '-',
  '╺': '-',
  '▏': '|',
  '│': '|',
  '█': '#',
  '░': '.',
  '\u00a0': ' ',
  '\u202f': ' ',
  ß: 'ss',
};

/** By locale(7): the first of LC_ALL, LC_CTYPE and LANG that says something; nothing said is the C locale. */
export function showsUnicode({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

/** The text in ASCII: our signs by their table, letters without their accents, all else as `\u{…}`. */
export function toAscii(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text;
  return text
    .replaceAll('°C', 'C')
    .replaceAll(/(?<=\d)…(?=\d)/g, '-')
    .replaceAll(' … ', ' - ')
    .replaceAll('…', '...')
    .replaceAll(/\P{ASCII}/gu, ascii);
}

function ascii(sign: string): string {
  const known = SIGNS[sign];
  if (known !== undefined) return known;
  const letters = sign.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return /^[\x20-\x7e]+$/.test(letters) ? letters : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}
