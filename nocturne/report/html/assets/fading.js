// Strength over time: of all active facts together, and of one.

const AHEAD = 45 * DAY;
const MOMENTS = 40;

// Axes over time and strength, with the line below which recall shows nothing.
function axes(width, height, first, last, top) {
  const edge = { left: 34, right: 12, top: 12, bottom: 26 };
  const span = Math.max(1, last - first);
  const x = (moment) => edge.left + ((moment - first) / span) * (width - edge.left - edge.right);
  const y = (value) => height - edge.bottom - (value / top) * (height - edge.top - edge.bottom);
  const parts = [];
  const rows = top > 1.2 ? [0, 0.5, 1, 1.5, 2].filter((value) => value <= top) : [0, 0.5, 1];
  for (const value of rows) {
    parts.push(svg('line', { class: 'grid', x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }));
    parts.push(svg('text', { class: 'tick', x: edge.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, value.toFixed(1)));
  }
  const count = Math.max(2, Math.min(6, Math.floor(width / 130)));
  for (let i = 0; i <= count; i += 1) {
    const moment = first + (span * i) / count;
    const anchor = i === 0 ? 'start' : i === count ? 'end' : 'middle';
    const words = span < 3 * DAY ? minute(moment).slice(5) : day(moment);
    parts.push(svg('text', { class: 'tick', x: x(moment), y: height - 8, 'text-anchor': anchor }, words));
  }
  const visible = data.policy.visible;
  parts.push(svg('line', { class: 'limit', x1: edge.left, x2: width - edge.right, y1: y(visible), y2: y(visible) }));
  return { x, y, parts, left: edge.left, right: width - edge.right, foot: y(0), head: edge.top };
}

const nowLine = (frame) => [
  svg('line', { class: 'now', x1: frame.x(data.now), x2: frame.x(data.now), y1: frame.head, y2: frame.foot }),
  svg('text', { class: 'tick now', x: frame.x(data.now) - 5, y: frame.head + 9, 'text-anchor': 'end' }, 'now'),
];

const pathOf = (points) => points.map(([x, y], place) => `${place ? 'L' : 'M'}${x.toFixed(1)},${y.toFixed(1)}`).join('');

// Which share of the active facts is how strong, at moments from the first fact to some weeks ahead.
function samples() {
  const begin = Math.min(...snapshots.map((each) => each.at), data.now);
  const times = [];
  for (let i = 0; i <= MOMENTS; i += 1) times.push(begin + ((data.now + AHEAD - begin) * i) / MOMENTS);
  const state = new Map();
  let next = 0;
  let seen = 0;
  const found = [];
  for (const time of times) {
    while (seen < snapshots.length && snapshots[seen].at <= time) seen += 1;
    const seq = seen ? snapshots[seen - 1].seq : 0;
    while (next < versions.length && versions[next].seq <= seq) {
      const version = versions[next];
      if (version.active) state.set(version.id, version);
      else state.delete(version.id);
      next += 1;
    }
    if (!state.size) continue;
    const values = new Float32Array(state.size);
    let place = 0;
    for (const fact of state.values()) { values[place] = strengthAt(fact, time); place += 1; }
    values.sort();
    const at = (share) => values[Math.min(values.length - 1, Math.floor(share * values.length))];
    found.push({ time, low: at(0.1), middle: at(0.5), high: at(0.9) });
  }
  return found;
}

let sampled = null;
function drawFading() {
  const host = clear(byId('fading'));
  sampled = sampled || samples();
  const last = stateAt(snapshots[snapshots.length - 1].seq);
  const active = [...last.values()].filter((fact) => fact.active);
  if (!sampled.length || !active.length) {
    host.append(el('p', { class: 'quiet' }, 'There are no active facts to draw.'));
    return;
  }
  const faded = active.filter((fact) => fades(fact, data.now)).length;
  const soon = active.filter((fact) => fades(fact, data.now + 30 * DAY)).length;
  const width = Math.max(280, host.clientWidth);
  const height = width < 560 ? 170 : 200;
  const top = Math.max(1, ...sampled.map((each) => each.high)) * 1.04;
  const frame = axes(width, height, sampled[0].time, sampled[sampled.length - 1].time, top);
  const past = sampled.filter((each) => each.time <= data.now);
  const ahead = sampled.filter((each) => each.time >= (past.length ? past[past.length - 1].time : 0));
  const band = [...sampled.map((each) => [frame.x(each.time), frame.y(each.high)]),
    ...[...sampled].reverse().map((each) => [frame.x(each.time), frame.y(each.low)])];
  const middle = (some) => pathOf(some.map((each) => [frame.x(each.time), frame.y(each.middle)]));
  host.append(
    el('p', { class: 'quiet' },
      `Half of the ${number(active.length)} active facts are stronger than ${past.length ? past[past.length - 1].middle.toFixed(2) : '1.00'} now, under the ${data.policy.law} law. `,
      faded ? `${counted(faded, 'fact')} ${faded === 1 ? 'has' : 'have'} faded from recall` : 'None has faded from recall',
      soon > faded ? `; ${number(soon - faded)} more will within 30 days unless used.` : '.'),
    svg('svg', {
      viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
      'aria-label': 'the strength of the active facts over time: median, and the range of the middle four fifths',
    }, frame.parts, svg('path', { class: 'band', d: `${pathOf(band)}Z` }),
    svg('path', { class: 'line', d: middle(past) }), svg('path', { class: 'line ahead', d: middle(ahead) }), nowLine(frame)),
    el('p', { class: 'legend' }, el('span', { class: 'key middle' }, 'median'), el('span', { class: 'key spread' }, 'middle four fifths'),
      el('span', { class: 'key limit' }, `shown by recall from ${data.policy.visible}`)),
  );
}

// One fact's curve: a jump at each access, decay between, dashed where it has not happened yet.
function strengthChart(fact, width) {
  const height = 150;
  const stretches = curveOf(fact);
  const last = data.now + AHEAD;
  const frame = axes(width, height, fact.recorded, last, Math.max(1, ...stretches.map((each) => each.base)) * 1.06);
  const draw = (from, to) => {
    const points = [];
    for (let i = 0; i < stretches.length; i += 1) {
      const begin = Math.max(from, stretches[i].at);
      const end = Math.min(to, i + 1 < stretches.length ? stretches[i + 1].at : to);
      if (end < begin) continue;
      for (let step = 0; step <= 24; step += 1) {
        const moment = begin + ((end - begin) * step) / 24;
        const { base, last: since, spaced } = stretches[i];
        points.push([frame.x(moment), frame.y(Math.max(data.policy.floor, base * retention((moment - since) / DAY, spaced)))]);
      }
    }
    return points.length ? pathOf(points) : '';
  };
  const dots = stretches.slice(1).map((each) => svg('circle', {
    class: 'touch', r: 3, cx: frame.x(each.at), cy: frame.y(Math.max(data.policy.floor, each.base * retention((each.at - each.last) / DAY, each.spaced))),
  }));
  const current = strengthAt(fact, data.now);
  return svg('svg', {
    viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'data-strength': current.toFixed(4),
    'aria-label': `strength ${current.toFixed(2)} now, ${strengthAt(fact, last).toFixed(2)} in 45 days`,
  }, frame.parts, svg('path', { class: 'line', d: draw(fact.recorded, data.now) }),
  svg('path', { class: 'line ahead', d: draw(data.now, last) }), dots, nowLine(frame),
  svg('circle', { class: 'dot', r: 4, cx: frame.x(data.now), cy: frame.y(current) }));
}
