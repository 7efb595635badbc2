// Holds the import order of the house: a room imports only rooms before it, and never a sibling; and no file, through
// whatever it imports, imports itself. An import of a type counts: what cannot be read alone cannot be changed alone.
// usage: node scripts/lib/check-imports.mjs [SRC_DIR]   (status 1 and one line per breach)

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { importCycles } from './import-cycles.mjs';

// Later rooms may import earlier ones. Rooms on one line are siblings and may not import each other.
const ORDER = [
  ['helpers'],
  ['model'],
  ['config'],
  ['native.ts'],
  ['identity'],
  ['detection'],
  ['sources'],
  ['correlation'],
  ['incidents'],
  ['sinks', 'api', 'fleet'],
  ['daemon'],
  ['simulator'],
  ['commands'],
  ['main.ts'],
];
// Inside these rooms the folders are siblings of each other as well; files of the room itself are shared.
const DIVIDED = ['sources', 'sinks'];
// These folders of them hold what their siblings share; they import no sibling.
const SHARED = ['sources/devices', 'sources/files', 'sources/text-in', 'sinks/delivery', 'sinks/message', 'sinks/work'];
const rank = new Map(ORDER.flatMap((rooms, index) => rooms.map((room) => [room, index])));

const root = resolve(process.argv[2] ?? 'src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;
const breaches = [];
const imports = new Map(files.map((file) => [file, []]));

for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const [room, folder] = place(file);
  if (!rank.has(room)) breaches.push(`src/${file}: room ${room} is not in the order of scripts/lib/check-imports.mjs`);
  for (const match of text.matchAll(IMPORT)) {
    const target = match[1] ?? match[2];
    if (!target.startsWith('.')) continue;
    const imported = relative(root, resolve(root, dirname(file), target));
    imports.get(file)?.push(imported);
    const [toRoom, toFolder] = place(imported);
    const line = text.slice(0, match.index).split('\n').length + (match[0].startsWith('\n') ? 1 : 0);
    const allowed =
      room === toRoom
        ? !DIVIDED.includes(room) ||
          folder === toFolder ||
          toFolder === '' ||
          folder === '' ||
          isShared(toRoom, toFolder)
        : (rank.get(toRoom) ?? 99) < (rank.get(room) ?? -1);
    if (!allowed)
      breaches.push(`src/${file}:${line}: ${room}/${folder} must not import ${toRoom}/${toFolder} (${target})`);
  }
}

function isShared(room, folder) {
  return SHARED.includes(`${room}/${folder}`);
}

function place(path) {
  const parts = path.split('/');
  return [parts[0], parts.length > 2 ? parts[1] : ''];
}

for (const cycle of importCycles(imports)) {
  const way = [...cycle, cycle[0]].map((file) => `src/${file}`).join(' → ');
  breaches.push(`${way}: a cycle of imports. Move what both sides need into a file of its own`);
}
for (const breach of breaches) console.error(breach);
console.error(
  breaches.length === 0
    ? `import order holds in ${files.length} files, without a cycle`
    : `${breaches.length} breaches of the import order`,
);
process.exit(breaches.length === 0 ? 0 : 1);
