"""One contest of bench/classify with a native peer: python3 native_peers.py linear-svc|fasttext <folder>.

The folder holds train.tsv and test.tsv (tag, text) and task.json ({"tags": [...]}). Prints one line of JSON: for each
test line the best three [tag, score], seconds of CPU to learn and to answer, peak memory and bytes of the model.
"""

import json
import os
import pickle
import resource
import subprocess
import sys


def rows(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t", 1) for line in file]


def cpu(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def linear_svc(folder):
    """The features that we take, as scikit-learn has them."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    train, test = rows(folder, "train.tsv"), rows(folder, "test.tsv")
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\w+")
    parts = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, min_df=2)
    model = make_pipeline(make_union(words, parts), LinearSVC(C=1))
    start = cpu(resource.RUSAGE_SELF)
    model.fit([text for _, text in train], [tag for tag, _ in train])
    learnt = cpu(resource.RUSAGE_SELF)
    answers = []
    for first in range(0, len(test), 256):
        scores = model.decision_function([text for _, text in test[first : first + 256]])
        if scores.ndim == 1:
            scores = [[-score, score] for score in scores]
        for row in scores:
            best = sorted(range(len(row)), key=lambda k: -row[k])[:3]
            answers.append([[str(model.classes_[k]), None] for k in best])
    answered = cpu(resource.RUSAGE_SELF)
    size = len(pickle.dumps(model))
    return {"learn": learnt - start, "answer": answered - learnt, "bytes": size, "answers": answers,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


def fasttext(folder):
    """Tags become labels by number: the program parts its lines at spaces."""
    tags = {tag: number for number, tag in enumerate(json.load(open(os.path.join(folder, "task.json")))["tags"])}
    names = {f"__label__{number}": tag for tag, number in tags.items()}
    for name in ("train", "test"):
        with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
            for tag, text in rows(folder, name + ".tsv"):
                label = f"__label__{tags.get(tag, len(tags))} " if name == "train" else ""
                file.write(f"{label}{text.lower()}\n")
    path = lambda name: os.path.join(folder, name)
    quiet = {"stderr": subprocess.DEVNULL, "check": True}
    start = cpu(resource.RUSAGE_CHILDREN)
    subprocess.run(["fasttext", "supervised", "-input", path("train.txt"), "-output", path("model"), "-lr", "0.5",
                    "-epoch", "25", "-wordNgrams", "2", "-minn", "2", "-maxn", "4", "-dim", "100", "-bucket", "200000",
                    "-thread", "2"], stdout=subprocess.DEVNULL, **quiet)
    learnt = cpu(resource.RUSAGE_CHILDREN)
    printed = subprocess.run(["fasttext", "predict-prob", path("model.bin"), path("test.txt"), "3"],
                             stdout=subprocess.PIPE, **quiet).stdout.decode()
    answered = cpu(resource.RUSAGE_CHILDREN)
    answers = []
    for line in printed.split("\n")[:-1]:
        parts = line.split()
        answers.append([[names[parts[i]], min(1, float(parts[i + 1]))] for i in range(0, len(parts), 2)])
    return {"learn": learnt - start, "answer": answered - learnt, "bytes": os.path.getsize(path("model.bin")),
            "answers": answers, "peak": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024}


print(json.dumps({"linear-svc": linear_svc, "fasttext": fasttext}[sys.argv[1]](sys.argv[2])))
