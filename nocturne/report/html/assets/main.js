// What stands at the top, what the versions chosen draw, and what a click or a key does.

let drawn = '';

function choose(places, light) {
  Object.assign(chosen, places);
  drawTimeline();
  readOut(null);
  byId('older').value = chosen.older;
  byId('newer').value = chosen.newer;
  const key = `${chosen.older} ${chosen.newer}`;
  // While a handle is dragged only the curve follows; the rest is drawn when it is let go.
  if (light || key === drawn) return;
  drawn = key;
  const older = snapshots[chosen.older];
  const newer = snapshots[chosen.newer];
  const compared = difference(older, newer);
  drawPasses(compared.rows);
  drawRefusals(compared.rows);
  drawChanges(older, newer, compared);
  drawFacts();
  for (const button of byId('presets').children) {
    button.setAttribute('aria-pressed', String(button.dataset.range === key));
  }
  remember();
}

// The address says what is looked at: #s2..s14/m12
function remember() {
  const shown = byId('detail').open ? `/m${byId('detail').dataset.shown}` : '';
  const address = `#s${snapshots[chosen.older].number}..s${snapshots[chosen.newer].number}${shown}`;
  if (window.location.hash !== address) window.history.replaceState(null, '', address);
}

function recall() {
  const found = /^#(?:s(\d+)\.\.s(\d+))?\/?(?:m(\d+))?$/.exec(window.location.hash);
  if (!found) return false;
  const place = (name) => snapshots.findIndex((each) => each.number === Number(name));
  const older = found[1] ? place(found[1]) : -1;
  const newer = found[2] ? place(found[2]) : -1;
  if (older >= 0 && newer >= 0) choose({ older, newer });
  if (found[3]) openFact(Number(found[3]));
  return older >= 0 && newer >= 0;
}

function presets() {
  const last = snapshots.length - 1;
  const nights = stretches.filter((each) => each.kind === 'sleep');
  const ranges = [['everything', 0, last]];
  if (nights.length) {
    const night = nights[nights.length - 1];
    ranges.unshift(['the last night', night.first, night.last]);
    if (night.last < last) ranges.unshift(['since the last night', night.first, last]);
  }
  byId('presets').append(...ranges.map(([name, older, newer]) => el('button', {
    type: 'button', 'data-range': `${older} ${newer}`, onclick: () => choose({ older, newer }),
  }, name)));
  return ranges[0];
}

function head() {
  const now = stateAt(snapshots[snapshots.length - 1].seq);
  const active = [...now.values()].filter((fact) => fact.active);
  const kindCount = mutations.filter((row) => row.code).length;
  const nights = stretches.filter((each) => each.kind === 'sleep').length;
  byId('name').textContent = data.name;
  const last = snapshots[snapshots.length - 1];
  byId('about').append(
    `s${data.upto}${data.upto < data.last ? ` of s${data.last}` : ''}, as of ${minute(data.now)} UTC · policy `,
    said(data.policy.name, ''), ': ', data.policy.sentence, '.');
  const figures = [
    ['active', active.length], ['no longer active', now.size - active.length], [nights === 1 ? 'night' : 'nights', nights], [snapshots.length === 1 ? 'version' : 'versions', snapshots.length],
    ['refused', kindCount],
  ];
  const kept = active.filter((fact) => fact.quarantined).length;
  if (kept) figures.push(['quarantined', kept]);
  if (withheld.size) figures.push(['taken back', withheld.size]);
  byId('figures').append(...figures.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, number(value)))));
  byId('foot').append(
    `Store ${data.uuid}. Its record ends at entry ${number(data.head[0])}, hash `, el('code', {}, data.head[1]), '. ',
    data.untold ? `Of strengths set, ${number(data.untold)} older ones are left out. ` : '',
    'This file needs no network and holds what the store held; nocturne audit proves it.');
  return last;
}

function controls() {
  const groups = stretches.map((each) => [each, snapshots.slice(each.first, each.last + 1)]);
  for (const name of ['older', 'newer']) {
    byId(name).append(...groups.map(([each, some]) => el('optgroup', { label: `${each.kind === 'sleep' ? 'night' : each.kind} ${day(some[0].at)}` },
      some.map((info, place) => el('option', { value: each.first + place }, versionName(info))))));
    byId(name).addEventListener('change', (event) => choose({ [name]: Number(event.target.value) }));
  }
  options(byId('block'), data.blocks, 'any');
  options(byId('category'), data.categories, 'any');
  options(byId('standing'), Object.keys(STANDINGS));
  options(byId('order'), Object.keys(ORDERS));
  byId('filter').addEventListener('submit', (event) => event.preventDefault());
  byId('filter').addEventListener('input', drawFacts);
  document.addEventListener('click', (event) => {
    const target = event.target.closest('[data-fact]');
    if (target) openFact(Number(target.dataset.fact));
  });
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === '/' && !typing && !byId('detail').open && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      byId('words').focus();
    }
  });
  const box = byId('detail');
  box.addEventListener('click', (event) => event.target === box && closeFact());
  box.addEventListener('close', () => {
    if (opener && opener.isConnected) opener.focus();
    remember();
  });
  window.addEventListener('hashchange', recall);
  let width = window.innerWidth;
  window.addEventListener('resize', () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    drawTimeline();
    drawFading();
  });
}

try {
  head();
  controls();
  const [, older, newer] = presets();
  if (!recall()) choose({ older, newer });
  const ready = (name) => { document.documentElement.dataset[name] = String(Math.round(performance.now())); };
  ready('ready');
  // The one drawing that looks at every fact at many moments waits until the rest is on the screen.
  setTimeout(() => {
    drawFading();
    ready('drawn');
  });
} catch (error) {
  byId('failed').textContent = `The history could not be drawn: ${error.message}. nocturne log and nocturne diff show it in the terminal.`;
  byId('failed').hidden = false;
  throw error;
}
