/* How the search orders what it finds, and what it quotes of a page. Sphinx puts
   this file at the beginning of its searchtools.js. */

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 0, 1: 0, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  // What is searched for.
  query: "",

  // Small letters without punctuation, cutoffs and plurals.
  plain: (text) => {
    const words = text.toLowerCase().replace(/@(k|\d+)/g, "");
    return ` ${words.replace(/[^\p{L}\p{N}]+/gu, " ").trim()} `.replace(/s /g, " ");
  },

  score: ([page, title, anchor, , score, , kind]) => {
    // The page "NDCG: are the best items first?" and the section "What is
    // measured > Ties" have the names "NDCG" and "Ties".
    const query = Scorer.plain(Scorer.query);
    const name = Scorer.plain(title.split(" > ").pop().split(": ")[0]);
    if (name === query) score += anchor ? 60 : 100;
    // Not "keras_rankmetrics.Shown.cutoff": members of a class have no bonus.
    else if (name.includes(query) && !(kind === "object" && /\..*\./.test(title))) score += 20;

    if (/^(what_is_measured|input)$/.test(page)) score += 2;
    if (/^(index|guide|get_started|project|metrics\/index)$/.test(page)) score -= 4;
    if (kind === "object" || page.startsWith("reference/")) score -= 10;
    if (/^(_modules\/|changelog|benchmarks_full|errors$|contributing|reliability)/.test(page))
      score -= 40;
    return score;
  },
};

// The search calls this with the whole query, before it scores.
var splitQuery = (query) => {
  Scorer.query = query;
  return query
    .split(/[^\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu)
    .filter((term) => term);
};

// Quotes are of the text of a page, not of its navigation.
document.addEventListener("DOMContentLoaded", () => {
  const textOf = Search.htmlToText;
  Search.htmlToText = (source, anchor) => {
    const page = new DOMParser().parseFromString(source, "text/html");
    const around = "nav, footer, .bd-header-article, .bd-sidebar-secondary";
    page.querySelectorAll(around).forEach((part) => part.remove());
    return textOf(page.documentElement.outerHTML, anchor).trim();
  };
});
