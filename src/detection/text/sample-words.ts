// Sample words: what is behind them on a line is text that a model is trained on or asked, whatever it speaks of, and nothing that happened.

/** "<|user|>", "[INST]", "<start_of_turn>": no program says what happened to it between them. */
const CHAT = String.raw`<\|\w{1,32}\|>|\[INST\]|<start_of_turn>|<\/?(?:user|assistant|system)>`;
/** 'sample[1]: "', 'prompt="', '"completion": "': the name of a text, and the mark that opens it. */
const NAMED = String.raw`\b(?:sample|prompt|completion|question|answer|instruction|example|generated|tokens|target)s?(?:[ _-]?(?:text|\d{1,9}))?(?:\[\d{1,9}\]|\(\d{1,9}\)| ?#\d{1,9})?["']?\s{0,2}[:=]\s{0,2}\[?["'“«${'`'}]`;
/** A person asks within quotation marks. */
const ASKED = String.raw`["'“«${'`'}][^"“”«»]{0,200}\b(?:what|why|how|does|means?|my|if you|should I)\b[^"“”«»]{0,80}$`;
const SAMPLE = new RegExp(`${CHAT}|${NAMED}|${ASKED}`, 'i');

/** `before`: of a line that the kernel did not write, all that is before the words in question. */
export function opensSample(before: string): boolean {
  return SAMPLE.test(before);
}
