// Refusals by code: what the code checks, why, and every sentence that it said.

function drawRefusals(rows) {
  const refused = rows.filter((row) => row.code);
  const host = clear(byId('refusals'));
  if (!refused.length) {
    host.append(el('p', { class: 'quiet' }, 'Nothing was refused between these two versions.'));
    return;
  }
  const groups = new Map();
  for (const row of refused) {
    if (!groups.has(row.code)) groups.set(row.code, []);
    groups.get(row.code).push(row);
  }
  const ordered = [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
  const most = ordered[0][1].length;
  host.append(el('div', { class: 'codes' }, ordered.map(([code, some]) => refusalGroup(code, some, most))));
}

function refusalGroup(code, rows, most) {
  const [title, why, no, yes] = data.codes[code] || [code, '', '', ''];
  const bar = el('i', { class: 'refused' });
  bar.style.width = `${((rows.length / most) * 100).toFixed(2)}%`;
  const body = el('div', { class: 'said-by' });
  const group = el('details', { class: 'code', 'data-code': code },
    el('summary', {},
      el('span', { class: 'mono' }, code), el('span', { class: 'title' }, title),
      el('span', { class: 'bar', 'aria-hidden': 'true' }, bar), el('span', { class: 'count' }, number(rows.length))),
    body);
  group.addEventListener('toggle', () => {
    if (!group.open || body.childNodes.length) return;
    const list = el('ul', { class: 'sentences' });
    const more = paged(list, rows, (row) => el('li', {}, refusalLine(row)), 20);
    body.append(
      why ? el('p', {}, why) : '',
      no ? el('dl', { class: 'examples' }, el('dt', {}, 'refused'), el('dd', {}, no), el('dt', {}, 'accepted'), el('dd', {}, yes)) : '',
      list, more,
    );
  });
  return group;
}

function refusalLine(row, withCode) {
  const [asked, ...rest] = row.sentence.split('   ');
  return [
    el('span', { class: 'asked' }, sentence(asked)),
    withCode ? [' ', el('span', { class: 'mono code-name' }, row.code)] : '',
    rest.length ? [' ', el('span', { class: 'because' }, sentence(rest.join('   ')))] : '',
    el('span', { class: 'quiet' }, byWhom(row)),
  ];
}
