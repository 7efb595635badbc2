// Compares what binding.gyp builds with what CMake builds: sources, flags that change meaning, exports, needed libraries.
// usage: node scripts/lib/compare-routes.mjs CMAKE_FOLDER CMAKE_OUTPUT GYP_OUTPUT   (status 1 and one line a difference)

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** What node-gyp and CMake define by themselves; nothing of ours reads any of it. */
const THEIRS =
  /^(NODE_GYP_MODULE_NAME|USING_\w+_SHARED|V8_\w+|_GLIBCXX_USE_CXX11_ABI|_FILE_OFFSET_BITS|_LARGEFILE_SOURCE|__STDC_FORMAT_MACROS|OPENSSL_\w+|BUILDING_NODE_EXTENSION|\w+_EXPORTS)(=|$)/;
/** The last one of each kind wins, as for the compiler. */
const MEANING = [
  ['standard', /^-std=/],
  ['optimisation', /^-O/],
  ['exceptions', /^-f(no-)?exceptions$/],
  ['run-time types', /^-f(no-)?rtti$/],
  ['visibility', /^-fvisibility=/],
  ['inline visibility', /^-fvisibility-inlines-hidden$/],
  ['frame pointer', /^-f(no-)?omit-frame-pointer$/],
  ['warnings as errors', /^-Werror$/],
];
const DEFAULTS = { exceptions: '-fexceptions', 'run-time types': '-frtti' };

const { positionals } = parseArgs({ allowPositionals: true });
const [cmakeFolder, cmakeOutput, gypOutput] = positionals;
const listed = JSON.parse(readFileSync('native/sources.json', 'utf8'));
// The stand-in for a vendor's library is for tests and the demo: the second route leaves it out.
const { fake, ...parts } = listed;
const wanted = new Set(Object.values(parts).flat());
const differences = [];

/** File below native/ → what of its command line changes what it means. */
function commands(path) {
  const found = new Map();
  for (const { file, command, arguments: words } of JSON.parse(readFileSync(path, 'utf8'))) {
    const name = file.split('/native/').at(-1);
    if (fake.includes(name)) continue;
    found.set(name, meaning(words ?? split(command), name));
  }
  return found;
}

/** Words of a command as CMake and gyp write them: quotes around words, backslashes before characters. */
function split(command) {
  return [...command.matchAll(/(?:\\.|"(?:\\.|[^"\\])*"|[^\s"\\])+/g)].map(([word]) =>
    word.replace(/\\(.)|"/g, (_, character) => character ?? ''),
  );
}

function meaning(words, file) {
  const all = words.flatMap((word) => (word.startsWith('-D') ? [word.slice(2).replace(/=1$/, '')] : []));
  // One file reads it; gyp cannot define it for that file alone.
  const defines = all.filter((word) => file === 'core/notify.cc' || !word.startsWith('FAULTLINE_VERSION='));
  const reported = { defines: [...new Set(defines.filter((word) => !THEIRS.test(word)))].sort().join(' ') };
  for (const [name, pattern] of MEANING)
    reported[name] = words.findLast((word) => pattern.test(word)) ?? DEFAULTS[name] ?? '';
  return reported;
}

function compareSets(what, cmake, gyp, first = 'CMake') {
  for (const each of cmake) if (!gyp.has(each)) differences.push(`${what}: ${each} only with ${first}`);
  for (const each of gyp) if (!cmake.has(each)) differences.push(`${what}: ${each} only with node-gyp`);
}

const lines = (command, ...words) => execFileSync(command, words, { encoding: 'utf8' }).split('\n');
// What carries another library's version is a copy of that library's variable, not an export of ours.
const exported = (path) =>
  new Set(
    lines('nm', '-D', '--defined-only', path)
      .flatMap((line) => line.split(' ').at(2) ?? [])
      .filter((name) => !name.includes('@')),
  );
const needed = (path) =>
  new Set(lines('readelf', '-d', path).flatMap((line) => /NEEDED.*\[(.+)\]/.exec(line)?.[1] ?? []));

const cmake = commands(join(cmakeFolder, 'compile_commands.json'));
const gyp = commands(join(gypOutput, 'compile_commands.json'));
compareSets('sources', new Set(cmake.keys()), new Set(gyp.keys()));
compareSets('sources', wanted, new Set(gyp.keys()), 'native/sources.json');
for (const [file, reported] of cmake) {
  for (const [name, value] of Object.entries(reported)) {
    const other = gyp.get(file)?.[name];
    if (other !== undefined && other !== value)
      differences.push(`${file}: ${name} is "${value}" with CMake and "${other}" with node-gyp`);
  }
}
const programs = (folder) =>
  new Set(
    readdirSync(folder).filter(
      (name) => statSync(join(folder, name)).isFile() && /\.node$|^faultline-[a-z-]+$/.test(name),
    ),
  );
compareSets('programs', programs(cmakeOutput), programs(gypOutput));
for (const name of programs(cmakeOutput)) {
  if (!existsSync(join(gypOutput, name))) continue;
  const [one, other] = [join(cmakeOutput, name), join(gypOutput, name)];
  compareSets(`exports of ${name}`, exported(one), exported(other));
  compareSets(`needs of ${name}`, needed(one), needed(other));
}
if (gyp.size === 0) differences.push('sources: none were compiled');

for (const difference of differences) console.error(difference);
console.error(
  differences.length === 0
    ? `both routes build the same: ${gyp.size} files, their flags, exports and needs`
    : `${differences.length} differences between the routes: correct binding.gyp or CMakeLists.txt`,
);
process.exit(differences.length === 0 ? 0 : 1);
