// Holds text to plain English: names, comments, messages, docs and test titles do without the words of words.json.
// usage: node scripts/lib/check-words.mjs [--shrink | --list PATH]
//
// words-left.json says how many a folder still has of them: more fail, and --shrink lowers the numbers, never raises one.
// --list prints each of them under a path. Commit subjects are held to 72 characters from the commit on that brought this.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FOLDERS = ['src', 'native', 'scripts', 'docs', 'catalog', 'systemd', 'deploy', 'bench', 'test', '*.md'];
/** Data whose names are pinned, the list itself, and pages that are written from other files. */
const PASSED_OVER =
  /^(catalog\/scenarios\/(corpus|first-contact)|scripts\/lib\/words|docs\/(accuracy|reference)|bench\/.*\.md$|test\/.*\.(json|txt|log)$|native\/fuzz\/seeds)/;
const LEFT = 'scripts/lib/words-left.json';
const SELF = 'scripts/lib/check-words.mjs';
const LONGEST_SUBJECT = 72;
const SUBJECTS = 10;

const git = (...words) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 1 << 28 });
const { words } = JSON.parse(readFileSync('scripts/lib/words.json', 'utf8'));
const patterns = words.map(({ pattern, instead }) => ({ form: new RegExp(pattern, 'gi'), instead }));

function found(file) {
  const text = readFileSync(file, 'utf8');
  if (text.includes('\0')) return [];
  return text
    .split('\n')
    .flatMap((line, at) =>
      patterns.flatMap(({ form, instead }) =>
        [...line.matchAll(form)].map(([word]) => `${file}:${at + 1}: "${word.trim()}": write ${instead}`),
      ),
    );
}

const [mode, path = ''] = process.argv.slice(2);
const files = git('ls-files', '--', ...FOLDERS)
  .split('\n')
  .filter((file) => file !== '' && !PASSED_OVER.test(file) && existsSync(file));
const all = files.flatMap(found);
const counts = {};
for (const each of all) {
  const folder = /^([^/:]+)/.exec(each)?.[1];
  counts[folder] = (counts[folder] ?? 0) + 1;
}

if (mode === '--list') {
  for (const each of all) if (each.startsWith(path)) console.log(each);
  process.exit(0);
}
const left = existsSync(LEFT) ? JSON.parse(readFileSync(LEFT, 'utf8')) : counts;
if (mode === '--shrink') {
  const lowered = Object.entries(left).map(([folder, most]) => [folder, Math.min(most, counts[folder] ?? 0)]);
  writeFileSync(LEFT, `${JSON.stringify(Object.fromEntries(lowered.filter(([, most]) => most > 0)), null, 2)}\n`);
}

const wrong = Object.entries(counts)
  .filter(([folder, count]) => count > (left[folder] ?? 0))
  .map(
    ([folder, count]) =>
      `${folder}: ${count} of the words of scripts/lib/words.json, ${left[folder] ?? 0} allowed: node ${SELF} --list ${folder}`,
  );
// Nothing of it in a clone that is too shallow to have that commit.
const began = git('log', '--format=%H', '--diff-filter=A', '--', SELF).trim().split('\n').at(-1);
const subjects =
  began === '' ? [] : git('log', '--no-merges', `-${SUBJECTS}`, '--format=%s', `${began}..HEAD`).split('\n');
for (const subject of subjects) {
  if (subject.length > LONGEST_SUBJECT) wrong.push(`a commit subject over ${LONGEST_SUBJECT} characters: ${subject}`);
}

for (const each of wrong) console.error(each);
if (wrong.length === 0) console.log(`plain words in ${files.length} files, ${all.length} old ones are left`);
process.exit(wrong.length === 0 ? 0 : 1);
