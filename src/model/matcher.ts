// Matcher: one condition on the labels of an incident, written as Alertmanager has it: kind="gpu.lost", job!~"test-.*".

/** A label may have several values, as an incident may hit several jobs. Without a value it is left out. */
export type Labels = Readonly<Record<string, readonly string[]>>;

const OPERATORS = ['=~', '!~', '!=', '='] as const;

export interface Matcher {
  readonly label: string;
  readonly operator: (typeof OPERATORS)[number];
  readonly value: string;
}

export const LONGEST_MATCHER = 256;
/** Of a pattern: more of them may make one look at a text last for seconds. */
const MOST_REPEATS = 3;
const MOST_INPUT = 256;
const FORM = /^\s*([a-z][a-z0-9_]{0,62})\s*(=~|!~|!=|=)\s*(?:"((?:[^"\\]|\\.)*)"|((?:[^\s"=~!][^\s"]*)?))\s*$/s;

/** The condition, or what is wrong with it. */
export function parseMatcher(text: string): Matcher | { readonly error: string } {
  if (text.length > LONGEST_MATCHER) return { error: `is longer than ${LONGEST_MATCHER} characters` };
  const found = FORM.exec(text);
  if (found === null) return { error: 'is not a condition. Write: kind="gpu.lost", or job=~"llama-.*"' };
  const [, label = '', operator = '=', quoted, bare = ''] = found;
  const value = quoted === undefined ? bare : quoted.replace(/\\(["\\])/g, '$1');
  const matcher = { label, operator: OPERATORS.find((each) => each === operator) ?? '=', value } as const;
  const error = operator.endsWith('~') ? patternTrouble(value) : null;
  return error === null ? matcher : { error };
}

/** `kind="gpu.lost"`. */
export function matcherText({ label, operator, value }: Matcher): string {
  return `${label}${operator}"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** All of them hold. Of a label with several values one has to fit; a negative condition must hold for each. */
export function matchesAll(matchers: readonly Matcher[], labels: Labels): boolean {
  return matchers.every((matcher) => matches(matcher, labels));
}

function matches({ label, operator, value }: Matcher, labels: Labels): boolean {
  const own = Object.hasOwn(labels, label) ? labels[label] : undefined;
  const values = own === undefined || own.length === 0 ? [''] : own;
  const fits = operator.endsWith('~') ? patternOf(value) : (text: string) => text === value;
  const found = values.some(fits);
  return operator.startsWith('!') ? !found : found;
}

/** Anchored on both sides, as in Prometheus. */
function patternOf(value: string): (text: string) => boolean {
  const pattern = new RegExp(`^(?:${value})$`, 'su');
  return (text) => pattern.test(text.slice(0, MOST_INPUT));
}

/** A pattern comes from whoever may use the socket: one that could take for ever is refused before it is used. */
function patternTrouble(value: string): string | null {
  const bare = value.replace(/\\./gs, '_').replace(/\[[^\]]*\]/g, '_');
  if (/\\[1-9k]/.test(value) || /\(\?(?!:)/.test(bare)) return 'may not look back or ahead in its pattern';
  if (/\)[*+?{]/.test(bare) || /\{/.test(bare))
    return 'may not repeat a group or count in its pattern. Write .* or [0-9]+';
  if ((bare.match(/[*+?]/g) ?? []).length > MOST_REPEATS)
    return `may have ${MOST_REPEATS} of * + and ? in its pattern. Write several conditions`;
  try {
    new RegExp(`^(?:${value})$`, 'su');
    return null;
  } catch {
    return 'has a pattern that is not a regular expression. Write: kind=~"gpu[.].*"';
  }
}
