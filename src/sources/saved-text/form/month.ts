// Month: the number behind a month's short name, in any language that a syslog daemon may write it in.

const ENGLISH = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LANGUAGES = [
  'de', 'de-AT', 'fr', 'es', 'it', 'pt', 'nl', 'da', 'nb', 'sv', 'fi', 'et', 'lv', 'lt', 'pl', 'cs', 'sk', 'sl', 'hr',
  'hu', 'ro', 'bg', 'uk', 'ru', 'el', 'tr', 'ca', 'eu', 'is', 'id',
] as const; // biome-ignore format: a list

let others: ReadonlyMap<string, number> | null = null;

/** 1 to 12; null where no language, or not one alone, has the name. */
export function monthOf(name: string): number | null {
  const plain = plainName(name);
  const english = ENGLISH.indexOf(plain);
  if (english >= 0) return english + 1;
  // The word for month in Chinese and Japanese, and in Korean.
  const numbered = /^(\d{1,2})[\u6708\uc6d4]$/.exec(name)?.[1];
  if (numbered !== undefined) return Number(numbered) <= 12 ? Number(numbered) : null;
  // Built when a log is not in English: Intl's tables are large.
  others ??= namesOfOthers();
  return others.get(plain) ?? null;
}

/** The C library cuts most names to three letters, Intl does not. */
function plainName(name: string): string {
  return name
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '');
}

function namesOfOthers(): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const clashes = new Set<string>();
  const add = (name: string, month: number): void => {
    if (name.length < 3) return;
    if ((names.get(name) ?? month) !== month) clashes.add(name);
    names.set(name, month);
  };
  for (const language of LANGUAGES) {
    for (const width of ['short', 'long'] as const) {
      const format = new Intl.DateTimeFormat(language, { month: width, day: 'numeric', timeZone: 'UTC' });
      for (let month = 1; month <= 12; month += 1) {
        const part = format.formatToParts(Date.UTC(2000, month - 1, 1)).find(({ type }) => type === 'month');
        const name = plainName(part?.value ?? '');
        for (const length of [3, 4, 5, name.length]) add(name.slice(0, length), month);
      }
    }
  }
  for (const name of clashes) names.delete(name);
  return names;
}
