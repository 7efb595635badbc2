// Transcript: what someone copied out of a terminal — a prompt before what a console printed into it — and several records that the page
// they were pasted into made one line of. Parts of one line are told apart by a return, so that all have its number.

const USER = String.raw`[\w.-]{1,40}@[\w.-]{1,64}`;
/** "root@gx-7:~# ", "[root@gx-7 ~]# ", "/ # ", "~# ", "bash-5.1$ ": what a shell shows before a command. */
const SHELL = String.raw`(?:\([\w.-]{1,40}\) )?(?:\[${USER} [^\]\n]{1,64}\]|${USER}(?::[^\s#$]{0,64}|:? [~/][^\s#$]{0,64})|[~/][\w./-]{0,64}|(?:ba|z|k)?sh-\d[\d.]{0,8}) ?[#$%]`;
const MONTH = '[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d';
const UPTIME = String.raw`\[ {0,8}\d{1,7}\.\d{6}\]`;
/** Two blanks at most: behind more is what a program printed. */
const PROMPT = new RegExp(`^${SHELL} {1,2}(?=${MONTH} |${UPTIME} )`);

export function unprompted(lines: readonly string[]): readonly string[] {
  return lines.some((line) => PROMPT.test(line)) ? lines.map((line) => line.replace(PROMPT, '')) : lines;
}

/** What begins a record, a shape each. Behind a colon is the stamp of who wrote the text of a record, as in "kernel: [ 12.345678] ". */
const HEADS = [
  `${UPTIME} `,
  String.raw`${MONTH} [\w.-]{1,64} [\w./-]{1,48}(?:\[\d{1,10}\])?: `,
  String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.,:+Z-]{0,20} [\w.-]{1,64} [\w./-]{1,48}(?:\[\d{1,10}\])?: `,
  String.raw`\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\] `,
  String.raw`(?:DEBUG|INFO|WARNING|ERROR|CRITICAL):[A-Za-z_]\w{0,40}(?:\.\w{1,40}){0,8}:`,
];
const RECORD = new RegExp(
  `(?<![:\\s]) {0,400}(?:(?<= )|(?<=\\]))(?:${HEADS.map((head) => `(?=(${head}))`).join('|')})`,
  'g',
);
/** In one line: fewer may be a record that quotes another. */
const LEAST_GLUED = 2;
/** Besides those: a shell's prompt with the next command, and blanks to the end of a terminal's row. */
const BESIDES = new RegExp(` (?=${SHELL} {1,2}[a-z])| {16,400}(?=\\S)`, 'g');
/** Such a text is hardly anything else: one line of a log, which a user may have written, does not pass for several. */
const MOSTLY = 0.5;

export function unglued(lines: readonly string[]): readonly string[] {
  const glued = lines.map(isGlued);
  const length = (of: readonly string[]): number => of.reduce((sum, line) => sum + line.length, 0);
  if (length(lines.filter((_, at) => glued[at] === true)) <= MOSTLY * length(lines)) return lines;
  return lines.map((line, at) => (glued[at] === true ? line.replace(RECORD, '\r').replace(BESIDES, '\r') : line));
}

function isGlued(line: string): boolean {
  const counts = HEADS.map(() => 0);
  for (const [, ...heads] of line.matchAll(RECORD))
    for (const [at, head] of heads.entries()) if (head !== undefined) counts[at] = (counts[at] ?? 0) + 1;
  return counts.some((count) => count >= LEAST_GLUED);
}
