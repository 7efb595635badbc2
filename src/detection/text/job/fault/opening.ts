// Opening: whether words of a fault are a message of their own, or are quoted, searched for, or warned of by another one.

/** No prefix of launchers and loggers is longer; what is further behind in a line is part of a message. */
const MAX_HEAD = 400;
/** A level, a task, a time: so many parts at most. */
const MOST_PARTS = 24;

/** "[rank9]:", "[PG ID 0 PG GUID 0(default_pg) Rank 5]", "[launch.py:325:sigkill_handler]", "(raylet)", "<stderr>". */
const BRACKETS = /\[[^[\]"`\n]{0,200}\]:?|\((?:[^()"`\n]{0,120})\):?|<[\w:-]{1,40}>:?/g;
/** A line of a comment, a list, a shell that shows its commands, or a mail. */
const QUOTING = /^\s{0,64}(?:#|\/\/|>|\+{1,4} |\$ |\* )/;
/** What a watchdog, and C++'s runtime, put before the words of the error that they pass on. */
const PASSED_ON =
  /(?:\b(?:Process group|NCCL|RCCL|XCCL|HCCL|Gloo) watchdog thread (?:is )?terminated with exception: |\bterminate called after throwing an instance of '[\w:]{1,80}'|\bwhat\(\):)/g;
/** A function as C++ names it in full, and its line: "int post(request_t*, uint16_t):46 ", "static void a::b(int):7 ". */
const FUNCTION =
  /(?<!\S)(?:[A-Za-z_]\w{0,40}(?:::\w{1,40}){0,6}[*&]{0,2} ){1,4}[*&]{0,2}[\w:~]{1,120}\([^()"`\n]{0,300}\):\d{1,6} /g;
/** Docker's own file of a container: `{"log":"` and then the line. */
const WRAPPED = /^\{"log":"/;
/** Words that a program puts before what happens only in some case, or happened at another time. */
const SPOKEN_OF =
  /\b(?:if|when|whenever|unless|until|previous(?:ly)?|last (?:run|attempt|job|time)|earlier|such as|e\.g|for example|avoid(?:s|ed|ing)?|prevents?|hint|note|tip|see|docs?|faq|fixe[sd]|expect(?:s|ed|ing)?|simulat(?:e|es|ed|ing)|inject(?:s|ed|ing)?|ignor(?:e|es|ed|ing)|in case|known issues?|troubleshooting|search(?:es|ing)?|grep|patterns?|look(?:s|ing)? for|watch(?:es|ing)? for|checks? for|scan(?:s|ning)?|would|could be|may be|might be|checks? that|that|which|whose|how to|why)\b/i;
/** A word of a sentence: letters alone, and no name before a colon. */
const PROSE = /^[a-z]{2,}[,.;?!]?$/i;
/** What launchers count, and the levels of loggers. */
const LABEL =
  /^(?:rank|pid|node|worker|host|task|gpu|stdout|stderr|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL|NCCL|what|terminate)$/;
/** A message's clause ends so; what follows is the error that it speaks of. */
const CLAUSE =
  /(?:[:;\])>,]|\s-|\s–|\bdue to|\bbecause of|\bwith|\bby) {0,2}$|(?:message|msg|error|err|reason)['"]?\s?[:=]\s?['"]$/;

/** Only what loggers and launchers print is before the words. */
export function beginsMessage(text: string, at: number): boolean {
  if (at === 0) return true;
  if (at > MAX_HEAD || QUOTING.test(text)) return false;
  const head = text.slice(0, at).replace(WRAPPED, '').replace(PASSED_ON, '').replace(FUNCTION, ' ');
  if (SPOKEN_OF.test(head) || /["`]/.test(head)) return false;
  const parts = head.replace(BRACKETS, ' ').split(/\s+/);
  return parts.length <= MOST_PARTS && parts.every((part, i) => isLabel(part, parts[i - 1], parts[i + 1]));
}

function isLabel(part: string, before: string | undefined, after: string | undefined): boolean {
  if (!PROSE.test(part) || LABEL.test(part)) return !/^['#>]/.test(part);
  // "… - root - INFO - ": the name of a logger.
  return isDash(before) && isDash(after);
}

function isDash(part: string | undefined): boolean {
  return part === '-' || part === '|' || part === ':';
}

/** What is before the words of a whole line, its level and who wrote it, speaks of them, or quotes them. */
export function isSpokenOf(text: string, at: number): boolean {
  return QUOTING.test(text) || SPOKEN_OF.test(text.slice(Math.max(0, at - MAX_HEAD), at));
}

/** They are the error that a message gives for its own failure: "could not save: …". */
export function endsClause(text: string, at: number): boolean {
  if (at === 0) return true;
  const head = text.slice(0, at);
  if (QUOTING.test(text) || SPOKEN_OF.test(head.slice(-MAX_HEAD))) return false;
  return CLAUSE.test(head) ? !isWithin(head) : beginsMessage(text, at);
}

/** Quotation marks or backticks are open before the words, and are not those of a field of a record. */
function isWithin(head: string): boolean {
  const own = head.replace(/(?:message|msg|error|err|reason)['"]?\s?[:=]\s?['"]/, '');
  return count(own, '`') % 2 === 1 || count(own, '"') % 2 === 1;
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1;
}
