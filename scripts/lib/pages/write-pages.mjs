// Writes man pages and completions: FOLDER/man/man1, man/man5, completions/{bash,zsh,fish}.
// usage: node scripts/lib/pages/write-pages.mjs FOLDER      (VERSION and SOURCE_DATE_EPOCH as scripts/release sets them)

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configSchema } from '../../../src/daemon/config.ts';
import { configurationRows } from '../configuration-rows.mjs';
import { commandTree } from './command-tree.mjs';
import { bashCompletion, fishCompletion, zshCompletion } from './completions.mjs';
import { commandPage, configurationPage, programPage } from './man.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: write-pages.mjs FOLDER');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const release = {
  version: process.env.VERSION ?? version,
  date: new Date(Number(process.env.SOURCE_DATE_EPOCH ?? 0) * 1000).toISOString().slice(0, 10),
};

function write(name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const tree = commandTree();
write('man/man1/faultline.1', programPage(tree, release));
for (const command of tree.commands) write(`man/man1/${command.path.join('-')}.1`, commandPage(command, release));
write('man/man5/faultline.yaml.5', configurationPage(configurationRows(configSchema), release));
write('completions/bash/faultline', bashCompletion(tree));
write('completions/zsh/_faultline', zshCompletion(tree));
write('completions/fish/faultline.fish', fishCompletion(tree));
