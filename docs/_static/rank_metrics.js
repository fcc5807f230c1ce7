/**
 * The metrics of one list, computed by their definitions.
 *
 * This shares no code with the package, and none of its closed forms: the value of a
 * list with ties is the mean over all orders of its tied items, one by one. It is fast
 * enough for lists of ten items.
 */
const RankMetrics = (() => {
  "use strict";

  const UNJUDGED = -2;

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const times = (count, of) => Array.from({ length: count }, (_, i) => of(i + 1));
  const descending = (values) => [...values].sort((a, b) => b - a);
  const ratio = (part, whole) => (whole === 0 ? 0 : part / whole);
  const count = (values, value) => values.filter((each) => each === value).length;

  const GAINS = {
    exponential_gain: (label) => 2 ** label - 1,
    linear_gain: (label) => label,
    binary_gain: (label) => Number(label >= 1),
  };

  const DISCOUNTS = {
    log2_discount: (rank) => 1 / Math.log2(rank + 1),
    natural_log_discount: (rank) => 1 / Math.log(rank + 1),
    original_discount: (rank) => 1 / Math.log2(Math.max(rank, 2)),
    reciprocal_discount: (rank) => 1 / rank,
    inverse_square_discount: (rank) => 1 / ((Math.PI ** 2 / 6 - 1) * (rank + 1) ** 2),
  };

  // What a metric sees in a label, as a function of the options. An item that nobody has
  // judged counts as 0, except where it is left out of the list.
  const grade = () => (label) => Math.max(label, 0);
  const gain = (o) => (label) => GAINS[o.gain_fn](Math.max(label, 0));
  const relevant = (o) => (label) => Number(label >= o.relevance_threshold);
  const judged = () => (label) => Number(label !== UNJUDGED);
  const stop = (o) => (label) => (2 ** Math.max(label, 0) - 1) / 2 ** o.max_grade;
  const likely = (o) => (label) => sum(o.probabilities.slice(0, Math.max(label, 0)));

  // The measures. Each returns the value of one order: `ranks[i - 1]` is what the metric
  // sees in the item at rank i. `list` describes the items, whatever their order, and
  // `o` holds the options and the cutoff `k`, infinite without one.

  const top = (ranks, o) => ranks.slice(0, o.k);
  const hits = (ranks, o) => sum(top(ranks, o));

  function discounted(ranks, o, discount) {
    let total = 0;
    const end = Math.min(ranks.length, o.k);
    for (let i = 0; i < end; i++) if (ranks[i]) total += ranks[i] * discount(i + 1);
    return total;
  }

  function dcg(ranks, list, o) {
    return discounted(ranks, o, DISCOUNTS[o.rank_discount_fn]);
  }

  function ndcg(ranks, list, o) {
    if (o.ideal === "retrieved") {
      return ratio(dcg(ranks, list, o), dcg(descending(top(ranks, o)), list, o));
    }
    const cutoffs = { relevant: o.k, uncut: Infinity, shown: Math.min(o.k, ranks.length) };
    // The same for all orders.
    list.ideal ??= dcg(list.best, list, { ...o, k: cutoffs[o.ideal] });
    return ratio(dcg(ranks, list, o), list.ideal);
  }

  /** Return the denominator of precision: what the first k ranks hold, or k. */
  function shown(ranks, o) {
    return o.denominator === "k" ? o.k : top(ranks, o).length;
  }

  /** Return the denominator of recall: the relevant items, or at most k of them. */
  function findable(list, o) {
    return o.denominator === "min" ? Math.min(o.k, list.total) : list.total;
  }

  function fBeta(ranks, list, o, beta) {
    const both = shown(ranks, o) + beta ** 2 * list.total;
    return ((1 + beta ** 2) * hits(ranks, o)) / both;
  }

  function averagePrecision(ranks, list, o) {
    let found = 0;
    const precisions = top(ranks, o).map((hit, i) => {
      found += hit;
      return (hit * found) / (i + 1);
    });
    const denominator = o.denominator === "hits" ? found : findable(list, o);
    return ratio(sum(precisions), denominator);
  }

  function reciprocalRank(ranks, list, o) {
    const first = top(ranks, o).indexOf(1);
    return first < 0 ? 0 : 1 / (first + 1);
  }

  /** Return the expected 1 / rank at which a user stops. */
  function reciprocalOfStop(stops) {
    let going = 1;
    return sum(
      stops.map((probability, i) => {
        const here = (going * probability) / (i + 1);
        going *= 1 - probability;
        return here;
      }),
    );
  }

  function err(ranks, list, o) {
    const value = reciprocalOfStop(top(ranks, o));
    return o.normalized ? value / reciprocalOfStop(top(list.best, o)) : value;
  }

  function rbp(ranks, list, o) {
    return (1 - o.p) * discounted(ranks, o, (rank) => o.p ** (rank - 1));
  }

  function rbpResidual(ranks, list, o) {
    const allJudged = !top(ranks, o).includes(0);
    return o.tail === "if_unjudged" && allJudged ? 0 : 1 - rbp(ranks, list, o);
  }

  /** Return the number of values `other` above each rank that holds `value`. */
  function above(ranks, value, other) {
    let passed = 0;
    const found = [];
    for (const each of ranks) {
      if (each === value) found.push(passed);
      passed += Number(each === other);
    }
    return found;
  }

  function auc(ranks, list, o) {
    const most = Math.min(o.k, count(ranks, 0));
    const wrong = above(ranks, 1, 0).map((others) => Math.min(others, most));
    return 1 - (sum(wrong) + sum(list.missed) * most) / (list.total * most);
  }

  function bpref(ranks, list) {
    const least = Math.min(list.total, count(list.all, 0));
    const right = above(ranks, 1, 0).map(
      (others) => 1 - ratio(Math.min(others, list.total), least),
    );
    return sum(right) / list.total;
  }

  /** Return the mean rank by value. Items not retrieved are behind all that are. */
  function meanRank(ranks, list) {
    const behind = (ranks.length + 1) * sum(list.missed);
    return (sum(ranks.map((value, i) => value * (i + 1))) + behind) / list.total;
  }

  function orderedPairAccuracy(ranks, list) {
    // Items that are not retrieved are below all ranks, in no order of their own.
    const order = [...ranks, ...list.missed];
    let right = 0;
    let wrong = 0;
    ranks.forEach((value, i) => {
      right += order.filter((other, j) => j > i && j < ranks.length && other < value).length;
      wrong += order.filter((other, j) => j > i && other > value).length;
    });
    return right / (right + wrong);
  }

  function qMeasure(ranks, list, o) {
    let found = 0;
    let gains = 0;
    let ideal = 0;
    const blended = top(ranks, o).map((value, i) => {
      found += Number(value > 0);
      gains += value;
      ideal += list.best[i];
      return value > 0 ? (found + o.beta * gains) / (i + 1 + o.beta * ideal) : 0;
    });
    return sum(blended) / list.all.filter((value) => value > 0).length;
  }

  function gradedAveragePrecision(ranks, list, o) {
    const terms = top(ranks, o).map((value, i) => {
      let lower = 0;
      for (let j = 0; j <= i; j++) lower += Math.min(value, ranks[j]);
      return lower / (i + 1);
    });
    return sum(terms) / list.total;
  }

  const ROUNDED = {
    // The tolerance lets 0.1 + 0.2 be 3/10.
    up: (hits) => Math.ceil(hits - 1e-9),
    nearest: (hits) => Math.floor(hits) + Number(hits >= Math.floor(hits) + 0.5),
    trec_eval_9: (hits) => Math.floor(hits + 0.9),
  };

  function interpolatedPrecision(ranks, list, o) {
    const enough = ROUNDED[o.rounding](o.recall * list.total);
    let found = 0;
    let best = 0;
    ranks.forEach((hit, i) => {
      found += hit;
      if (found >= enough) best = Math.max(best, found / (i + 1));
    });
    return best;
  }

  function elevenPoints(ranks, list, o) {
    const at = (recall) => interpolatedPrecision(ranks, list, { ...o, recall });
    return sum(times(11, (i) => at((i - 1) / 10))) / 11;
  }

  // Two rankings: the labels are the scores of the other one, `list.all` in any order.

  /** Return the probability that a value of the other ranking is within each depth. */
  function withinDepths(all, value) {
    const higher = all.filter((other) => other > value).length;
    const share = (depth) => (depth - higher) / count(all, value);
    return [0, ...times(all.length, (depth) => Math.min(Math.max(share(depth), 0), 1))];
  }

  /** Return the expected number of items within a depth of both rankings. */
  function common(ranks, list, depth) {
    const end = Math.min(depth, ranks.length);
    let total = 0;
    for (let i = 0; i < end; i++) total += list.within.get(ranks[i])[depth];
    return total;
  }

  function overlap(ranks, list, o) {
    const depth = Math.min(o.k, list.all.length);
    return common(ranks, list, depth) / depth;
  }

  /** Return equation 32 of Webber, Moffat and Zobel. */
  function rbo(ranks, list, o) {
    const [shorter, longer] = [ranks, list.all].map((x) => Math.min(x.length, o.k));
    const shared = times(longer, (depth) => common(ranks, list, depth));
    const end = shorter ? shared[shorter - 1] : 0;
    const rate = o.tail === "extrapolated" ? ratio(end, shorter) : 0;
    const terms = shared.map((found, i) => {
      const beyond = rate * Math.max(i + 1 - shorter, 0);
      return ((found + beyond) / (i + 1)) * o.p ** (i + 1);
    });
    const total = ((1 - o.p) / o.p) * sum(terms);
    if (o.tail === "zero") return total;
    return total + ((shared[longer - 1] - end) / longer + rate) * o.p ** longer;
  }

  /** Return how far two items are in the order of the other ranking: 1, 1/2 or 0. */
  const right = (upper, lower) => (Math.sign(upper - lower) + 1) / 2;

  function tauAP(ranks) {
    const shares = ranks.slice(1).map((value, i) => {
      return sum(ranks.slice(0, i + 1).map((upper) => right(upper, value))) / (i + 1);
    });
    return (2 * sum(shares)) / (ranks.length - 1) - 1;
  }

  const pairs = (n) => (n * (n - 1)) / 2;
  const untied = (sizes) => pairs(sum(sizes)) - sum(sizes.map(pairs));
  const sizesOf = (values) => [...new Set(values)].map((value) => count(values, value));

  function kendallTau(ranks, list) {
    let difference = 0;
    ranks.forEach((lower, i) => {
      for (let j = 0; j < i; j++) difference += Math.sign(ranks[j] - lower);
    });
    return difference / Math.sqrt(untied(sizesOf(ranks)) * untied(list.tied));
  }

  function spearmanRho(ranks, list) {
    const middle = (ranks.length - 1) / 2;
    const place = (value) =>
      ranks.filter((x) => x > value).length + (count(ranks, value) - 1) / 2;
    const products = ranks.map((value, i) => (place(value) - middle) * (i - middle));
    const cube = (n) => (n ** 3 - n) / 12;
    const squares = (sizes) => cube(sum(sizes)) - sum(sizes.map(cube));
    return sum(products) / Math.sqrt(squares(sizesOf(ranks)) * squares(list.tied));
  }

  // Which lists have a value. The option `empty` decides what others count as.

  const hasGain = (list) => list.total > 0;
  const hasOthers = (list) => list.retrieved.includes(0);
  const always = () => true;
  // Some pair of which the lower one is retrieved.
  const hasPairs = (list) => list.retrieved.some((value) => value < list.best[0]);

  /** The metrics: what they see in labels, their measures, and which lists count. */
  const METRICS = {
    NDCG: { sees: gain, measure: ndcg },
    DCG: { sees: gain, measure: dcg },
    MeanAveragePrecision: { sees: relevant, measure: averagePrecision },
    MeanReciprocalRank: { sees: relevant, measure: reciprocalRank },
    PrecisionAtK: {
      sees: relevant,
      measure: (ranks, list, o) => ratio(hits(ranks, o), shown(ranks, o)),
    },
    RecallAtK: {
      sees: relevant,
      measure: (ranks, list, o) => hits(ranks, o) / findable(list, o),
    },
    HitRateAtK: {
      sees: relevant,
      measure: (ranks, list, o) => Number(hits(ranks, o) > 0),
    },
    AllHitAtK: {
      sees: relevant,
      measure: (ranks, list, o) => Number(hits(ranks, o) === list.total),
    },
    ReciprocalRankOfAll: {
      sees: relevant,
      measure: (ranks, list, o) =>
        ratio(
          top(ranks, o).reduce((sum, gain, i) => sum + gain / (i + 1), 0),
          o.denominator === "hits" ? hits(ranks, o) : list.total,
        ),
    },
    RejectionRate: {
      sees: relevant,
      measure: (ranks) => Number(ranks.length === 0),
      counts: (list) => !hasGain(list),
    },
    MeanAveragePrecisionAtR: {
      sees: relevant,
      measure: (ranks, list) =>
        averagePrecision(ranks, list, { k: list.total, denominator: "relevant" }),
    },
    F1AtK: { sees: relevant, measure: (ranks, list, o) => fBeta(ranks, list, o, 1) },
    FBetaAtK: { sees: relevant, measure: (ranks, list, o) => fBeta(ranks, list, o, o.beta) },
    RPrecision: {
      sees: relevant,
      measure: (ranks, list) => hits(ranks, { k: list.total }) / list.total,
    },
    ERR: { sees: stop, measure: err },
    AUC: { sees: relevant, measure: auc, counts: (list) => hasGain(list) && hasOthers(list) },
    RankBiasedPrecision: { sees: relevant, measure: rbp },
    GradedRankBiasedPrecision: {
      sees: grade,
      measure: (ranks, list, o) => rbp(ranks, list, o) / Math.max(list.best[0], 1),
    },
    QMeasure: { sees: gain, measure: qMeasure },
    GradedAveragePrecision: { sees: likely, measure: gradedAveragePrecision },
    InterpolatedPrecision: { sees: relevant, measure: interpolatedPrecision },
    ElevenPointPrecision: { sees: relevant, measure: elevenPoints },
    FallOutAtK: {
      sees: relevant,
      measure: (ranks, list, o) => count(top(ranks, o), 0) / count(ranks, 0),
      counts: hasOthers,
    },
    MeanRank: { sees: relevant, measure: meanRank },
    AdjustedMeanRankIndex: {
      sees: relevant,
      measure: (ranks, list, o) => 2 * auc(ranks, list, o) - 1,
      counts: (list) => hasGain(list) && hasOthers(list),
    },
    AverageRelevancePosition: { sees: gain, measure: meanRank },
    OrderedPairAccuracy: { sees: grade, measure: orderedPairAccuracy, counts: hasPairs },
    BPref: { sees: relevant, measure: bpref },
    JudgedAtK: {
      sees: judged,
      measure: (ranks, list, o) => ratio(hits(ranks, o), top(ranks, o).length),
    },
    UnjudgedAtK: {
      sees: judged,
      measure: (ranks, list, o) => ratio(count(top(ranks, o), 0), shown(ranks, o)),
      counts: always,
    },
    RBPResidual: { sees: judged, measure: rbpResidual, counts: always },
    RankBiasedOverlap: { sees: grade, measure: rbo, of: "two", counts: always },
    OverlapAtK: { sees: grade, measure: overlap, of: "two", counts: always },
    TauAP: {
      sees: grade,
      measure: tauAP,
      of: "two, whole",
      counts: (list) => list.all.length > 1,
    },
    KendallTau: {
      sees: grade,
      measure: kendallTau,
      of: "two, whole",
      counts: (list) => untied(sizesOf(list.all)) > 0 && untied(list.tied) > 0,
    },
    SpearmanRho: {
      sees: grade,
      measure: spearmanRho,
      of: "two, whole",
      counts: (list) => untied(sizesOf(list.all)) > 0 && untied(list.tied) > 0,
    },
  };

  /** Return the distinct orders of some values. All are equally likely. */
  function ordersOf(values) {
    if (values.length === 0) return [[]];
    return [...new Set(values)].flatMap((first) => {
      const rest = [...values];
      rest.splice(rest.indexOf(first), 1);
      return ordersOf(rest).map((order) => [first, ...order]);
    });
  }

  const WITHIN_TIES = {
    average: ordersOf,
    stable: (values) => [values],
    pessimistic: (values) => [[...values].sort((a, b) => a - b)],
    optimistic: (values) => [descending(values)],
  };

  /** Return every order of a list of groups, whose items are tied. */
  function ordersOfGroups(groups, ties) {
    return groups.reduce((orders, group) => {
      const within = WITHIN_TIES[ties](group);
      return orders.flatMap((order) => within.map((next) => [...order, ...next]));
    }, [[]]);
  }

  /** Remember the orders of the last lists: most metrics see the same values. */
  const remembered = new Map();
  function allOrders(groups, ties) {
    const key = ties + JSON.stringify(groups);
    if (!remembered.has(key)) {
      if (remembered.size > 20) remembered.clear();
      remembered.set(key, ordersOfGroups(groups, ties));
    }
    return remembered.get(key);
  }

  /** Return the values of a list, grouped by score, the best score first. */
  function groupsOf(items) {
    const scores = descending(new Set(items.map((item) => item.score)));
    return scores.map((score) =>
      items.filter((item) => item.score === score).map((item) => item.value),
    );
  }

  const EMPTY = { zero: 0, one: 1, skip: null };

  /**
   * Return the metric of one list, or null if the list is excluded from means.
   *
   * @param {string} name the class of the metric in the package
   * @param {number[]} labels -1 is padding, and -2 an item that nobody has judged
   * @param {number[]} scores -Infinity is an item that is not retrieved
   * @param {Object} options all options of the metric, and `k`, null for all ranks
   * @returns {?number}
   */
  function evaluate(name, labels, scores, options) {
    const { sees, measure, counts = hasGain, of = "one" } = METRICS[name];
    const { ties = "average", empty, unjudged = null, ...rest } = options;
    const o = { ...rest, k: options.k ?? Infinity };
    const see = sees(o);
    const given = labels
      // The package compares scores as float32.
      .map((label, i) => ({ label, value: see(label), score: Math.fround(scores[i]) }))
      .filter(({ label }) => label >= 0 || (label === UNJUDGED && unjudged !== null));
    const judged = given.filter(({ label }) => label !== UNJUDGED);
    // A list of unjudged items alone keeps them, not retrieved: it is empty.
    const condensed = judged.length
      ? judged
      : given.map((item) => ({ ...item, score: -Infinity }));
    const items = unjudged === "condense" ? condensed : given;
    const ranked = of.includes("whole")
      ? items
      : items.filter((item) => item.score !== -Infinity);
    const groups = groupsOf(ranked);
    const all = items.map((item) => item.value);
    const list = {
      all,
      best: descending(all),
      total: sum(all),
      retrieved: ranked.map((item) => item.value),
      missed: items.filter((item) => !ranked.includes(item)).map((item) => item.value),
      tied: groups.map((group) => group.length),
      within: new Map(all.map((value) => [value, withinDepths(all, value)])),
    };
    if (items.length === 0) return null;
    if (!counts(list)) return EMPTY[empty];
    const orders = allOrders(groups, ties);
    return sum(orders.map((ranks) => measure(ranks, list, o))) / orders.length;
  }

  return { METRICS, UNJUDGED, evaluate };
})();
