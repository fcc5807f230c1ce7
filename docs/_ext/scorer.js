/* How the search orders what it finds, and what it quotes of a page. Sphinx puts
   this file at the beginning of its searchtools.js. */

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  // What is looked for, in small letters.
  query: "",

  score: ([page, title, anchor, , score, , kind]) => {
    // "NDCG: are the best items first?" is the page of "ndcg"; and "What is
    // measured > Ties" is the section "Ties" of a page.
    const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
    const query = plain(Scorer.query);
    const names = title.split(" > ").pop().split(": ").slice(0, 1).map(plain);
    if (names.includes(query)) score += anchor ? 60 : 100;
    else if (query && ` ${names[0]} `.includes(` ${query} `)) score += 20;
    if (/^(_modules\/|changelog|benchmarks_full|errors|contributing|reliability)/.test(page))
      score -= 40;
    else if (kind === "object" || page.startsWith("reference/")) score -= 10;
    return score;
  },
};

// The search calls this first, with the whole query.
var splitQuery = (query) => {
  Scorer.query = query.toLowerCase().trim();
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
    return textOf(page.documentElement.outerHTML, anchor);
  };
});
