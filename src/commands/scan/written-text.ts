// Written text: whether lines are prose, markup, code or settings, which speak of faults without reporting one.

/** Levels, times and heads of loggers: what wrote the line is a program. */
const LOGGED =
  /\d\d:\d\d:\d\d|\b(?:ERROR|FATAL|CRITICAL|PANIC|EMERG)\b|level="?[a-z]{3,8}|"(?:level|severity)": ?"|\b[EF]\d{4} \d\d:|^\S{1,60}\[\d{1,9}\]: |^\[[^\]]{1,60}\]/;
const MARKUP =
  /^\s{0,12}(?:#{1,6} |[-*+] [A-Z`*[(]|\d{1,2}\. [A-Z`*]|> |```|\|[-: |]{3,}|<\/?[a-z][\w-]{0,20}[ >/]|\*\*|\.\. )|\]\((?:https?:|#|\.|[\w/-]{1,60}\.md)/;
const DIFF = /^(?:@@ .{1,60} @@|diff --git |index [0-9a-f]{7,12}\.\.|(?:\+\+\+|---) [ab]\/|[+-](?: {2,}|\t)\S)/;
const CODE =
  /[;{}]\s{0,4}$|^\s{0,40}[)\]}]{1,4}[;,]?$|=>|^\s{0,40}(?:import |from \S{1,80} import |def |class |return\b|elif |else:|try:|except |raise |throw |const |let |var |function |export |public |private |static |#include|#define|#ifdef|\/\/|\/\*|\* |"""|if ?\(|if \[|for ?\(|while ?\(|fi$|done$|esac$|@[a-z]\w{0,40}|<<|printf\(|print\(|logger\.|log\.|assert )/;
/** A key of a file of settings with a short value; those of a report begin with a capital, or say a state. */
const SETTING =
  /^\s{0,40}(?:- )?([a-z_][a-z0-9_.-]{0,60})(?::(?: |$)| ?= ?)(?!.{0,100}(?:[Ff]ail|[Ee]rror|annot|nable|[Dd]own|[Oo]ffline|DEGRADED|egraded|[Ll]ost|nhealthy|[Rr]efused|[Rr]eset))(?:\S{1,60} ?){0,6}$/;
/** What a program's help says of an option. */
const OPTION = /^\s{1,12}-{1,2}[A-Za-z][\w-]{0,40}(?:[ =,]|$)/;
const LITTLE =
  /^(?:the|a|an|of|is|are|was|were|be|been|that|which|and|or|to|it|its|by|in|for|on|as|at|with|from|this|these|so|not|no|what|where|when|who|has|have|does|if|you|your|we|they|but|than|then|one|each|all|any|can|will)[,.;:]?$/i;
const FEWEST_WORDS = 7;
const LITTLE_SHARE = 0.3;
const WRITTEN_SHARE = 0.4;
const FEWEST_LINES = 2;
const DIFFERENT_SHARE = 0.7;
const FENCE = /^\s{0,8}(?:```|<\/?pre>|<\/?code>|<\/?details>|<\/?summary>)/;

/** With a level, a time or a head of a logger. */
export function isLogged(line: string): boolean {
  return LOGGED.test(line) || /^#{1,6} \[/.test(line);
}

/** A sentence, or a part of one, that no program headed. */
export function isSentence(line: string): boolean {
  const parts = line.trim().split(/\s+/, 60);
  if (parts.length < FEWEST_WORDS || LOGGED.test(line)) return false;
  return parts.filter((part) => LITTLE.test(part)).length >= parts.length * LITTLE_SHARE;
}

/** An item of a list, a heading, a row's rule, a link: what a document has and no program headed. */
export function isMarkup(line: string): boolean {
  return !LOGGED.test(line) && MARKUP.test(line);
}

/** A line of code, of a difference between two versions of a file, or of markup. */
export function isMarkedUp(line: string): boolean {
  return !LOGGED.test(line) && (DIFF.test(line) || CODE.test(line) || MARKUP.test(line) || OPTION.test(line));
}

/** Most of the lines were written by people: a document, a program, its help, its settings. */
export function isWritten(lines: readonly string[]): boolean {
  const full = lines.filter((line) => line.trim() !== '' && !FENCE.test(line));
  const written = full.filter((line) => isMarkedUp(line) || isSentence(line));
  const set = full.flatMap((line) => (LOGGED.test(line) ? [] : (SETTING.exec(line)?.[1] ?? [])));
  // What many lines begin with is who wrote them.
  const settings = new Set(set).size >= set.length * DIFFERENT_SHARE ? set.length : 0;
  return written.length + settings >= Math.max(FEWEST_LINES, full.length * WRITTEN_SHARE);
}
