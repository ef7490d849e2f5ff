// The facts of the later version: searched, filtered, opened.

const STANDINGS = {
  active: (fact) => fact.active,
  retired: (fact) => !fact.active,
  quarantined: (fact) => Boolean(fact.quarantined),
  faded: (fact) => Boolean(fact.active) && fades(fact, data.now),
  all: () => true,
};
const ORDERS = {
  'by id': (a, b) => a.id - b.id,
  'newest first': (a, b) => (b.said || b.recorded) - (a.said || a.recorded) || b.id - a.id,
  'strongest first': (a, b) => strengthAt(b, data.now) - strengthAt(a, data.now) || a.id - b.id,
  'weakest first': (a, b) => strengthAt(a, data.now) - strengthAt(b, data.now) || a.id - b.id,
};

function options(select, names, first) {
  select.append(...(first ? [el('option', { value: '' }, first)] : []), ...names.map((name) => el('option', { value: name }, name)));
}

function drawFacts() {
  const info = snapshots[chosen.newer];
  byId('facts-title').textContent = `Facts at s${info.number}`;
  const words = byId('words').value.trim().toLowerCase();
  const block = byId('block').value;
  const category = byId('category').value;
  const stands = STANDINGS[byId('standing').value];
  const pieces = words.split(/\s+/).filter(Boolean);
  const matches = (fact) => {
    const name = `m${fact.id}`;
    const low = fact.text.toLowerCase();
    return pieces.every((piece) => name === piece || low.includes(piece));
  };
  const found = [...stateAt(info.seq).values()].filter((fact) => (
    (!block || fact.block === block) && (!category || fact.category === category) && stands(fact) && matches(fact)
  )).sort(ORDERS[byId('order').value]);
  byId('found').textContent = found.length ? counted(found.length, 'fact') : 'No fact is like this.';
  const list = el('ul', { class: 'facts', onkeydown: (event) => arrows(event, [...list.querySelectorAll('.row')]) });
  clear(byId('list')).append(list, paged(list, found, factRow, 60));
}

function factRow(fact) {
  const now = strengthAt(fact, data.now);
  const meter = el('i', {});
  meter.style.width = `${Math.min(100, now * 100).toFixed(0)}%`;
  const gone = fact.active ? '' : goneWords(fact);
  return el('li', {}, el('button', { type: 'button', class: `row ${fact.active ? '' : 'retired'}`, 'data-fact': fact.id },
    el('span', { class: 'mono id-text' }, `m${fact.id}`),
    el('span', { class: 'words' }, told(fact), gone ? el('span', { class: 'quiet' }, ` · ${gone}`) : ''),
    el('span', { class: 'where' }, `${fact.block} · ${fact.category}`),
    el('span', { class: 'meter', title: `strength ${now.toFixed(2)}` }, meter, el('span', { class: 'mono' }, now.toFixed(2)))));
}

function goneWords(fact) {
  const rule = fact.retiredBy || '';
  if (rule.startsWith('person:')) return rule === 'person:purge' ? 'erased at a person’s word' : 'forgotten at a person’s word';
  if (rule === 'contradict') return `superseded by m${fact.successor}`;
  if (fact.successor) return `absorbed into m${fact.successor} by ${rule}`;
  if (rule.startsWith('forget:')) return `forgotten: ${rule.slice(7)}`;
  return `retired by ${rule || 'a rule'}`;
}
