// Per pass: how much was accepted, enforced by the engine, and refused.

const PASS_ORDER = ['encode', 'dedupe', 'contradict', 'merge', 'promote', 'schematise', 'forget'];
const SHARES = [
  ['accepted', 'accepted'], ['engine', 'by the engine'], ['person', 'by a person'], ['refused', 'refused'],
];

function drawPasses(rows) {
  const counts = new Map();
  for (const row of rows) {
    // That a transcript was read is on the record, and nobody's proposal.
    if (row.pass === 'ingest') continue;
    const name = row.origin === 'person' ? 'person' : row.pass;
    if (!counts.has(name)) counts.set(name, { accepted: 0, engine: 0, person: 0, refused: 0 });
    const share = row.code ? 'refused' : row.origin === 'engine' ? 'engine' : row.origin === 'person' ? 'person' : 'accepted';
    counts.get(name)[share] += 1;
  }
  const host = clear(byId('passes'));
  if (!counts.size) {
    host.append(el('p', { class: 'quiet' }, 'Nothing was proposed between these two versions.'));
    return;
  }
  const names = [...PASS_ORDER.filter((name) => counts.has(name)), ...[...counts.keys()].filter((name) => !PASS_ORDER.includes(name))];
  const total = (count) => SHARES.reduce((sum, [key]) => sum + count[key], 0);
  const most = Math.max(...[...counts.values()].map(total));
  const present = SHARES.filter(([key]) => [...counts.values()].some((count) => count[key]));
  host.append(
    el('p', { class: 'legend', 'aria-hidden': 'true' }, present.map(([key, words]) => el('span', { class: `key ${key}` }, words))),
    el('ul', { class: 'bars' }, names.map((name) => {
      const count = counts.get(name);
      const words = present.filter(([key]) => count[key]).map(([key, label]) => `${number(count[key])} ${label}`);
      const bar = el('span', { class: 'bar', 'aria-hidden': 'true' }, present.filter(([key]) => count[key]).map(([key]) => {
        const part = el('i', { class: key });
        part.style.width = `max(3px, ${((count[key] / most) * 100).toFixed(2)}%)`;
        return part;
      }));
      return el('li', {}, el('span', { class: 'name' }, name), bar, el('span', { class: 'count' }, words.join(' · ')));
    })),
  );
}
