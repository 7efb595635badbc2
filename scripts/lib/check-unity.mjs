// Names in unnamed namespaces that two native sources of one program share: the quick build of the demo compiles several sources as
// one (CMakeLists.txt, FAULTLINE_UNITY), and there they clash. Run by `npm run lint`; status 1 and a line for each.

import { readFileSync } from 'node:fs';

const CONSTANT =
  /^(?:(?:inline|static|volatile|constexpr|const|constinit|thread_local) )+[^\n=(]*?\b(\w+)(?:\[[^\]]*\])?\s*[={]/gm;
const TYPE = /^(?:struct|class|enum class|enum|using|union) (\w+)/gm;
const FUNCTION =
  /^(?!\s|using|struct|class|namespace|return|template|\/\/)[\w:<>,&* ]+?\b(?<!::)(\w+)\(([^)]*)\)[^;]*\{/gm;

/** What a file defines at the top level of its unnamed namespaces; functions with the types of their arguments. */
function names(text) {
  const found = [];
  for (const [, body] of text.matchAll(/^namespace \{\n([\s\S]*?)^\} {2}\/\/ namespace\n/gm)) {
    for (const pattern of [CONSTANT, TYPE]) for (const [, name] of body.matchAll(pattern)) found.push(name);
    for (const [, name, given] of body.matchAll(FUNCTION))
      found.push(`${name}(${given.replaceAll(/\s*\b\w+(,|$)/g, '$1')})`);
  }
  return new Set(found);
}

const sources = JSON.parse(readFileSync('native/sources.json', 'utf8'));
let clashes = 0;
for (const program of ['core', 'addon', 'vendor', 'fake']) {
  const first = new Map();
  for (const file of sources[program]) {
    for (const name of names(readFileSync(`native/${file}`, 'utf8'))) {
      const other = first.get(name);
      first.set(name, other ?? file);
      if (other === undefined) continue;
      console.error(`native/${file} and native/${other} both name ${name}: give one of them a name of its own`);
      clashes += 1;
    }
  }
}
process.exit(clashes > 0 ? 1 : 0);
