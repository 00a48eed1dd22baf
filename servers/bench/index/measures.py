"""Measures of rankings, as trec_eval has them: gains are linear, and a query that nothing answers is left out."""

import math


def ndcg(ranked, grades, at=10):
    ideal = sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:at]
    gains = [max(0, grades.get(one, 0)) for one in ranked[:at]]
    return _discounted(gains) / _discounted(ideal)


def recall(ranked, grades, at=100):
    relevant = {one for one, grade in grades.items() if grade > 0}
    return len(relevant & set(ranked[:at])) / len(relevant)


def reciprocal_rank(ranked, relevant, at=10):
    for number, one in enumerate(ranked[:at], 1):
        if one in relevant:
            return 1 / number
    return 0.0


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def percentile(values, share):
    """The value that this share of the others does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def _discounted(gains):
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))
