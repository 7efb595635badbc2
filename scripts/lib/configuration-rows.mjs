// The keys of the configuration as rows, for the reference page and the man page.

/** Key, what is wanted, its default and its meaning, of each key of a schema. */
export function configurationRows(schema) {
  const rows = [];
  walk(schema, '', rows);
  return rows;
}

function walk(node, key, rows) {
  for (const [name, inner] of Object.entries(node.properties ?? {})) {
    const path = key === '' ? name : `${key}.${name}`;
    const list = inner.type === 'array';
    const required = node.required?.includes(name) ? ' (needed)' : '';
    const item = list && inner.items.properties !== undefined;
    rows.push({
      key: item ? `${path}[]` : path,
      wanted: wanted(inner) + required,
      standard: inner.default === undefined || typeof inner.default === 'object' ? '' : `\`${inner.default}\``,
      description: inner.description ?? '',
    });
    if (inner.properties !== undefined) walk(inner, path, rows);
    if (item) walk(inner.items, `${path}[]`, rows);
  }
}

function wanted(node) {
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(', ');
  const range = node.durationRange ?? node.sizeRange;
  if (range !== undefined) return `${node.durationRange ? 'duration' : 'size'}, ${range.min} to ${range.max}`;
  if (node.minimum !== undefined) return `${node.minimum} to ${node.maximum}`;
  if (node.properties !== undefined) return 'section';
  if (node.type === 'array') return 'list';
  return node['x-path'] ? 'path' : [node.type].flat().join(' or ');
}
