// The curve of active facts over the versions, and the two handles that choose what is compared.

const chosen = { older: 0, newer: snapshots.length - 1 };
const SLEEP = 'consolidation:start';

// Versions that one command made stand together: a night is one stretch.
const stretches = [];
for (const [place, info] of snapshots.entries()) {
  const kind = info.label.startsWith('pass:') || info.label === SLEEP ? 'sleep' : info.label.split(':')[0];
  const current = stretches[stretches.length - 1];
  if (current && kind === 'sleep' && current.kind === 'sleep' && info.label !== SLEEP) current.last = place;
  else stretches.push({ kind, first: place, last: place });
}
const stretchOf = (place) => stretches.find((each) => place <= each.last);

function labelWords(label) {
  if (label === SLEEP) return 'start of the night';
  const [kind, name, when] = label.split(':');
  return kind === 'pass' && when ? `${when} ${name}` : label.replace(/:/g, ' ');
}

const versionName = (info) => `s${info.number} · ${labelWords(info.label)} · ${number(info.active)} active`;

// The year only where it tells something.
const years = snapshots[0] && day(snapshots[0].at).slice(0, 4) !== day(snapshots[snapshots.length - 1].at).slice(0, 4);
const shortDay = (seconds) => (years ? day(seconds) : day(seconds).slice(5));

function niceStep(top) {
  const rough = Math.max(1, top) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  return Math.max(1, step);
}

function drawTimeline() {
  const host = byId('timeline');
  const width = Math.max(280, host.clientWidth);
  const height = width < 560 ? 190 : 250;
  const edge = { left: 12 + 7.2 * number(Math.max(...snapshots.map((each) => each.active))).length, right: 14, top: 30, bottom: 34 };
  const top = Math.max(1, ...snapshots.map((each) => each.active));
  const step = niceStep(top);
  const ceiling = Math.ceil((top * 1.02) / step) * step;
  const span = Math.max(1, snapshots.length - 1);
  const x = (place) => edge.left + (place / span) * (width - edge.left - edge.right);
  const y = (value) => height - edge.bottom - (value / ceiling) * (height - edge.top - edge.bottom);
  const foot = y(0);

  const bands = stretches.filter((each) => each.kind === 'sleep').map((each) => svg('rect', {
    class: 'night', x: x(each.first), width: Math.max(2, x(each.last) - x(each.first)), y: edge.top, height: foot - edge.top,
  }));
  const grid = [];
  for (let value = 0; value <= ceiling; value += step) {
    grid.push(svg('line', { class: 'grid', x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }));
    grid.push(svg('text', { class: 'tick', x: edge.left - 7, y: y(value) + 4, 'text-anchor': 'end' }, number(value)));
  }
  let free = -1;
  const labels = stretches.filter((each) => each.kind !== 'creation').flatMap((each) => {
    const info = snapshots[each.first];
    const middle = (x(each.first) + x(each.last)) / 2;
    const words = each.kind === 'sleep' ? `night ${shortDay(info.at)}` : `${each.kind} ${shortDay(info.at)}`;
    const half = words.length * 3.3;
    const at = Math.min(width - edge.right - half, Math.max(edge.left + half, middle));
    if (at - half < free + 8) return [];
    free = at + half;
    return [svg('text', { class: `tick ${each.kind}`, x: at, y: height - 10, 'text-anchor': 'middle' }, words)];
  });
  const line = snapshots.map((each, place) => (
    place ? `H${x(place).toFixed(1)}V${y(each.active).toFixed(1)}` : `M${x(0).toFixed(1)},${y(each.active).toFixed(1)}`
  )).join('');
  const marks = stretches.filter((each) => each.kind !== 'sleep' && stretches.length < 120).map((each) => svg('circle', {
    class: `event ${each.kind}`, cx: x(each.first), cy: y(snapshots[each.first].active), r: 3.5,
  }));

  const low = Math.min(chosen.older, chosen.newer);
  const high = Math.max(chosen.older, chosen.newer);
  const hover = svg('line', { class: 'hover', y1: edge.top, y2: foot, visibility: 'hidden' });
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`, width, height, role: 'group', 'aria-label': 'active facts over the versions',
  },
  bands,
  svg('rect', { class: 'span', x: x(low), width: x(high) - x(low), y: edge.top, height: foot - edge.top }),
  grid, labels,
  svg('path', { class: 'area', d: `${line}V${foot}H${x(0)}Z` }),
  svg('path', { class: 'line', d: line }),
  marks, hover,
  handle('older', 'A', x, y, edge.top, foot), handle('newer', 'B', x, y, edge.top, foot));

  const placeAt = (event) => {
    const box = picture.getBoundingClientRect();
    const share = (event.clientX - box.left - edge.left) / (box.width - edge.left - edge.right);
    return Math.max(0, Math.min(snapshots.length - 1, Math.round(share * span)));
  };
  picture.addEventListener('pointermove', (event) => {
    const place = placeAt(event);
    hover.setAttribute('x1', x(place));
    hover.setAttribute('x2', x(place));
    hover.setAttribute('visibility', 'visible');
    readOut(snapshots[place]);
    if (dragged) choose({ [dragged]: place }, true);
  });
  picture.addEventListener('pointerleave', () => {
    hover.setAttribute('visibility', 'hidden');
    readOut(null);
  });
  picture.addEventListener('pointerdown', (event) => {
    const place = placeAt(event);
    const grip = event.target.closest('[data-handle]');
    const nearest = Math.abs(place - chosen.older) < Math.abs(place - chosen.newer) ? 'older' : 'newer';
    dragged = grip ? grip.dataset.handle : event.shiftKey ? 'older' : nearest;
    choose({ [dragged]: place }, true);
    event.preventDefault();
  });
  clear(host).append(picture);
}

let dragged = null;
window.addEventListener('pointerup', () => {
  if (dragged) {
    const name = dragged;
    dragged = null;
    choose({});
    focusHandle(name);
  }
});

function focusHandle(name) {
  const grip = document.querySelector(`[data-handle="${name}"]`);
  if (grip) grip.focus({ preventScroll: true });
}

function handle(name, letter, x, y, top, foot) {
  const place = chosen[name];
  const info = snapshots[place];
  return svg('g', {
    class: `handle ${name}`, 'data-handle': name, tabindex: 0, role: 'slider',
    'aria-label': name === 'older' ? 'compare from' : 'compare to', 'aria-valuemin': 0,
    'aria-valuemax': snapshots.length - 1, 'aria-valuenow': place, 'aria-valuetext': `${versionName(info)}, ${minute(info.at)}`,
    onkeydown: (event) => steer(event, name),
  },
  svg('line', { x1: x(place), x2: x(place), y1: top - 6, y2: foot }),
  svg('circle', { class: 'dot', cx: x(place), cy: y(info.active), r: 4 }),
  svg('circle', { class: 'grip', cx: x(place), cy: top - 14, r: 9 }),
  svg('text', { x: x(place), y: top - 10, 'text-anchor': 'middle' }, letter));
}

function steer(event, name) {
  const here = chosen[name];
  const last = snapshots.length - 1;
  const stretch = stretchOf(here);
  const before = [...stretches].reverse().find((each) => each.last < here);
  const jumps = {
    ArrowLeft: here - 1, ArrowDown: here - 1, ArrowRight: here + 1, ArrowUp: here + 1, Home: 0, End: last,
    PageUp: here < stretch.last ? stretch.last : (stretches.find((each) => each.first > here) || stretch).last,
    PageDown: before ? before.last : 0,
  };
  if (!(event.key in jumps)) return;
  event.preventDefault();
  choose({ [name]: Math.max(0, Math.min(last, jumps[event.key])) });
  focusHandle(name);
}

function readOut(info) {
  const shown = info || snapshots[chosen.newer];
  fill(clear(byId('reading')), {},
    el('b', {}, `s${shown.number}`), ` ${labelWords(shown.label)} · ${number(shown.active)} active · ${minute(shown.at)} UTC`,
    shown.command ? [' · ', el('code', {}, said(shown.command, ''))] : '',
  );
}
