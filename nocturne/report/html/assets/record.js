// The data that payload.py wrote, read into lookups; states and differences are computed from it here.

const data = JSON.parse(document.getElementById('data').textContent);
const text = (place) => data.texts[place] || '';
const DAY = 86400;

// How each key of a version is read, and what it is called here.
const asIs = (value) => value;
const asText = (value) => (value === null ? null : text(value));
const COLUMNS = {
  t: ['text', asText], b: ['block', (value) => data.blocks[value]], c: ['category', (value) => data.categories[value]],
  l: ['layer', asText], k: ['speaker', asText], u: ['subject', asText], e: ['attribute', asText], r: ['recorded', asIs],
  s: ['said', asIs], o: ['occurred', asIs], y: ['confirmed', asIs], f: ['from', asIs], v: ['until', asIs],
  x: ['successor', asIs], a: ['active', asIs], d: ['retiredBy', asText], w: ['trust', asIs], z: ['quarantined', asText],
  p: ['pinned', asIs], n: ['originals', asIs], q: ['quotes', asIs],
};

const blank = { id: 0, seq: 0, place: -1 };
for (const [key, [name, read]] of Object.entries(COLUMNS)) blank[name] = key in data.usual ? read(data.usual[key]) : null;

// Written out, so that ten thousand versions share one shape.
const copyOf = (old, id, seq) => ({
  id, seq, place: old.place + 1, text: old.text, block: old.block, category: old.category, layer: old.layer,
  speaker: old.speaker, subject: old.subject, attribute: old.attribute, recorded: old.recorded, said: old.said,
  occurred: old.occurred, confirmed: old.confirmed, from: old.from, until: old.until, successor: old.successor,
  active: old.active, retiredBy: old.retiredBy, trust: old.trust, quarantined: old.quarantined, pinned: old.pinned,
  originals: old.originals, quotes: old.quotes,
});

// fact → its versions, oldest first; every version whole.
const histories = new Map();
const versions = data.versions.map(([seq, id, changed]) => {
  let line = histories.get(id);
  if (!line) {
    line = [];
    histories.set(id, line);
  }
  const version = copyOf(line.length ? line[line.length - 1] : blank, id, seq);
  for (const key in changed) {
    const [name, read] = COLUMNS[key];
    version[name] = read(changed[key]);
  }
  line.push(version);
  return version;
});

const snapshots = data.snapshots.map(([number, seq, at, active, label, command, policy]) => ({
  number, seq, at, active, label: text(label), command: text(command), policy: text(policy),
}));

const mutations = data.mutations.map(([seq, snapshot, pass, kind, origin, code, sentence, reason, facts]) => ({
  seq, snapshot, pass: text(pass), kind: text(kind), origin: data.origins_of[origin], code: code || null,
  sentence: text(sentence), reason: text(reason), facts,
}));
const mutationAt = new Map(mutations.map((row) => [row.seq, row]));
const mutationsOf = new Map();
for (const row of mutations) {
  for (const id of row.facts) {
    if (!mutationsOf.has(id)) mutationsOf.set(id, []);
    mutationsOf.get(id).push(row);
  }
}

const quotes = data.quotes.map(([turn, speaker, provenance, said, session, before, words, after]) => ({
  turn, speaker: text(speaker), provenance: text(provenance), said, session: text(session),
  before: text(before), words: text(words), after: text(after),
}));

const childrenOf = new Map();
for (const [seq, child, parent, role] of data.links) {
  if (child === parent) continue;
  if (!childrenOf.has(parent)) childrenOf.set(parent, []);
  childrenOf.get(parent).push({ seq, child, role: text(role) });
}

const origins = new Map();
for (const [id, place, base, steps, joined] of data.origins) origins.set(`${id}/${place}`, { base, steps, joined });
const originOf = (id, place) => origins.get(`${id}/${place}`) || { base: place, steps: [], joined: [] };

const withheld = new Set(data.withheld);
const isProtected = (fact) => fact.pinned || data.policy.protected.includes(fact.category);

// The facts as they stood at an entry: the latest version of each that began by then.
const kept = new Map();
function stateAt(seq) {
  if (!kept.has(seq)) {
    const state = new Map();
    for (const version of versions) {
      if (version.seq > seq) break;
      state.set(version.id, version);
    }
    if (kept.size > 7) kept.delete(kept.keys().next().value);
    kept.set(seq, state);
  }
  return kept.get(seq);
}

const KINDS = ['forgotten', 'superseded', 'changed', 'returned', 'absorbed', 'withdrawn', 'added'];

// core/diff.py: what became of one fact between two versions.
function kindOf(before, after) {
  const was = before && before.active;
  if (after && after.active) {
    if (!was) return before ? 'returned' : 'added';
    return before.text !== after.text || before.block !== after.block ? 'changed' : 'kept';
  }
  if (!after) return was ? 'withdrawn' : null;
  if (before && !before.active) return null;
  if (after.retiredBy === 'contradict') return 'superseded';
  return after.successor ? 'absorbed' : 'forgotten';
}

function difference(older, newer) {
  const [low, high] = older.seq <= newer.seq ? [older.seq, newer.seq] : [newer.seq, older.seq];
  const then = stateAt(older.seq);
  const now = stateAt(newer.seq);
  const stepped = new Set();
  for (const version of versions) if (version.seq > low && version.seq <= high) stepped.add(version.id);
  const rows = mutations.filter((row) => row.seq > low && row.seq <= high);
  const by = new Map();
  for (const row of rows) {
    if (row.code) continue;
    for (const id of row.facts) {
      if (!by.has(id)) by.set(id, []);
      by.get(id).push(row);
    }
  }
  const found = [];
  let touched = 0;
  for (const id of [...stepped].sort((a, b) => a - b)) {
    const before = then.get(id);
    const after = now.get(id);
    const kind = kindOf(before, after);
    if (!kind || kind === 'kept') continue;
    if (before && before.active) touched += 1;
    found.push({ id, kind, before, after, rows: by.get(id) || [] });
  }
  return { found, rows, unchanged: older.active - touched };
}
