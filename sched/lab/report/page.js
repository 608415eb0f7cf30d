'use strict';
/* A link to what is folded opens it. */
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', reveal);
reveal();
for (const figure of document.querySelectorAll('.lanes')) {
  const plot = figure.querySelector('svg.plot'), ticks = figure.querySelector('.ticks');
  const left = plot.x.baseVal.value, width = plot.width.baseVal.value;
  const height = plot.viewBox.baseVal.height, seconds = Number(figure.dataset.seconds);
  /* Positions in a plot are millionths of the time shown when nothing is zoomed. */
  const all = 1e6;
  let from = 0, size = all;
  const show = () => {
    plot.setAttribute('viewBox', `${from} 0 ${size} ${height}`);
    const shown = seconds * size / all, raw = shown / 8;
    const decade = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(k => k * decade).find(s => s >= raw * (1 - 1e-9));
    const first = seconds * from / all, y = Number(ticks.dataset.y);
    const decimals = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
    ticks.replaceChildren();
    for (let k = Math.ceil(first / step); k * step <= first + shown * (1 + 1e-9); k++) {
      const text = document.createElementNS(plot.namespaceURI, 'text');
      text.setAttribute('x', left + width * (k * step - first) / shown);
      text.setAttribute('y', y);
      text.setAttribute('text-anchor', 'middle');
      text.textContent = (k * step).toFixed(decimals);
      ticks.append(text);
    }
  };
  const move = to => {
    from = Math.min(Math.max(to, 0), all - size);
    show();
  };
  /* Keeps the point at this fraction of the plot where it is. */
  const zoom = (factor, at = 0.5) => {
    const next = Math.min(Math.max(size * factor, 1), all), fixed = from + at * size;
    size = next;
    move(fixed - at * next);
  };
  const reset = () => { size = all; move(0); };
  const place = event => {
    const box = plot.ownerSVGElement.getBoundingClientRect();
    const scale = box.width / plot.ownerSVGElement.viewBox.baseVal.width;
    return Math.min(Math.max((event.clientX - box.left - left * scale) / (width * scale), 0), 1);
  };
  const keys = {'+': () => zoom(1 / 2), '=': () => zoom(1 / 2), '-': () => zoom(2),
    '0': reset, Home: reset, ArrowLeft: () => move(from - size / 4),
    ArrowRight: () => move(from + size / 4)};
  figure.tabIndex = 0;
  figure.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  plot.addEventListener('wheel', event => {
    /* Elsewhere the wheel scrolls the page. */
    if (!event.ctrlKey && !figure.contains(document.activeElement)) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1 / 1.3 : 1.3, place(event));
  }, {passive: false});
  plot.addEventListener('dblclick', event => zoom(1 / 2, place(event)));
  let held = null;
  plot.addEventListener('pointerdown', event => {
    figure.focus({preventScroll: true});
    held = {at: place(event), from};
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener('pointermove', event => {
    if (held) move(held.from - (place(event) - held.at) * size);
  });
  for (const end of ['pointerup', 'pointercancel'])
    plot.addEventListener(end, () => { held = null; });
  const help = document.createElement('span');
  help.className = 'help';
  for (const [text, name, act] of [['+', 'Zoom in', () => zoom(1 / 2)],
      ['\u2212', 'Zoom out', () => zoom(2)], ['\u2190', 'Move left', keys.ArrowLeft],
      ['\u2192', 'Move right', keys.ArrowRight], ['all', 'Show all', reset]]) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text;
    button.setAttribute('aria-label', name);
    button.addEventListener('click', act);
    help.append(button);
  }
  show();
  help.append('Click the lanes, then turn the wheel to zoom and drag to move; keys: + \u2212 \u2190 \u2192 0');
  figure.querySelector('figcaption').append(help);
}
