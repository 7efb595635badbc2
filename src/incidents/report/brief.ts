// Brief: the head of a report is read in half a minute, so a step that would make it longer ends where one that comes later begins, which is said behind it.

/** From `INCIDENT` to the end of whom to call: 25 s at four words a second. */
export const MOST_WORDS = 100;

export function wordsIn(text: string): number {
  return text.trim() === '' ? 0 : text.trim().split(/\s+/).length;
}

/** The text, or its first words and a sign that it continues. */
export function fewWords(text: string, most: number): string {
  const words = text.split(' ');
  return words.length <= most
    ? text
    : `${words
        .slice(0, most)
        .join(' ')
        .replace(OPEN_END, '')
        .replace(/[,;:.(]+$/, '')}…`;
}

/** What asks for a word behind it. */
const OPEN_END = /(?: (?:at|of|on|in|to|by|for|from|with|and|or|the|an?|its|their|which|that))+$/;

/** The text as two: what fits into so many words, and what comes after it, null where all fits or nothing later begins in it. `tight`: it may end behind any of its parts. */
export function cutAt(text: string, words: number, tight = false): readonly [now: string, later: string | null] {
  if (wordsIn(text) <= words) return [text, null];
  const places = beginnings(text, LATER);
  const fits = (at: number): boolean => wordsIn(text.slice(0, at)) <= words;
  const parts = tight ? beginnings(text, ANY_PART) : [];
  const place = places.findLast(fits) ?? parts.findLast(fits) ?? parts[0] ?? places[0];
  if (place === undefined) return [text, null];
  return [
    text.slice(0, place).replace(/[.;]$/, ''),
    lowered(
      text
        .slice(place)
        .trim()
        .replace(/^then /i, ''),
    ),
  ];
}

/** A new sentence, or a part of one that says itself when it is due: of anything else the condition may stand before it. */
const LATER = /(?<=\.) (?=[A-Z][a-z])|(?<=;) (?=(?:where|once) )|(?<=;) (?=then )/g;
/** What else may begin where there is no room. */
const ANY_PART = /(?<=[.;]) /g;
/** `where it is dead: …` holds to the end of its sentence; `where it is dead, …` up to the next part. */
const CONDITION = /\b(?:where|if)\b[^.:;]*:/i;
const PART = /(?:^|[;,] )(?:where|once|if|while) [^;]*;$/i;

function beginnings(text: string, form: RegExp): number[] {
  return [...text.matchAll(form)].flatMap(({ index }) => {
    const before = text.slice(0, index);
    if (isInside(before)) return [];
    if (before.endsWith('.') || text.startsWith(' where ', index)) return [index];
    const sentence = before.slice(before.lastIndexOf('. ') + 1).trim();
    const isHeld = CONDITION.test(sentence) || (text.startsWith(' then ', index) && PART.test(sentence));
    return isHeld ? [] : [index];
  });
}

/** Behind a bracket or quotation mark that is open still. */
function isInside(before: string): boolean {
  const opened = before.split('(').length > before.split(')').length;
  return opened || before.split('"').length % 2 === 0;
}

/** A row begins as every other. */
function lowered(text: string): string {
  return text.replace(
    /^(?:Where|Once|No|In|On|A|The|It|Then|See|Try|Keep|Load|Its|While|Until|Ask|Give|Let|Of)\b/,
    (word) => word.toLowerCase(),
  );
}

const STEM = 'ipmitool -I lanplus -H BMC -U USER -f PASSFILE';

/** The options by which a BMC is reached once: a second command of the same text has them from a variable of the shell. */
export function stemOnce(text: string): string {
  const [before = '', ...others] = text.split(STEM);
  if (others.length < 2) return text;
  return `${before}ipmi='${STEM}'; $ipmi${others.join('$ipmi')}`;
}
