// Elements, made one by one. Whatever a store says enters the page here, as text and never as markup.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, ...children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child.nodeType ? child : document.createTextNode(String(child)));
  }
  return element;
}

const el = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill(document.createElementNS(SVG, name), attributes, children);
const byId = (id) => document.getElementById(id);
const clear = (element) => (element.replaceChildren(), element);

// What somebody said or wrote: in its own direction, and kept apart from the words around it.
const said = (words, kind) => el('bdi', { dir: 'auto', class: kind || 'said' }, words);

const number = (value) => value.toLocaleString('en-US');
const counted = (value, what) => `${number(value)} ${what}${value === 1 ? '' : 's'}`;
const pad = (value) => String(value).padStart(2, '0');

function day(seconds) {
  const moment = new Date(seconds * 1000);
  return Number.isNaN(moment.getTime()) ? '' : moment.toISOString().slice(0, 10);
}

function minute(seconds) {
  const moment = new Date(seconds * 1000);
  if (Number.isNaN(moment.getTime())) return '';
  return `${day(seconds)} ${pad(moment.getUTCHours())}:${pad(moment.getUTCMinutes())}`;
}

// A button that opens a fact.
function factLink(id) {
  return el('button', { type: 'button', class: 'id', 'data-fact': id, 'aria-label': `open m${id}` }, `m${id}`);
}

// A sentence of ours, its ids made into buttons.
function sentence(words) {
  const parts = words.split(/\b(m\d+)\b/);
  return parts.map((part, place) => {
    const id = Number(part.slice(1));
    return place % 2 && histories.has(id) ? factLink(id) : part;
  });
}

// Who, where it was not the proposer, and when. That it was a person the sentence says itself.
const byWhom = (row) => `${row.origin === 'engine' ? ' · by the engine' : ''} · s${row.snapshot}`;

const tag = (words, kind) => el('span', { class: `tag ${kind || ''}` }, words);

// A list that is drawn a page at a time.
function paged(list, items, draw, size) {
  let shown = 0;
  const more = el('button', { type: 'button', class: 'more' });
  const next = () => {
    const before = shown;
    shown = Math.min(items.length, shown + size);
    list.append(...items.slice(before, shown).map(draw));
    more.textContent = `show ${number(Math.min(size, items.length - shown))} more of ${number(items.length - shown)}`;
    more.hidden = shown === items.length;
    return list.children[before];
  };
  more.addEventListener('click', () => {
    const first = next();
    const target = first && (first.matches('button') ? first : first.querySelector('button'));
    if (target) target.focus();
  });
  next();
  return more;
}

// Up and down move between the rows of a list.
function arrows(event, rows) {
  const steps = { ArrowDown: 1, ArrowUp: -1 };
  if (!(event.key in steps)) return;
  const place = rows.indexOf(document.activeElement);
  const target = rows[place + steps[event.key]];
  if (place < 0 || !target) return;
  event.preventDefault();
  target.focus();
}
