"""Splits the experiments into five parts, learns our weights without each part, and lets others judge the same pairs.

    python3 headlines.py PACKAGES.jsonl FOLDER

Writes FOLDER/N.txt (weights that have not seen part N) and FOLDER/N.jsonl (its clear pairs: both headlines, whether
the first won, and the probability that others give it). Others: the longer one wins; a pairwise logistic regression
over tf-idf of words and neighbours (scikit-learn), stretched like ours.
"""

import json
import pathlib
import sys

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "social-intelligence-mcp"))
import train  # noqa: E402


def tfidf(task, left_out):
    """The probability that the first wins, for all pairs."""
    matrix = TfidfVectorizer(ngram_range=(1, 2), min_df=3, sublinear_tf=True).fit_transform(task.headlines)
    rows = matrix[task.one] - matrix[task.other]
    seen = (task.fold != left_out) & task.clear
    model = LogisticRegression(C=3.0, fit_intercept=False, max_iter=300)
    model.fit(rows[seen], task.z[seen] > 0)
    return model.predict_proba(rows)[:, 1]


def main():
    packages, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    task = train.Task(train.load(packages))
    words = np.array([len(train.split(text)) for text in task.headlines])
    longer = 0.5 + 0.06 * np.sign(words[task.one] - words[task.other])
    stretch = train.shipped_stretch()
    for number in range(train.FOLDS):
        weights = task.learn(task.fold != number)
        train.write(folder / f"{number}.txt", task, weights, stretch, (0, 0, 0))
        others = {"scikit-learn tf-idf, logistic": tfidf(task, number), "the longer one": longer}
        with open(folder / f"{number}.jsonl", "w") as file:
            for at in np.flatnonzero((task.fold == number) & task.clear):
                pair = {
                    "one": task.headlines[task.one[at]],
                    "other": task.headlines[task.other[at]],
                    "won": bool(task.z[at] > 0),
                    "others": {name: round(float(values[at]), 4) for name, values in others.items()},
                }
                file.write(json.dumps(pair) + "\n")


main()
