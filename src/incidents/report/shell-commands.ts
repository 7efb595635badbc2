// Shell commands inside sentences: found by their first word, so that no line break falls into what people copy into a shell.

/** Stands for a space inside a command; no text that is made plain has one. */
export const COMMAND_SPACE = '\0';

/** Programs that our texts name, and how many plain words belong to a call: `ipmitool chassis power cycle` has three. */
const PLAIN_WORDS: ReadonlyMap<string, number> = new Map([
  ...['beegfs-ctl', 'df', 'dmesg', 'du', 'findmnt', 'free', 'fuser', 'ibstat', 'mlxlink', 'mmlsquota', 'ping', 'sensors', 'sinfo', 'squeue', 'uptime', 'grep', 'iconv', 'iostat', 'journalctl', 'less', 'lspci', 'nc', 'nvidia-bug-report.sh', 'ls', 'lsblk', 'lsof', 'pbsnodes', 'ps', 'quota', 'repquota', 'rm', 'sacct', 'setfacl', 'smartctl'].map((name) => [name, 0] as const), // biome-ignore format: one list
  ...['amd-smi', 'chmod', 'chown', 'curl', 'badmin', 'cat', 'dcgmi', 'docker', 'ethtool', 'ssh', 'timeout', 'modprobe', 'nvidia-smi', 'py-spy', 'sysctl', 'usermod'].map((name) => [name, 1] as const), // biome-ignore format: one list
  ...['apt-get', 'faultline', 'getent', 'lctl', 'lfs', 'npu-smi', 'rocm-smi', 'scontrol'].map(
    (name) => [name, 2] as const,
  ),
  ...['ceph', 'kubectl', 'systemctl'].map((name) => [name, 3] as const),
  // Of ours each has `-I lanplus`.
  ['ipmitool', 4],
  // The same from a variable.
  ['$ipmi', 3],
]);
const ANY = new RegExp(
  `(?:${[...PLAIN_WORDS.keys(), 'sudo', 'node'].map((name) => name.replace(/[.$]/g, '\\$&')).join('|')}) `,
);
/** Words of the language besides: a program only where an option or a path follows. */
const ORDINARY = new Set([
  'cat',
  'free',
  'grep',
  'less',
  'ls',
  'ping',
  'ps',
  'quota',
  'rm',
  'sensors',
  'timeout',
  'uptime',
]);
/** With what a sentence continues behind a command. */
const GOES_ON = new Set(['a', 'again', 'and', 'as', 'asks', 'by', 'can', 'does', 'for', 'from', 'gives', 'has', 'how', 'if', 'in', 'is', 'it', 'itself', 'keeps', 'lists', 'may', 'names', 'of', 'on', 'or', 'prints', 'reads', 'says', 'shows', 'takes', 'that', 'the', 'then', 'there', 'to', 'until', 'what', 'where', 'which', 'who', 'with']); // biome-ignore format: one list

/** A program may be behind an opening bracket or quote. */
const OPENING = /^[("'`]+/;
/** What a variable of the shell is to stand for. */
const ASSIGNED = /^ipmi=(?=')/;
/** The assignment to its end, which a shell takes as it is. */
const WHOLE = /^ipmi='[^']*'/;
/** With this a call ends, and the sentence may continue. */
const CLOSING = /(?<![,;:.)!?`])[,;:.)!?`]+$/;
/** Option, path, assignment, number, quoted text, placeholder, pipe: no plain word of a sentence. */
const ARGUMENT = /^[-+]|[/=\d"'_@<>{}[\]]|^[A-Z]{2,}$|^[|&]{1,2}$|.\.\w|\w\|\w/;
const PIPE = /^[|&]{1,2}$/;
const PLAIN = /^[a-z][a-z-]*$/;

/** The text with the spaces inside its commands held together. */
export function tieCommands(text: string): string {
  if (!ANY.test(text)) return text;
  const words = text.split(' ');
  let tied = '';
  for (let at = 0; at < words.length; ) {
    const end = endOf(words, at);
    tied += (at === 0 ? '' : ' ') + words.slice(at, end).join(COMMAND_SPACE);
    at = end;
  }
  return tied;
}

export interface Piece {
  readonly text: string;
  /** It can be typed as it is: the signs of the sentence around it are pieces of their own. */
  readonly isCommand: boolean;
}

/** The text in pieces, in their order; joined they are the text again. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let said = '';
  tieCommands(text)
    .split(' ')
    .forEach((word, i) => {
      said += i === 0 ? '' : ' ';
      if (!word.includes(COMMAND_SPACE)) {
        said += word;
        return;
      }
      const command = bare(word);
      const from = word.indexOf(command);
      pieces.push({ text: said + word.slice(0, from), isCommand: false });
      pieces.push({ text: command.replaceAll(COMMAND_SPACE, ' '), isCommand: true });
      said = word.slice(from + command.length);
    });
  return [...pieces, { text: said, isCommand: false }].filter((piece) => piece.text !== '');
}

/** Where the command that begins here ends; the next word where none begins. */
function endOf(words: readonly string[], start: number): number {
  let at = start;
  let first = bare(words[at]);
  const isRoot = first === 'sudo';
  if (isRoot) {
    if (CLOSING.test(words[at] ?? '')) return start + 1;
    at += 1;
    first = bare(words[at]);
  }
  const name = first.slice(first.lastIndexOf('/') + 1);
  // `node dist/faultline.js explain ID`, as a checkout starts it.
  const isScript = name === 'node' && /^\S+\.[jt]s$/.test(words[at + 1] ?? '');
  const plainWords = PLAIN_WORDS.get(isScript ? 'faultline' : name) ?? (isRoot ? 1 : undefined);
  if (plainWords === undefined) return start + 1;
  if (ORDINARY.has(name) && !/^-|\//.test(words[at + 1] ?? '')) return start + 1;
  return endOfArguments(words, isScript ? at + 1 : at, plainWords);
}

function endOfArguments(words: readonly string[], program: number, plainWords: number): number {
  let left = plainWords;
  let quoted = isOpen(words[program] ?? '');
  let at = program;
  while (at + 1 < words.length) {
    const word = words[at] ?? '';
    if (!quoted && CLOSING.test(word)) break;
    const next = words[at + 1] ?? '';
    const core = next.replace(CLOSING, '');
    const isPlain = PLAIN.test(core);
    // Behind a pipe comes the next program.
    if (PIPE.test(word)) left = 1 + (PLAIN_WORDS.get(core) ?? 1);
    if (!quoted && !ARGUMENT.test(core)) {
      // The value of an option is taken as it is.
      const isValue = /^--?\w[\w-]*$/.test(word) && !GOES_ON.has(core) && !OPENING.test(core);
      if (!isValue && (!isPlain || left === 0 || GOES_ON.has(core))) break;
      if (left > 0) left -= 1;
    }
    if (isOpen(next)) quoted = !quoted;
    at += 1;
  }
  return at + 1;
}

/** A quote begins or ends in this word; an apostrophe inside a word is none. */
function isOpen(word: string): boolean {
  if (ASSIGNED.test(word.replace(OPENING, ''))) return true;
  const core = word.replace(CLOSING, '');
  const single = Number(/^'|='/.test(core)) + Number(/'$/.test(core));
  return core.split('"').length % 2 === 0 || single === 1;
}

function bare(word = ''): string {
  const [whole] = WHOLE.exec(word.replace(OPENING, '')) ?? [];
  if (whole !== undefined) return whole;
  return word.replace(OPENING, '').replace(ASSIGNED, '').replace(OPENING, '').replace(CLOSING, '');
}
