// The difference between two versions: what became of each fact, and what did it.

const KIND_WORDS = {
  forgotten: 'gone by a rule or a person’s word', superseded: 'ended by a newer statement',
  changed: 'another text', moved: 'to another block', returned: 'active again', absorbed: 'lives on in another fact',
  withdrawn: 'taken out by a restore', added: 'new',
};
const OPEN = new Set(['forgotten', 'superseded', 'changed', 'returned', 'withdrawn']);

function drawChanges(older, newer, compared) {
  const host = clear(byId('changes'));
  const groups = new Map();
  for (const entry of compared.found) {
    const moved = entry.kind === 'changed' && entry.before.text === entry.after.text;
    const name = moved ? 'moved' : entry.kind;
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(entry);
  }
  const net = newer.active - older.active;
  host.append(el('p', { class: 'quiet' },
    `From s${older.number} to s${newer.number}: ${number(older.active)} → ${number(newer.active)} active`,
    net ? ` (${net > 0 ? '+' : '−'}${number(Math.abs(net))})` : '', `, ${number(compared.unchanged)} unchanged`,
    older.seq > newer.seq ? ', backwards in time.' : '.'));
  const order = [...KINDS.slice(0, 3), 'moved', ...KINDS.slice(3)].filter((kind) => groups.has(kind));
  for (const kind of order) {
    const some = groups.get(kind);
    const group = el('details', { class: `kind ${kind}`, 'data-kind': kind },
      el('summary', {}, el('span', { class: 'dot', 'aria-hidden': 'true' }), el('span', { class: 'title' }, kind),
        el('span', { class: 'count' }, number(some.length)), el('span', { class: 'quiet' }, KIND_WORDS[kind])));
    const list = el('ul', { class: 'entries' });
    const fillIn = () => {
      if (!list.childNodes.length) group.append(list, paged(list, some, change, 12));
    };
    group.addEventListener('toggle', () => group.open && fillIn());
    if (OPEN.has(kind) || order.length === 1) {
      fillIn();
      group.open = true;
    }
    host.append(group);
  }
}

function change(entry) {
  const fact = entry.after || entry.before;
  const reworded = entry.kind === 'changed' && entry.before.text !== entry.after.text;
  const block = entry.before && entry.after && entry.before.block !== entry.after.block
    ? `${entry.before.block} → ${entry.after.block}` : fact.block;
  const heir = fact.successor && !fact.active ? stateAt(snapshots[chosen.newer].seq).get(fact.successor) : null;
  return el('li', { 'data-entry': entry.id },
    el('div', { class: 'head' }, factLink(entry.id), el('span', { class: 'words' }, reworded ? wordsBetween(entry) : told(fact)),
      el('span', { class: 'where' }, block)),
    heir ? el('p', { class: 'heir' }, entry.kind === 'superseded' ? 'by ' : 'in ', factLink(heir.id), ' ', told(heir)) : '',
    entry.rows.filter((row) => row.kind !== 'keep' && row.kind !== 'encode').slice(-3).map((row) => el('p', { class: 'by quiet' },
      sentence(row.sentence), byWhom(row))));
}

// A fact's words, or that there are none to show.
function told(fact) {
  if (withheld.has(fact.id) && /^\[(taken back|erased)\]$/.test(fact.text)) return el('span', { class: 'gone' }, fact.text.slice(1, -1));
  return [said(fact.text), fact.quarantined ? [' ', tag(`quarantined: ${fact.quarantined}`, 'warn')] : ''];
}

// The longest common run of words stays plain; the rest is marked as gone or new.
function wordsBetween(entry) {
  const a = entry.before.text.split(/(\s+)/);
  const b = entry.after.text.split(/(\s+)/);
  if (a.length * b.length > 250000) return [el('del', {}, said(entry.before.text)), ' ', el('ins', {}, said(entry.after.text))];
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const runs = [];
  const add = (kind, word) => {
    const last = runs[runs.length - 1];
    if (last && last[0] === kind) last[1] += word;
    else runs.push([kind, word]);
  };
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add('same', a[i]); i += 1; j += 1; }
    else if (i < a.length && (j === b.length || table[i + 1][j] >= table[i][j + 1])) { add('del', a[i]); i += 1; }
    else { add('ins', b[j]); j += 1; }
  }
  return el('bdi', { dir: 'auto', class: 'said' }, runs.map(([kind, words]) => (kind === 'same' ? words : el(kind, {}, words))));
}
