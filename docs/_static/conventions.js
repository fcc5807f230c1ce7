// Made by `python -m tests.tools.pages.play`.
const CONVENTIONS = {
 "metrics": {
  "NDCG": {
   "page": "ndcg",
   "title": "NDCG",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "gain_fn": "exponential_gain", "rank_discount_fn": "log2_discount", "ideal": "relevant"}
  },
  "DCG": {
   "page": "dcg",
   "title": "DCG",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": null,
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "gain_fn": "exponential_gain", "rank_discount_fn": "log2_discount"}
  },
  "MeanAveragePrecision": {
   "page": "map",
   "title": "MAP",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "denominator": "relevant"}
  },
  "MeanReciprocalRank": {
   "page": "mrr",
   "title": "MRR",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "ReciprocalRankOfAll": {
   "page": "reciprocal_rank_of_all",
   "title": "Reciprocal rank of all",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "denominator": "relevant"}
  },
  "PrecisionAtK": {
   "page": "precision",
   "title": "Precision",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "denominator": "retrieved"}
  },
  "RecallAtK": {
   "page": "recall",
   "title": "Recall",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "denominator": "relevant"}
  },
  "HitRateAtK": {
   "page": "hit_rate",
   "title": "Hit rate",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "AllHitAtK": {
   "page": "all_hit",
   "title": "All-hit rate",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "F1AtK": {
   "page": "f1",
   "title": "F1",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "denominator": "retrieved"}
  },
  "FBetaAtK": {
   "page": "f_beta",
   "title": "F-beta",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "beta": 1.0, "denominator": "retrieved"}
  },
  "RPrecision": {
   "page": "r_precision",
   "title": "R-precision",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "MeanAveragePrecisionAtR": {
   "page": "map_at_r",
   "title": "MAP@R",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "ERR": {
   "page": "err",
   "title": "ERR",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "max_grade": 4.0, "normalized": false}
  },
  "AUC": {
   "page": "auc",
   "title": "AUC",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "skip", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "RankBiasedPrecision": {
   "page": "rbp",
   "title": "RBP",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "p": 0.8}
  },
  "GradedRankBiasedPrecision": {
   "page": "graded_rbp",
   "title": "Graded RBP",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "p": 0.8}
  },
  "QMeasure": {
   "page": "q_measure",
   "title": "Q-measure",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "gain_fn": "linear_gain", "beta": 1.0}
  },
  "GradedAveragePrecision": {
   "page": "gap",
   "title": "GAP",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "probabilities": [0.25, 0.25, 0.25, 0.25]}
  },
  "InterpolatedPrecision": {
   "page": "iprec",
   "title": "Interpolated precision",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "stable", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "recall": 0.5, "rounding": "up"}
  },
  "ElevenPointPrecision": {
   "page": "11pt",
   "title": "11pt",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "stable", "empty": "zero", "unjudged": "irrelevant", "relevance_threshold": 1.0, "rounding": "up"}
  },
  "FallOutAtK": {
   "page": "fall_out",
   "title": "Fall-out",
   "group": "at_k",
   "takes_k": true,
   "more_is_better": false,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "skip", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "RejectionRate": {
   "page": "rejection_rate",
   "title": "Rejection rate",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "skip", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "MeanRank": {
   "page": "mean_rank",
   "title": "Mean rank",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": false,
   "range": null,
   "options": {"ties": "average", "empty": "skip", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "AdjustedMeanRankIndex": {
   "page": "amri",
   "title": "AMRI",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [-1, 1],
   "options": {"ties": "average", "empty": "skip", "unjudged": "irrelevant", "relevance_threshold": 1.0}
  },
  "AverageRelevancePosition": {
   "page": "arp",
   "title": "ARP",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": false,
   "range": null,
   "options": {"ties": "average", "empty": "skip", "unjudged": "irrelevant", "gain_fn": "linear_gain"}
  },
  "OrderedPairAccuracy": {
   "page": "opa",
   "title": "OPA",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "skip", "unjudged": "irrelevant"}
  },
  "BPref": {
   "page": "bpref",
   "title": "BPref",
   "group": "whole_list",
   "takes_k": false,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "condense", "relevance_threshold": 1.0}
  },
  "JudgedAtK": {
   "page": "judged",
   "title": "Judged",
   "group": "judgements",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant"}
  },
  "UnjudgedAtK": {
   "page": "unjudged",
   "title": "Unjudged",
   "group": "judgements",
   "takes_k": true,
   "more_is_better": false,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "denominator": "retrieved"}
  },
  "RBPResidual": {
   "page": "rbp_residual",
   "title": "RBP residual",
   "group": "judgements",
   "takes_k": true,
   "more_is_better": false,
   "range": [0, 1],
   "options": {"ties": "average", "empty": "zero", "unjudged": "irrelevant", "p": 0.8, "tail": "always"}
  },
  "RankBiasedOverlap": {
   "page": "rbo",
   "title": "RBO",
   "group": "two_rankings",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"empty": "skip", "p": 0.9, "tail": "extrapolated"}
  },
  "OverlapAtK": {
   "page": "overlap",
   "title": "Overlap",
   "group": "two_rankings",
   "takes_k": true,
   "more_is_better": true,
   "range": [0, 1],
   "options": {"empty": "skip"}
  },
  "TauAP": {
   "page": "tau_ap",
   "title": "AP correlation",
   "group": "two_rankings",
   "takes_k": false,
   "more_is_better": true,
   "range": [-1, 1],
   "options": {"empty": "skip"}
  },
  "KendallTau": {
   "page": "kendall_tau",
   "title": "Kendall's \u03c4",
   "group": "two_rankings",
   "takes_k": false,
   "more_is_better": true,
   "range": [-1, 1],
   "options": {"empty": "skip"}
  },
  "SpearmanRho": {
   "page": "spearman_rho",
   "title": "Spearman's \u03c1",
   "group": "two_rankings",
   "takes_k": false,
   "more_is_better": true,
   "range": [-1, 1],
   "options": {"empty": "skip"}
  }
 },
 "conventions": {
  "keras_rs": {
   "grades": true,
   "metrics": {
    "NDCG": {},
    "DCG": {},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {},
    "RecallAtK": {}
   }
  },
  "tf_ranking": {
   "grades": true,
   "metrics": {
    "NDCG": {},
    "DCG": {},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {},
    "RecallAtK": {},
    "HitRateAtK": {},
    "AverageRelevancePosition": {},
    "OrderedPairAccuracy": {},
    "BPref": {}
   }
  },
  "trec_eval": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "DCG": {"gain_fn": "linear_gain"},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {},
    "FBetaAtK": {},
    "RPrecision": {},
    "GradedRankBiasedPrecision": {"p": 0.9},
    "InterpolatedPrecision": {"rounding": "nearest"},
    "ElevenPointPrecision": {"rounding": "nearest"},
    "BPref": {},
    "UnjudgedAtK": {"denominator": "k"},
    "RBPResidual": {"ties": "stable", "p": 0.9, "tail": "if_unjudged"}
   }
  },
  "ir_measures": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "DCG": {"gain_fn": "linear_gain", "rank_discount_fn": "inverse_square_discount"},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {},
    "FBetaAtK": {},
    "RPrecision": {},
    "ERR": {},
    "RankBiasedPrecision": {},
    "InterpolatedPrecision": {"rounding": "trec_eval_9"},
    "BPref": {},
    "JudgedAtK": {}
   }
  },
  "sklearn": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "DCG": {"gain_fn": "linear_gain"},
    "MeanAveragePrecision": {"empty": "one"},
    "HitRateAtK": {},
    "AUC": {}
   }
  },
  "ranx": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "DCG": {"gain_fn": "linear_gain"},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {},
    "F1AtK": {"denominator": "k"},
    "RPrecision": {},
    "RankBiasedPrecision": {},
    "InterpolatedPrecision": {"rounding": "trec_eval_9"},
    "BPref": {}
   }
  },
  "sentence_transformers": {
   "grades": false,
   "metrics": {
    "NDCG": {"empty": "skip", "gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"empty": "skip", "denominator": "min"},
    "MeanReciprocalRank": {"empty": "skip"},
    "PrecisionAtK": {"empty": "skip", "denominator": "k"},
    "RecallAtK": {"empty": "skip"},
    "HitRateAtK": {"empty": "skip"}
   }
  },
  "beir": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {}
   }
  },
  "mteb": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {}
   }
  },
  "elasticsearch": {
   "grades": true,
   "metrics": {
    "NDCG": {"ideal": "shown"},
    "DCG": {},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {},
    "RecallAtK": {},
    "ERR": {}
   }
  },
  "search_relevance": {
   "grades": true,
   "metrics": {
    "NDCG": {},
    "DCG": {},
    "JudgedAtK": {}
   }
  },
  "torchmetrics": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "MeanAveragePrecision": {"denominator": "hits"},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {},
    "RPrecision": {},
    "AUC": {"empty": "zero"},
    "FallOutAtK": {"empty": "zero"}
   }
  },
  "mllib": {
   "grades": false,
   "metrics": {
    "NDCG": {"gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"denominator": "min"},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {}
   }
  },
  "recommenders": {
   "grades": false,
   "metrics": {
    "NDCG": {"empty": "skip", "gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"empty": "skip", "denominator": "min"},
    "PrecisionAtK": {"empty": "skip", "denominator": "k"},
    "RecallAtK": {"empty": "skip"}
   }
  },
  "replay": {
   "grades": false,
   "metrics": {
    "NDCG": {"gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"denominator": "min"},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {}
   }
  },
  "rectools": {
   "grades": false,
   "metrics": {
    "MeanAveragePrecision": {"empty": "skip"},
    "MeanReciprocalRank": {"empty": "skip"},
    "PrecisionAtK": {"empty": "skip", "denominator": "k"},
    "RecallAtK": {"empty": "skip"},
    "HitRateAtK": {"empty": "skip"},
    "F1AtK": {"empty": "skip", "denominator": "k"},
    "FBetaAtK": {"empty": "skip", "denominator": "k"},
    "AUC": {}
   }
  },
  "lenskit": {
   "grades": false,
   "metrics": {
    "NDCG": {"gain_fn": "binary_gain", "rank_discount_fn": "original_discount"},
    "DCG": {"gain_fn": "binary_gain", "rank_discount_fn": "original_discount"},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {},
    "RecallAtK": {"denominator": "min"},
    "HitRateAtK": {},
    "RankBiasedPrecision": {"p": 0.85}
   }
  },
  "lenskit_2026": {
   "grades": false,
   "metrics": {
    "NDCG": {"empty": "skip", "gain_fn": "binary_gain", "rank_discount_fn": "original_discount"},
    "DCG": {"empty": "skip", "gain_fn": "binary_gain", "rank_discount_fn": "original_discount"},
    "MeanReciprocalRank": {"empty": "skip"},
    "PrecisionAtK": {},
    "RecallAtK": {"empty": "skip", "denominator": "min"},
    "HitRateAtK": {"empty": "skip"},
    "RankBiasedPrecision": {"empty": "skip", "p": 0.85}
   }
  },
  "pyg": {
   "grades": false,
   "metrics": {
    "NDCG": {"empty": "skip", "gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"empty": "skip", "denominator": "min"},
    "MeanReciprocalRank": {"empty": "skip"},
    "PrecisionAtK": {"empty": "skip", "denominator": "k"},
    "RecallAtK": {"empty": "skip"},
    "HitRateAtK": {"empty": "skip"},
    "F1AtK": {"empty": "skip", "denominator": "k"}
   }
  },
  "torchrec": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "AUC": {}
   }
  },
  "cornac": {
   "grades": false,
   "metrics": {
    "NDCG": {"empty": "skip", "gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"empty": "skip"},
    "MeanReciprocalRank": {"empty": "skip"},
    "PrecisionAtK": {"empty": "skip", "denominator": "k"},
    "RecallAtK": {"empty": "skip"},
    "HitRateAtK": {"empty": "skip"},
    "F1AtK": {"empty": "skip", "denominator": "k"},
    "AUC": {"ties": "pessimistic"}
   }
  },
  "recbole": {
   "grades": false,
   "metrics": {
    "NDCG": {"gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"denominator": "min"},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {},
    "HitRateAtK": {},
    "AUC": {}
   }
  },
  "din": {
   "grades": true,
   "metrics": {
    "AUC": {}
   }
  },
  "merlin": {
   "grades": false,
   "metrics": {
    "NDCG": {"gain_fn": "binary_gain"},
    "MeanAveragePrecision": {"denominator": "min"},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "RecallAtK": {"denominator": "min"}
   }
  },
  "kaggle": {
   "grades": true,
   "metrics": {
    "MeanAveragePrecision": {"denominator": "min"}
   }
  },
  "pykeen": {
   "grades": true,
   "metrics": {
    "MeanReciprocalRank": {},
    "HitRateAtK": {},
    "MeanRank": {},
    "AdjustedMeanRankIndex": {}
   }
  },
  "recsys": {
   "grades": false,
   "metrics": {
    "NDCG": {"ties": "stable", "empty": "skip", "gain_fn": "binary_gain", "ideal": "retrieved"},
    "MeanAveragePrecision": {"empty": "skip", "denominator": "hits"},
    "MeanReciprocalRank": {"empty": "skip"},
    "PrecisionAtK": {"empty": "skip", "denominator": "k"},
    "RecallAtK": {"empty": "skip"},
    "HitRateAtK": {"empty": "skip"},
    "F1AtK": {"empty": "skip", "denominator": "k"}
   }
  },
  "xgboost": {
   "grades": true,
   "metrics": {
    "NDCG": {"ties": "stable", "empty": "one"},
    "MeanAveragePrecision": {"ties": "stable", "empty": "one", "denominator": "min"},
    "PrecisionAtK": {"ties": "stable"}
   }
  },
  "lightgbm": {
   "grades": true,
   "metrics": {
    "NDCG": {"ties": "stable", "empty": "one"},
    "MeanAveragePrecision": {"ties": "stable", "empty": "one", "relevance_threshold": 0.5000000596046448, "denominator": "min"}
   }
  },
  "catboost": {
   "grades": true,
   "metrics": {
    "NDCG": {"ties": "pessimistic", "empty": "one", "gain_fn": "linear_gain"},
    "DCG": {"ties": "pessimistic", "gain_fn": "linear_gain"},
    "MeanAveragePrecision": {"ties": "pessimistic", "relevance_threshold": 0.5000000596046448, "denominator": "min"},
    "MeanReciprocalRank": {"ties": "pessimistic", "relevance_threshold": 0.5000000596046448},
    "PrecisionAtK": {"ties": "pessimistic", "relevance_threshold": 0.5000000596046448},
    "RecallAtK": {"ties": "pessimistic", "empty": "one", "relevance_threshold": 0.5000000596046448},
    "AUC": {"empty": "zero"}
   }
  },
  "llama_index": {
   "grades": false,
   "metrics": {
    "NDCG": {"empty": "skip", "gain_fn": "binary_gain", "ideal": "uncut"},
    "MeanAveragePrecision": {"empty": "skip"},
    "MeanReciprocalRank": {"empty": "skip"},
    "ReciprocalRankOfAll": {"empty": "skip", "denominator": "hits"},
    "PrecisionAtK": {"empty": "skip"},
    "RecallAtK": {"empty": "skip"},
    "HitRateAtK": {"empty": "skip"}
   }
  },
  "haystack": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain", "ideal": "uncut"},
    "MeanAveragePrecision": {},
    "MeanReciprocalRank": {},
    "RecallAtK": {},
    "HitRateAtK": {}
   }
  },
  "ragas": {
   "grades": true,
   "metrics": {
    "MeanAveragePrecision": {"denominator": "hits"},
    "PrecisionAtK": {},
    "RecallAtK": {"empty": "skip"}
   }
  },
  "deepeval": {
   "grades": true,
   "metrics": {
    "MeanAveragePrecision": {"denominator": "hits"}
   }
  },
  "phoenix": {
   "grades": true,
   "metrics": {
    "NDCG": {"gain_fn": "linear_gain"},
    "MeanReciprocalRank": {},
    "PrecisionAtK": {"denominator": "k"},
    "HitRateAtK": {}
   }
  },
  "mlflow": {
   "grades": false,
   "metrics": {
    "NDCG": {"gain_fn": "binary_gain", "ideal": "shown"},
    "PrecisionAtK": {},
    "RecallAtK": {}
   }
  },
  "evidently": {
   "grades": true,
   "metrics": {
    "NDCG": {"empty": "skip", "gain_fn": "linear_gain"},
    "MeanReciprocalRank": {"empty": "skip"},
    "PrecisionAtK": {"empty": "skip"},
    "RecallAtK": {"empty": "skip"},
    "HitRateAtK": {"empty": "skip"}
   }
  }
 }
};
