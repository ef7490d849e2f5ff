// One fact: what it says, how strong it is, where it comes from, what came of it.

const trail = [];
let opener = null;

function openFact(id, back) {
  const line = histories.get(id);
  if (!line) return;
  const box = byId('detail');
  if (!box.open) {
    opener = document.activeElement;
    trail.length = 0;
  } else if (!back) trail.push(Number(box.dataset.shown));
  box.dataset.shown = id;
  drawDetail(box, line[line.length - 1]);
  if (!box.open) box.showModal();
  box.scrollTop = 0;
  byId('detail-title').focus({ preventScroll: true });
  remember();
}

function closeFact() {
  byId('detail').close();
}

function drawDetail(box, fact) {
  const close = el('button', { type: 'button', class: 'plain', 'aria-label': 'close', onclick: closeFact }, '✕');
  const back = trail.length ? el('button', { type: 'button', class: 'plain', onclick: () => openFact(trail.pop(), true) }, '← back') : el('span', {});
  clear(box).append(
    el('header', {}, back, el('span', { class: 'mono' }, `m${fact.id}`), close),
    el('h2', { id: 'detail-title', tabindex: -1 }, told(fact)),
    el('p', { class: 'tags' }, tag(fact.block), tag(fact.category, isProtected(fact) ? 'kept' : ''), tag(fact.layer),
      fact.active ? tag('active', 'good') : tag(goneWords(fact), 'bad'), fact.pinned ? tag('pinned', 'kept') : '',
      fact.quarantined ? tag(`quarantined: ${fact.quarantined}`, 'warn') : '', fact.trust < 100 ? tag(`trust ${fact.trust}`, 'warn') : ''),
    dates(fact),
  );
  box.append(part('Strength', strengthChart(fact, Math.min(676, Math.max(260, window.innerWidth - 40)))));
  const tree = el('ul', { class: 'tree' });
  grow(tree, fact.id, fact.place, 0);
  box.append(part('Where it comes from', tree));
  const children = childrenOf.get(fact.id) || [];
  if (children.length) box.append(part('What came of it', el('ul', { class: 'plain-list' }, children.map(descendant))));
  const rows = (mutationsOf.get(fact.id) || []).filter((row) => row.code);
  if (rows.length) {
    const list = el('ul', { class: 'sentences' });
    box.append(part('Refused about it', list, paged(list, rows, (row) => el('li', {}, refusalLine(row, true)), 20)));
  }
}

const part = (title, ...body) => el('section', {}, el('h3', {}, title), body);

function dates(fact) {
  const rows = [
    ['said', fact.said && `${minute(fact.said)}${fact.speaker ? ` by ${fact.speaker}` : ''}`],
    ['recorded', fact.recorded && minute(fact.recorded)],
    ['confirmed', fact.confirmed && minute(fact.confirmed)],
    ['happened', fact.occurred && day(fact.occurred)],
    ['held', fact.until ? `${fact.from ? `${day(fact.from)} ` : ''}until ${day(fact.until)}` : fact.from && `since ${day(fact.from)}`],
    ['about', fact.subject !== 'user' ? fact.subject : null],
    ['states', fact.attribute],
    ['made of', fact.originals > 1 ? counted(fact.originals, 'original') : null],
  ].filter(([, value]) => value);
  return el('dl', { class: 'dates' }, rows.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, said(value, '')))));
}

const ROLES = {
  'merged-from': 'went into', 'kept-for': 'absorbed by', supersedes: 'superseded by', evidence: 'evidence for', restored: 'restored as',
};

function descendant({ role, child }) {
  const line = histories.get(child);
  return el('li', {}, el('span', { class: 'quiet' }, `${ROLES[role] || role} `), factLink(child), ' ', line ? told(line[line.length - 1]) : '');
}

const DEEP = 4;

// The steps that left the text alone, what made it, and what that was made of: down to the turns.
function grow(list, id, place, depth) {
  const line = histories.get(id);
  if (!line || !line[place]) return;
  const { base, steps, joined } = originOf(id, place);
  for (const seq of steps) {
    const row = mutationAt.get(seq);
    if (row) list.append(el('li', {}, stepWords(row)));
  }
  const version = line[base];
  const made = mutationAt.get(version.seq);
  const inner = el('ul', { class: 'tree' });
  list.append(el('li', {}, made ? stepWords(made) : 'first text', inner));
  if (!joined.length) {
    const cited = (version.quotes || []).map((each) => quotes[each]);
    inner.append(...cited.map((quote) => el('li', { class: 'turn' }, turnOf(quote))));
    if (!cited.length) inner.append(el('li', { class: 'quiet' }, 'the words that it rests on were taken back, or erased'));
  }
  for (const [parent, at] of joined) {
    const below = el('ul', { class: 'tree' });
    const node = histories.get(parent)[at];
    const head = [factLink(parent), ' ', told(node)];
    if (depth < DEEP) {
      grow(below, parent, at, depth + 1);
      inner.append(el('li', {}, head, below));
    } else {
      const more = el('details', {}, el('summary', {}, 'where that comes from'), below);
      more.addEventListener('toggle', () => {
        if (more.open && !below.childNodes.length) grow(below, parent, at, 0);
      });
      inner.append(el('li', {}, head, more));
    }
  }
}

function stepWords(row) {
  return [sentence(row.sentence), el('span', { class: 'quiet' }, byWhom(row)),
    row.reason ? el('span', { class: 'quiet' }, ' — “', said(row.reason, ''), '”') : ''];
}

function turnOf(quote) {
  return el('figure', {},
    el('blockquote', { dir: 'auto' }, said(quote.before, 'around'), el('mark', {}, said(quote.words)), said(quote.after, 'around')),
    el('figcaption', {}, said(quote.speaker || quote.provenance, 'who'), `, ${quote.said ? `${minute(quote.said)} UTC` : 'no time'}`,
      quote.session ? [', session ', said(quote.session, '')] : '', el('span', { class: 'mono' }, ` t${quote.turn}`)));
}
