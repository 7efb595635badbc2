// Guide text: a document that says what to do when a fault shows, such as a runbook, a page of a wiki or a mail to all users. Its lines of
// faults are samples; those that a person pasted into an issue, with words around them, are of a host that has the fault.

import { readLine } from '../../sources/saved-text/form/read-line.ts';
import { isLogged, isMarkup, isSentence } from './written-text.ts';

/** So much shows what a text is. */
const MOST_LINES = 1200;
const LONGEST_LINE = 1024;
/** Markdown, AsciiDoc, MediaWiki, Jira, a line in bold, HTML. A shell's prompt of root and a comment begin a small word behind "# ". */
const HEADING =
  /^(?:#{1,6} {1,3}(?=[^a-z\s])|#{2,6} {1,3}\S|={1,6} \S.{0,120}|h[1-6]\. \S|\*\*[A-Z].{0,80}\*\*:?\s*$|.{0,40}<h[1-6][ >])/;
const LONGEST_HEADING = 120;
/** Below a line of text: reStructuredText and Markdown. */
const UNDERLINE = /^(?:={4,120}|-{4,120}|~{4,120}|\^{4,120})\s*$/;
const TITLE = /^[A-Z0-9][^|{}]{2,100}$/;
const MAIL = /^(?:Subject|Betreff): \S/;
const NAME_OF_GUIDE =
  /(?:^|[/!_.-])(?:run-?books?|play-?books?|how-?to|faq|guides?|troubleshooting|wiki|kb|docs?|sop|handbook|manual|readme)(?:[/!_.-]|$)/i;
const DOCUMENT = /\.(?:md|markdown|mdx|rst|adoc|asciidoc|html?|org|wiki|textile|txt|eml)$/i;
/** Tools write reports into texts of any name. */
const MARKED_UP = /\.(?:md|markdown|mdx|rst|adoc|asciidoc|html?|org|wiki|textile)$/i;
const SAYS_GUIDE =
  /\b(?:run-?books?|play-?books?|how[ -]to|guides?|guidelines?|troubleshooting|FAQ|cheat ?sheet|handbook|knowledge base|SOP|standard operating|procedures?|reference|what to do|known (?:issues|errors)|error codes?|error messages|tutorial)\b/i;
/** An introduction of samples. */
const SUCH_AS =
  /\b(?:(?:see|look|watch|grep|search) (?:in \S{1,40} )?for (?:lines?|messages?|one of|the following|any of)|(?:looks?|reads?) (?:something )?like (?:this|these|one of)|(?:examples?|samples?) (?:of |log |output |lines?|messages?)|for example:?\s*$|the following (?:lines|messages|errors) (?:mean|show|indicate))/i;
/** Of what may come, not of what came. */
const ONCE_SEEN =
  /\b(?:when(?:ever)?|if|in case|once|should) (?:(?:you|users?|a (?:user|node|host|job|gpu)|nodes|jobs) (?:ever )?(?:sees?|gets?|finds?|hits?|encounters?|notices?|shows?|logs?|prints?) (?:this|these|those|one of|any of|the following|such|something like|a line|lines|messages?|an? \S{0,20} ?(?:xid|error|message)|[`"'])|one of these|these (?:lines|messages|errors)|this (?:line|message|error) )/i;
/** Questions of a template, and reports on what happened. */
const ISSUE =
  /\b(?:describe the (?:bug|issue|problem)|bug (?:description|report)|(?:expected|actual|current) (?:behaviou?r|results?)|(?:steps )?to reproduce|reproduction|relevant log|log output|(?:your|my) (?:environment|setup|question)|environment info|system info|collect_env|what happened|what did you|anything else|additional context|minimal (?:code|example)|versions?:?$)/i;
const REPORT = /\b(?:incident|post-?mortem|outage|ticket|root cause|timeline|rca|bug|issue|case #?\d|what we saw)\b/i;
const OWN = /\b(?:I|I'm|I've|I'd)\b|\b(?:[Ww]e|[Oo]ur|[Mm]y|[Uu]s)\b/;
/** A chapter of a book or a manual: the log of one fault has less text around it. */
const CHAPTER = { headings: 4, written: 40, times: 2 };
/** Words of a guide count where there is so much text around its samples. */
const SHARE = 1 / 4;
const RULED = /^\s{0,8}\|(?:[ :]?-{2,40}:? ?\|)+\s*$/;
const ROW = /^\s{0,8}\|.*\|\s*$/;
const OPENS =
  /^\s{0,8}(?:(`{3,}|~{3,})|(\{(?:code|noformat)(?:[:|][^}]{0,60})?\})|.{0,200}<(pre|syntaxhighlight|source)[ >](?!.{0,400}<\/\3>)|#\+(begin_(?:src|example))\b|(-{4,}|\.{4,})\s*$)/i;

interface Seen {
  headings: number;
  /** Lines of people below headings: sentences, items of lists, rows of tables. */
  written: number;
  /** All others that are not empty. */
  samples: number;
  /** Of these, with a time. */
  stamped: number;
  isTitled: boolean;
  isIssue: boolean;
  isReport: boolean;
  isOwn: boolean;
  saysSuch: boolean;
  saysOnce: boolean;
}

/** Whether nothing in it is of a host that is broken. `name`: its path, with that of a member behind an exclamation mark. */
export function isGuide(name: string, head: string): boolean {
  const seen = seenIn(head.split('\n', MOST_LINES));
  const { headings, written, samples, stamped, isTitled, isIssue, isReport, isOwn, saysSuch, saysOnce } = seen;
  if (written < 1 || isIssue) return false;
  const isNamed = MARKED_UP.test(name) && NAME_OF_GUIDE.test(name.split(/[/!]/).slice(-2).join('/'));
  const isChapter = headings >= CHAPTER.headings && written >= CHAPTER.written && written >= CHAPTER.times * samples;
  if (headings > 0 && (isNamed || isChapter)) return true;
  const isAround = written >= samples * SHARE;
  if (headings > 0 && isAround && (isTitled || saysOnce)) return true;
  if (stamped > 0 || isReport || isOwn) return false;
  return isAround && ((saysOnce && DOCUMENT.test(name)) || (headings > 0 && (saysSuch || written > samples)));
}

function seenIn(all: readonly string[]): Seen {
  const lines = all.map((line) => line.slice(0, LONGEST_LINE).replace(/\r$/, ''));
  const seen: Seen = { headings: 0, written: 0, samples: 0, stamped: 0, isTitled: false, isIssue: false, isReport: false, isOwn: false, saysSuch: false, saysOnce: false }; // biome-ignore format: one line
  const isTable = lines.some((line) => RULED.test(line));
  let closes: RegExp | null = null;
  for (const [at, line] of lines.entries()) {
    if (closes !== null) {
      if (closes.test(line)) closes = null;
      else takeSample(seen, line);
      continue;
    }
    closes = closedBy(line, lines[at - 1]);
    if (closes !== null || line.trim() === '') continue;
    const text = line.replace(/<\/?[a-z][^<>]{0,200}>/gi, ' ');
    const isUnderlined = TITLE.test(line) && UNDERLINE.test(lines[at + 1] ?? '');
    if (isHeading(line) || isUnderlined || MAIL.test(line)) takeHeading(seen, text);
    else if (isWrittenLine(text, line, isTable)) takeWritten(seen, text);
    else if (!UNDERLINE.test(line)) takeSample(seen, line);
  }
  return seen;
}

/** No line of a log that was commented out. */
function isHeading(line: string): boolean {
  return line.length <= LONGEST_HEADING && HEADING.test(line) && !isLogged(line);
}

/** Null where the line does not open a block of samples. */
function closedBy(line: string, before = ''): RegExp | null {
  const [, fence, jira, tag, org, rule] = OPENS.exec(line) ?? [];
  if (fence !== undefined) return new RegExp(`^\\s{0,8}${fence[0]}{${fence.length},}\\s*$`);
  if (jira !== undefined) return /^\s{0,8}\{(?:code|noformat)\}/i;
  if (tag !== undefined) return new RegExp(`</${tag}>`, 'i');
  if (org !== undefined) return /^\s{0,8}#\+end_/i;
  // AsciiDoc's block; below a text the same is its underline, and behind an empty line Markdown's rule.
  if (rule === undefined || !/^(?:\[(?:source|listing|literal)|\.\w)/.test(before)) return null;
  return new RegExp(`^[${rule[0]}]{${rule.length}}\\s*$`);
}

function isWrittenLine(text: string, line: string, isTable: boolean): boolean {
  // Tools head their summaries so.
  if (line.startsWith('#')) return false;
  if (isTable && (ROW.test(line) || RULED.test(line))) return true;
  return isSentence(text) || isMarkup(line) || (/^[A-Z][a-z' ]{2,60}[.:!?]\s*$/.test(text) && !/^\s/.test(line));
}

function takeHeading(seen: Seen, text: string): void {
  if (seen.headings === 0) seen.isTitled = SAYS_GUIDE.test(text);
  seen.headings += 1;
  seen.isReport ||= REPORT.test(text);
  seen.isIssue ||= ISSUE.test(text);
  takeWords(seen, text);
}

function takeWritten(seen: Seen, text: string): void {
  seen.written += 1;
  takeWords(seen, text);
}

function takeWords(seen: Seen, text: string): void {
  seen.isOwn ||= OWN.test(text);
  seen.saysSuch ||= SUCH_AS.test(text);
  seen.saysOnce ||= ONCE_SEEN.test(text);
}

function takeSample(seen: Seen, line: string): void {
  if (line.trim() === '') return;
  seen.samples += 1;
  if (readLine(line).stamp !== null) seen.stamped += 1;
}
