/** The page to play with: one list, all its metrics, and what conventions say. */
(() => {
  "use strict";

  const { UNJUDGED, evaluate } = RankMetrics;
  const { metrics, conventions } = CONVENTIONS;
  const MASKED = -1;
  const BEST_GRADE = 4;
  const FEWEST = 2;
  const MOST = 8;
  const PRECISION = 1e-6; // of tools that compute in single precision
  const METRICS_NAMED = 3;
  const SOURCES_NAMED = 2;
  const AND = new Intl.ListFormat("en-GB");
  const GROUPS = {
    at_k: "Within the first k",
    whole_list: "Whole list",
    judgements: "Judgements",
    two_rankings: "Labels and scores as two rankings",
  };
  const SYMBOLS = { [UNJUDGED]: "?", [MASKED]: "–" };
  const NAMES = { [UNJUDGED]: "unjudged", [MASKED]: "masked" };
  const down = (n) => Array.from({ length: n }, (_, i) => n - i);
  const START = [1, 0, 0, 1, 0, 1, 1, 1];
  const PRESETS = {
    "The front page": { labels: START },
    "All tied": { labels: START, scores: START.map(() => 1) },
    "Nothing relevant": { labels: START.map(() => 0) },
    Grades: { labels: [2, 4, 0, 3, 1, 0] },
    "One relevant item": { labels: [0, 0, 1, 0, 0, 0] },
    "Unjudged items": { labels: [1, UNJUDGED, 0, UNJUDGED, 1, 0] },
  };

  // The state: labels and scores, the best score first, and what to compute of them.
  // Each change returns another state.

  function preset({ labels, scores = down(labels.length) }) {
    return { labels, scores, k: 3, threshold: 1, ties: "average", number: "", chosen: 0 };
  }

  /** Return the state with the items ordered by score, and one of them chosen. */
  function ordered(state, items, item) {
    const sorted = [...items].sort((a, b) => (a.score === b.score ? 0 : b.score - a.score));
    return {
      ...state,
      labels: sorted.map(({ label }) => label),
      scores: sorted.map(({ score }) => score),
      chosen: Math.max(sorted.indexOf(item), 0),
    };
  }

  const itemsOf = ({ labels, scores }) => labels.map((label, i) => ({ label, score: scores[i] }));

  /** Move an item to another place. The scores stay where they are. */
  function moved(state, from, to) {
    if (to < 0 || to >= state.labels.length) return state;
    const labels = [...state.labels];
    labels.splice(to, 0, ...labels.splice(from, 1));
    return { ...state, labels, chosen: to };
  }

  function labelled(state, place, label) {
    return { ...state, labels: state.labels.with(place, label), chosen: place };
  }

  function scored(state, place, score) {
    const items = itemsOf(state);
    items[place].score = score;
    return ordered(state, items, items[place]);
  }

  /** Tie an item with the next one, or give the next ones a score below it. */
  function tieToggled(state, place) {
    const [upper, lower] = [state.scores[place], state.scores[place + 1]];
    const next = state.scores.find((score) => score < upper && score > -Infinity);
    const apart = next === undefined ? upper - 1 : (upper + next) / 2;
    const scores = state.scores.map((score, i) => {
      if (i <= place || score !== lower) return score;
      return upper === lower ? apart : upper;
    });
    return { ...state, scores };
  }

  function added(state) {
    const least = Math.min(...state.scores.filter((score) => score > -Infinity), 2);
    const item = { label: 0, score: least - 1 };
    return ordered(state, [...itemsOf(state), item], item);
  }

  function removed(state, place) {
    const items = itemsOf(state).toSpliced(place, 1);
    return ordered(state, items, items[Math.min(place, items.length - 1)]);
  }

  // The address holds the state, so that a link leads to the same ranking.

  function addressOf({ labels, scores, k, threshold, ties, number }) {
    const list = [`labels=${labels}`, `scores=${scores}`, `k=${k}`];
    if (threshold !== 1) list.push(`threshold=${threshold}`);
    if (ties !== "average") list.push(`ties=${ties}`);
    if (number !== "") list.push(`number=${encodeURIComponent(number)}`);
    return `#${list.join("&")}`;
  }

  /** Return the state of an address, or null if it has none. */
  function stateOf(address) {
    const given = new URLSearchParams(address.slice(1));
    const numbers = (name) => (given.get(name) ?? "").split(",").map(Number);
    const [labels, scores] = [numbers("labels"), numbers("scores")];
    const isLabel = (x) => Number.isInteger(x) && x >= UNJUDGED && x <= BEST_GRADE;
    const valid = labels.length >= FEWEST && labels.length <= MOST && labels.every(isLabel);
    const matches = scores.length === labels.length && scores.every((x) => x < Infinity);
    if (!given.has("labels") || !valid || !matches) return null;
    const within = (name, most, usual) =>
      Math.min(Math.max(Math.round(Number(given.get(name))) || usual, 1), most);
    const items = itemsOf({ labels, scores });
    const ties = [...find("ties").options].map((option) => option.value);
    return {
      ...ordered({}, items, items[0]),
      k: within("k", 10, 3),
      threshold: within("threshold", BEST_GRADE, 1),
      ties: ties.includes(given.get("ties")) ? given.get("ties") : "average",
      number: given.get("number") ?? "",
    };
  }

  // Values

  /** Return the options that the page sets, beyond those of a convention. */
  function optionsSet(state, name, convention) {
    const { takes_k, options } = metrics[name];
    const found = takes_k ? { k: state.k } : {};
    if ("relevance_threshold" in options && state.threshold !== 1) {
      found.relevance_threshold = state.threshold;
    }
    if (convention === null && "ties" in options && state.ties !== "average") {
      found.ties = state.ties;
    }
    return found;
  }

  /** Return a function from a metric and a convention to the value of the list. */
  function valuesOf(state) {
    const known = new Map();
    return (name, convention = null) => {
      const set = convention === null ? {} : conventions[convention].metrics[name];
      const options = {
        ...metrics[name].options,
        ...set,
        ...optionsSet(state, name, convention),
      };
      const key = name + JSON.stringify(options);
      if (!known.has(key)) {
        known.set(key, evaluate(name, state.labels, state.scores, options));
      }
      return known.get(key);
    };
  }

  /** Return the higher of the values of the best and the worst order. */
  function highest(name) {
    const labels = [...state.labels].sort((a, b) => b - a);
    const scores = [...state.scores].sort((a, b) => b - a);
    const found = [labels, [...labels].reverse()].map((order) =>
      valuesOf({ ...state, labels: order, scores })(name),
    );
    return Math.max(...found) || 1;
  }

  /** Return False where the source has no such metric, or takes no such labels. */
  function defines(state, convention, name) {
    const { grades, metrics: defined } = conventions[convention];
    return name in defined && (grades || state.labels.every((label) => label <= 1));
  }

  const titleOf = (name, k) => metrics[name].title + (metrics[name].takes_k ? `@${k}` : "");
  const inDigits = (value) =>
    value === null ? "excluded" : (Math.round(value * 1e4) / 1e4 + 0).toFixed(4);

  /** Return the Python code that computes the value. */
  function codeOf(state, { name, convention }, value) {
    const python = (x) => (x === -Infinity ? 'float("-inf")' : String(x));
    const kept = itemsOf(state).filter(
      ({ label }) => metrics[name].group !== "two_rankings" || label >= 0,
    );
    const list = (key) => `[[${kept.map((item) => python(item[key])).join(", ")}]]`;
    const options = Object.entries(optionsSet(state, name, convention))
      .map(([option, x]) => `${option}=${typeof x === "string" ? `"${x}"` : x}`)
      .join(", ");
    const source = convention === null ? "krm" : `krm.conventions.${convention}`;
    // A mean over no lists is 0 in Python.
    const result = value === null ? "0.0: the list is excluded" : inDigits(value);
    return [
      "import keras_rankmetrics as krm",
      "",
      `labels = ${list("label")}`,
      `scores = ${list("score")}`,
      `${source}.${name}(${options})(labels, scores)  # ${result}`,
    ].join("\n");
  }

  // A number that somebody has seen, compared with values as `krm.explain` does

  /** Return a number and the unit of its last digit, or null if the text is no number. */
  function numberOf(text) {
    const form = /^([+-]?(?=\.?\d)\d*\.?(\d*)(?:e([+-]?\d+))?)\s*(%?)$/i;
    const [, digits, fraction = "", exponent = 0, percent] = form.exec(text.trim()) ?? [];
    const decimals = fraction.length - exponent;
    const scale = percent ? 100 : 1;
    const [value, unit] = [Number(digits) / scale, 10 ** -decimals / scale];
    if (!Number.isFinite(value) || !(unit > 0)) return null;
    const isPercent = scale > 1 || Math.abs(value) > 1;
    return { value, unit, hasFewDigits: decimals < (isPercent ? 2 : 3) };
  }

  /** Return a number on the scale of a metric: in percent above 1 if the metric is at most 1. */
  function scaledTo(name, { value, unit }) {
    const scale = metrics[name].range !== null && Math.abs(value) > 1 ? 100 : 1;
    return { value: value / scale, unit: unit / scale };
  }

  const difference = (number, { name, value }) => value - scaledTo(name, number).value;
  const distance = (number, cell) => Math.abs(difference(number, cell));

  function matches(number, cell) {
    const { value, unit } = scaledTo(cell.name, number);
    return distance(number, cell) <= unit / 2 + PRECISION * Math.max(1, Math.abs(value));
  }

  /** Return the cells with the value that is nearest to a number. */
  function nearest(number, cells) {
    const least = Math.min(...cells.map((cell) => distance(number, cell)));
    const first = cells.find((cell) => distance(number, cell) === least);
    const beyond = (cell) => difference(number, cell) - difference(number, first);
    return cells.filter((cell) => Math.abs(beyond(cell)) < PRECISION);
  }

  /** Return the first texts, and how many more there are. A single one more is named. */
  const shortened = (texts, most, more) =>
    texts.length <= most + 1 ? texts : [...texts.slice(0, most), `${texts.length - most} ${more}`];

  /** Return the metrics of some cells in words, those of most cells first. */
  function inWords(cells, k) {
    const grouped = [...new Set(cells.map(({ name }) => name))]
      .map((name) => cells.filter((cell) => cell.name === name))
      .sort((a, b) => b.length - a.length);
    const texts = grouped.map((some) => {
      const sources = some.map(({ convention }) => convention ?? "keras_rankmetrics");
      const named = AND.format(shortened(sources, SOURCES_NAMED, "more"));
      return `${titleOf(some[0].name, k)} in ${named}`;
    });
    return shortened(texts, METRICS_NAMED, "more metrics").join("; ");
  }

  /** Say in a sentence which cells a number matches, or what is nearest to it. */
  function matchesInWords(text, { number, found, cells, k }) {
    if (text === "") return "";
    if (number === null) return "The field should contain a number, such as 0.8333, 83.3% or 83.33.";
    if (found.length > 0) {
      const values = found.length === 1 ? "1 value" : `${found.length} values`;
      const doubt = number.hasFewDigits ? " With so few digits, a match is no evidence." : "";
      return `${text} matches ${values}: ${inWords(found, k)}.${doubt}`;
    }
    if (cells.length === 0) return `${text} matches no value.`;
    const near = nearest(number, cells);
    const value = inDigits(near[0].value);
    return `${text} matches no value. The nearest is ${value}: ${inWords(near, k)}.`;
  }

  // The page

  const root = document.getElementById("play");
  const find = (name) => root.querySelector(`[data-play="${name}"]`);

  /** Return an element with attributes, properties and children. */
  function make(tag, { dataset, ...properties } = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    Object.assign(element.dataset, dataset);
    element.append(...children);
    return element;
  }

  let state = preset(PRESETS["The front page"]);
  let shown = { name: "MeanAveragePrecision", convention: null };
  let values = valuesOf(state);
  let before = values;
  let drag = null;
  let writing = null;

  /** Take on another state. While one change goes on, it is compared to its start. */
  function change(next, goesOn = false) {
    if (!goesOn) before = values;
    state = next;
    values = valuesOf(state);
    render();
    // Safari refuses frequent changes of the address.
    clearTimeout(writing);
    writing = setTimeout(writeAddress, 200);
  }

  function writeAddress() {
    clearTimeout(writing);
    writing = null;
    history.replaceState(null, "", addressOf(state));
  }

  // The tiles

  /** Return the rank of each item, or null if it has none. */
  function ranksOf({ labels, scores }) {
    let rank = 0;
    return labels.map((label, i) => (label === MASKED || scores[i] === -Infinity ? null : ++rank));
  }

  function describe({ labels, scores }, place) {
    const rank = ranksOf(state)[place];
    const label = NAMES[labels[place]] ?? `grade ${labels[place]}`;
    const score = scores[place] === -Infinity ? "not retrieved" : `score ${scores[place]}`;
    return `${rank === null ? "No rank" : `Rank ${rank}`}: ${label}, ${score}`;
  }

  function tile(place) {
    const button = make("button", { type: "button", className: "play-tile" });
    button.setAttribute("aria-describedby", "play-help");
    for (const part of ["rank", "label", "score"]) {
      button.append(make("span", { className: `play-${part}` }));
    }
    button.addEventListener("pointerdown", (event) => startDrag(event, place));
    button.addEventListener("pointermove", dragTo);
    button.addEventListener("pointerup", () => endDrag(place));
    button.addEventListener("pointercancel", () => endDrag(null));
    button.addEventListener("keydown", (event) => onKey(event, place));
    button.addEventListener("focus", () => {
      state = { ...state, chosen: place };
      renderItem();
      renderSummary();
    });
    // Enter and Space are clicks without a pointer.
    button.addEventListener("click", (event) => {
      if (event.detail === 0) change(labelled(state, place, nextGrade(place)));
    });
    const tie = make("button", { type: "button", className: "play-tie" });
    tie.addEventListener("click", () => change(tieToggled(state, place)));
    return make("li", {}, button, tie);
  }

  const nextGrade = (place) => {
    const label = state.labels[place];
    return label < 0 || label === BEST_GRADE ? 0 : label + 1;
  };
  const tiles = () => [...root.querySelectorAll(".play-tile")];

  function startDrag(event, place) {
    if (event.button !== 0) return;
    event.target.closest(".play-tile").setPointerCapture(event.pointerId);
    const centres = tiles().map((each) => {
      const { left, top, width, height } = each.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    });
    drag = { start: [event.clientX, event.clientY], centres, place, moves: false, changed: false };
  }

  function dragTo({ clientX, clientY }) {
    if (drag === null) return;
    const distance = ([x, y]) => Math.hypot(x - clientX, y - clientY);
    if (!drag.moves && distance(drag.start) < 6) return;
    drag.moves = true;
    const distances = drag.centres.map(distance);
    const nearest = distances.indexOf(Math.min(...distances));
    if (nearest !== drag.place) {
      change(moved(state, drag.place, nearest), drag.changed);
      Object.assign(drag, { place: nearest, changed: true });
    }
    const [x, y] = drag.centres[nearest];
    tiles().forEach((each, i) => {
      const dragged = i === nearest;
      each.style.transform = dragged ? `translate(${clientX - x}px, ${clientY - y}px)` : "";
      each.classList.toggle("dragged", dragged);
    });
  }

  /** End a drag. A click, which is a drag that moves nothing, changes the grade. */
  function endDrag(clicked) {
    if (drag === null) return;
    const { moves, place: end } = drag;
    drag = null;
    for (const each of tiles()) {
      each.style.transform = "";
      each.classList.remove("dragged");
    }
    if (moves || clicked === null) render();
    else change(labelled(state, clicked, nextGrade(clicked)));
    if (clicked !== null) tiles()[end].focus();
  }

  function onKey(event, place) {
    // Shortcuts of the browser.
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { key } = event;
    const grade = state.labels[place];
    if (key === "ArrowLeft" || key === "ArrowRight") {
      change(moved(state, place, place + (key === "ArrowLeft" ? -1 : 1)));
    } else if (key === "ArrowUp" || key === "ArrowDown") {
      const next = grade + (key === "ArrowUp" ? 1 : -1);
      change(labelled(state, place, Math.min(Math.max(next, 0), BEST_GRADE)));
    } else if (/^[0-4]$/.test(key)) {
      change(labelled(state, place, Number(key)));
    } else {
      return;
    }
    event.preventDefault();
    tiles()[state.chosen].focus();
  }

  function renderTiles() {
    const list = find("list");
    const { labels, scores, k, chosen } = state;
    while (list.children.length > labels.length) list.lastChild.remove();
    while (list.children.length < labels.length) list.append(tile(list.children.length));
    const ranks = ranksOf(state);
    [...list.children].forEach((item, i) => {
      const [button, tie] = item.children;
      const parts = [ranks[i] ?? "–", SYMBOLS[labels[i]] ?? labels[i]];
      parts.push(scores[i] === -Infinity ? "–" : Number(scores[i].toPrecision(4)));
      parts.forEach((text, part) => (button.children[part].textContent = text));
      button.dataset.label = labels[i];
      button.classList.toggle("beyond", ranks[i] === null || ranks[i] > k);
      button.classList.toggle("chosen", i === chosen);
      button.setAttribute("aria-label", describe(state, i));
      const tied = scores[i] === scores[i + 1];
      tie.hidden = i === labels.length - 1;
      tie.disabled = tied && scores[i] === -Infinity;
      tie.textContent = tied ? "=" : "›";
      tie.setAttribute("aria-pressed", tied);
      tie.setAttribute("aria-label", `Tie the items at positions ${i + 1} and ${i + 2}`);
    });
  }

  function renderItem() {
    const { labels, scores, chosen } = state;
    tiles().forEach((each, i) => each.classList.toggle("chosen", i === chosen));
    find("place").textContent = chosen + 1;
    for (const button of find("grades").children) {
      button.setAttribute("aria-pressed", Number(button.dataset.label) === labels[chosen]);
    }
    const missed = scores[chosen] === -Infinity;
    if (document.activeElement !== find("score")) {
      find("score").value = missed ? "" : scores[chosen];
    }
    find("missed").setAttribute("aria-pressed", missed);
    find("remove").disabled = labels.length === FEWEST;
    find("add").disabled = labels.length === MOST;
  }

  // The tables

  /** Return a button that shows the code of a value. */
  function valueButton(name, convention) {
    const button = make("button", { type: "button", className: "play-value" });
    button.title = "Show the code";
    button.addEventListener("click", () => {
      shown = { name, convention };
      find("code-box").hidden = false;
      render();
    });
    Object.assign(button.dataset, { metric: name, convention: convention ?? "" });
    return button;
  }

  function buildMetrics() {
    for (const [group, title] of Object.entries(GROUPS)) {
      const rows = Object.keys(metrics).filter((name) => metrics[name].group === group);
      const table = make("table", {}, make("caption", {}, title));
      for (const name of rows) {
        const link = make("a", { href: `metrics/${metrics[name].page}.html` });
        const head = make("th", { scope: "row" }, link);
        if (!metrics[name].more_is_better) {
          head.append(make("small", { title: "Lower is better" }, " ↓"));
        }
        const bar = make("td", { className: "play-bar" }, make("span"));
        const cell = make("td", {}, valueButton(name, null));
        table.append(make("tr", { dataset: { row: name } }, head, bar, cell));
      }
      find("metrics").append(table);
    }
  }

  function renderMetrics() {
    for (const row of find("metrics").querySelectorAll("tr")) {
      const name = row.dataset.row;
      const [head, bar, cell] = row.children;
      const [value, old] = [values(name), before(name)];
      head.firstChild.textContent = titleOf(name, state.k);
      showValue(cell.firstChild, value, old, metrics[name].more_is_better);
      const [low, high] = metrics[name].range ?? [0, highest(name)];
      const at = (x) => `${(100 * (x - low)) / (high - low)}%`;
      bar.classList.toggle("empty", value === null);
      bar.firstChild.style.left = at(Math.min(value ?? 0, 0));
      bar.firstChild.style.right = `calc(100% - ${at(Math.max(value ?? 0, 0))})`;
    }
  }

  function showValue(button, value, old, moreIsBetter) {
    button.textContent = inDigits(value);
    const { metric: name, convention } = button.dataset;
    button.setAttribute(
      "aria-pressed",
      !find("code-box").hidden &&
        name === shown.name &&
        convention === (shown.convention ?? ""),
    );
    const same = inDigits(old) === inDigits(value);
    const better = value > old === moreIsBetter;
    button.dataset.change = same ? "" : better ? "better" : "worse";
  }

  // Metrics that at least three sources have, those of most sources first.
  const sourcesOf = (name) => Object.keys(conventions).filter((c) => name in conventions[c].metrics);
  const COLUMNS = Object.keys(metrics)
    .filter((name) => sourcesOf(name).length > 2)
    .sort((a, b) => sourcesOf(b).length - sourcesOf(a).length);

  function buildConventions() {
    const head = make("tr", {}, make("th", { scope: "col" }, "convention"));
    for (const name of COLUMNS) head.append(make("th", { scope: "col" }));
    const body = make("tbody");
    for (const convention of Object.keys(conventions)) {
      const parts = convention.split(/(?<=_)/).flatMap((part) => [part, make("wbr")]);
      const row = make("tr", {}, make("th", { scope: "row" }, ...parts));
      for (const name of COLUMNS) {
        const cell = make("td");
        if (name in conventions[convention].metrics) cell.append(valueButton(name, convention));
        row.append(cell);
      }
      body.append(row);
    }
    find("conventions").append(make("table", {}, make("thead", {}, head), body));
  }

  /** Return the values of a metric by convention, those of most conventions first. */
  function differingValues(name) {
    const counts = new Map();
    for (const convention of sourcesOf(name)) {
      if (!defines(state, convention, name)) continue;
      const digits = inDigits(values(name, convention));
      counts.set(digits, (counts.get(digits) ?? 0) + 1);
    }
    return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  }

  function renderConventions() {
    const [head, ...rows] = find("conventions").querySelectorAll("tr");
    COLUMNS.forEach((name, column) => {
      const differing = differingValues(name);
      const [title, cutoff] = titleOf(name, state.k).split("@");
      head.children[column + 1].replaceChildren(
        title,
        ...(cutoff ? [make("wbr"), `@${cutoff}`] : []),
        make("small", {}, differing.length > 1 ? `${differing.length} values` : ""),
      );
      for (const row of rows) {
        const convention = row.firstChild.textContent;
        const button = row.children[column + 1].firstChild;
        if (button === null) continue;
        button.disabled = !defines(state, convention, name);
        const value = values(name, convention);
        showValue(button, value, before(name, convention), metrics[name].more_is_better);
        // The first value, the most frequent one, has no colour.
        button.dataset.differs = Math.min(differing.indexOf(button.textContent), 4);
        if (button.disabled) {
          button.textContent = "no grades";
          button.dataset.differs = 0;
          button.dataset.change = "";
        }
      }
    });
  }

  /** Return what the cells of both tables hold, those of the libraries first. */
  function cellsShown() {
    const enabled = (table) => [...find(table).querySelectorAll(".play-value:enabled")];
    const cells = ["conventions", "metrics"].flatMap(enabled).map((button) => {
      const name = button.dataset.metric;
      const convention = button.dataset.convention || null;
      return { button, name, convention, value: values(name, convention) };
    });
    return cells.filter(({ value }) => value !== null);
  }

  /** Highlight the cells that have the number in the field, and name them. */
  function renderNumber() {
    const text = state.number.trim();
    const number = numberOf(text);
    const cells = number === null ? [] : cellsShown();
    const found = cells.filter((cell) => matches(number, cell));
    const buttons = new Set(found.map(({ button }) => button));
    for (const each of root.querySelectorAll(".play-value")) {
      each.classList.toggle("found", buttons.has(each));
    }
    find("number").value = state.number;
    find("number").setAttribute("aria-invalid", text !== "" && number === null);
    find("found").textContent = matchesInWords(text, { number, found, cells, k: state.k });
  }

  /** Say in a sentence what the ranking has become. */
  function summary() {
    const name = "MeanAveragePrecision";
    const found = differingValues(name).filter((digits) => digits !== "excluded").sort();
    const range =
      found.length > 1 ? `from ${found[0]} to ${found.at(-1)}` : `as ${found[0] ?? "excluded"}`;
    return (
      `${describe(state, state.chosen)}. NDCG@${state.k} is ${inDigits(values("NDCG"))}. ` +
      `Libraries report MAP@${state.k} ${range}.`
    );
  }

  function renderSummary() {
    if (drag === null) find("summary").textContent = summary();
  }

  function render() {
    renderTiles();
    renderItem();
    for (const name of ["k", "threshold", "ties"]) find(name).value = state[name];
    find("k-value").textContent = state.k;
    renderMetrics();
    renderConventions();
    renderNumber();
    const value = values(shown.name, shown.convention);
    find("code").textContent = codeOf(state, shown, value);
    renderSummary();
  }

  /** Copy a text. Without a secure context, browsers lack the clipboard. */
  function copy(button, text) {
    const area = make("textarea", { value: text });
    const byHand = () => {
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    };
    (navigator.clipboard?.writeText(text) ?? Promise.reject()).catch(byHand);
    const usual = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = usual), 1500);
  }

  function build() {
    const button = (text, onClick, dataset) => {
      const made = make("button", { type: "button", dataset }, text);
      made.addEventListener("click", onClick);
      return made;
    };
    for (const [name, list] of Object.entries(PRESETS)) {
      const start = () => change({ ...preset(list), number: state.number });
      find("presets").append(button(name, start));
    }
    for (const label of [0, 1, 2, 3, 4, UNJUDGED, MASKED]) {
      const set = () => change(labelled(state, state.chosen, label));
      find("grades").append(button(NAMES[label] ?? label, set, { label }));
    }
    const on = (name, event, act) => find(name).addEventListener(event, act);
    on("score", "input", ({ target }) => {
      if (Number.isFinite(target.valueAsNumber)) {
        change(scored(state, state.chosen, target.valueAsNumber));
      }
    });
    // An empty field takes on the score again.
    on("score", "blur", renderItem);
    on("missed", "click", () => {
      const { scores, chosen } = state;
      const least = Math.min(...scores.filter((score) => score > -Infinity), 2);
      change(scored(state, chosen, scores[chosen] === -Infinity ? least - 1 : -Infinity));
    });
    on("add", "click", () => change(added(state)));
    on("remove", "click", () => change(removed(state, state.chosen)));
    on("k", "input", ({ target }) => change({ ...state, k: Number(target.value) }));
    on("threshold", "change", ({ target }) => change({ ...state, threshold: Number(target.value) }));
    on("ties", "change", ({ target }) => change({ ...state, ties: target.value }));
    // The ranking is the same, and the colours of its last change stay.
    on("number", "input", ({ target }) => change({ ...state, number: target.value }, true));
    on("link", "click", ({ target }) => {
      copy(target, location.href.split("#")[0] + addressOf(state));
    });
    on("copy", "click", ({ target }) => copy(target, find("code").textContent));
    on("close", "click", () => {
      find("code-box").hidden = true;
      render();
    });
    buildMetrics();
    buildConventions();
  }

  build();
  window.addEventListener("hashchange", () => {
    const given = stateOf(location.hash);
    if (given !== null) change(given);
  });
  window.addEventListener("pagehide", () => {
    if (writing !== null) writeAddress();
  });
  state = stateOf(location.hash) ?? state;
  before = values = valuesOf(state);
  root.hidden = false;
  render();
})();
