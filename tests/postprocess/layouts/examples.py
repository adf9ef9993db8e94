"""Invented files of every layout: name of the layout → names and texts of the files of sets.

Accents, right-to-left letters, combining marks, letters beyond U+FFFF, targets in pieces and at
both ends of a text, equal words, and sets without gold.
"""

import json

SIMLEX_HEADER = (
    "word1\tword2\tPOS\tSimLex999\tconc(w1)\tconc(w2)\tconcQ\tAssoc(USF)\tSimAssoc333\tSD(SimLex)\n"
)
DWUG_USES = (
    "lemma\tpos\tdate\tgrouping\tidentifier\tdescription\tcontext\tindexes_target_token\t"
    "indexes_target_sentence\n"
)
JUDGMENTS = "identifier1\tidentifier2\tannotator\tjudgment\tcomment\tlemma\n"


def as_json(objects):
    return json.dumps(objects, indent=4, ensure_ascii=False) + "\n"


def item(number, pair="en-en", *, texts=("The tavo sang.", "Two tavos"), places=(4, 8, 4, 9)):
    keys = ("start1", "end1", "start2", "end2")
    return {
        "id": f"dev.{pair}.{number}", "lemma": "tavo", "pos": "NOUN", "sentence1": texts[0],
        "sentence2": texts[1], **dict(zip(keys, map(str, places), strict=True)),
    }  # fmt: skip


def tag(number, name="T", pair="en-en"):
    return {"id": f"dev.{pair}.{number}", "tag": name}


def crossed(number, texts, ranges):
    return {
        "id": f"test.en-ar.{number}", "lemma": "tavo", "pos": "VERB", "sentence1": texts[0],
        "sentence2": texts[1], "ranges1": ranges[0], "ranges2": ranges[1],
    }  # fmt: skip


EXAMPLES = {
    "simlex": [
        {
            "mine.txt": SIMLEX_HEADER
            + "tavo\tmiren\tN\t4.17\tNA\tNA\tNA\tNA\tNA\t1.05\n"
            + "žába\tмост\tV\t9.2\t2.72\t2.81\t2\t7.25\t1\t0.41\n"
            + "=1+1\tko\u030ala\tA\t4\t1\t\t1\t0\t0\tNA\n",
        },
        {"set.csv": 'Word 1,Word 2,Human (mean),1,2\ntavo,miren,7.5,8,7\n"a, b",hata,2,,2\n'},
        {"odd.txt": SIMLEX_HEADER.replace("\n", "\ta\rb\n") + "a\tb\tN\t4" + "\tNA" * 6 + "\tx\n"},
    ],
    "semeval2017": [
        {
            "fa.test.data.txt": "تاوو\tred miren\ntavo\ttavo\n",
            "fa.test.gold.txt": "2.58\n4.0\n",
        },
        {"de.trial.data.txt": "tavo\tÜbel 𝔴\n"},
        {"en-es.test.txt": "tavo\tmañana\t3.71\nred miren\tsol\t0.0\n"},
        {"mine.tsv": "tavo\tmiren\nsel\toru\n"},
    ],
    "mclwic": [
        {
            "dev.en-en.data": as_json(
                [
                    item(0),
                    item(1, texts=("tavo", "a tavo"), places=(0, 4, 2, 6)),
                    item(2, texts=("𝔴𝔞 ta\u0301vo\u0308.", '"tavo" \\ é'), places=(3, 9, 1, 5)),
                ]
            ),
            "dev.en-en.gold": as_json([tag(0), tag(1, "F"), tag(2)]),
        },
        {
            "test.en-ar.data": as_json(
                [
                    crossed(0, ("She tavos him up.", "على نحو معتدل"), ("4-9,14-16", "0-7")),
                    crossed(1, ("tavo", "ش سم"), ("0-4", "2-4")),
                ]
            ),
        },
    ],
    "wic": [
        {
            "dev.data.txt": "tavo\tN\t1-1\tThe tavo sang .\tTwo tavos were sold .\n"
            "oru\tV\t0-2\tOru !\tšel a 𝔬𝔯𝔲\n",
            "dev.gold.txt": "F\nT\n",
        },
        {"test.data.txt": "tavo\tN\t0-3\ttavo\tx  y tavo\n"},
    ],
    "scws": [
        {
            "ratings.txt": "1\ttavo\tn\tmiren\tv\tthe <b> tavo </b> sang\ta <b> mirén </b>\t4.5"
            "\t5.0\t4.0\n2\ttavo\ta\ttavo\ta\t<b> تاوو </b> x\t𝔴 <b> tavo </b>\t1.25\t1.0\t1.5\n",
        },
    ],
    "usim": [
        {
            "usim2ratings.csv": "lexsub_id1,lexsub_id2,judgment,user_id,lemma\n"
            "12,17,4,A03,tavo.n\n12,17,3,A04,tavo.n\n12,17,3.5,avg,tavo.n\n17,18,1,A03,tavo.n\n",
            "uses.csv": DWUG_USES.replace("lemma", "target")
            + "tavo.n\tn\t \t \t12\t \tThe tavo sang.\t4:8\t0:14\n"
            + "tavo.n\tn\t \t \t17\t \ttavo\t0:4\t0:4\n"
            + "tavo.n\tn\t \t \t18\t \tShe tavos it up\t4:9,13:15\t0:15\n",
        },
        {"usim2ratings.csv": "lexsub_id1,lexsub_id2,judgment,user_id,lemma\n1,2,5,A03,a.v\n"},
    ],
    "dwug": [
        {
            "tavo_nn/uses.csv": DWUG_USES.replace("\n", "\tcontext_pos\n")
            + "tavo_nn\tnn\t1950\t1\tcorpusA-12-4\t \tThe tavo sang.\t4:8\t0:14\tdd nn\n"
            + 'tavo_nn\tnn\t1850\t2\tB-3-1\tnote\t"tavo" 𝔴é\t1:5\t0:9\t\n'
            + "tavo_nn\tnn\t1850\t2\tB-3-2\t \tnot in a pair: tavo\t15:19\t0:19\tx\n",
            "tavo_nn/judgments.csv": JUDGMENTS.replace("\n", "\tround\n")
            + "corpusA-12-4\tB-3-1\tA03\t3.0\t \ttavo_nn\t1\n"
            + "B-3-1\tcorpusA-12-4\tA03\t4\ttwice\ttavo_nn\t2\n"
            + "corpusA-12-4\tB-3-1\tA04\t0.0\tno idea\ttavo_nn\t2\n",
            "tavo_nn/instances.csv": "lemma\tidentifier1\tidentifier2\n"
            "tavo_nn\tB-3-1\tcorpusA-12-4\n",
            "病毒/uses.csv": DWUG_USES.replace("lemma", "target")
            + "病毒\tn\t1960\t1\tcorpusA-12-4\t \t的病毒\t1:3\t0:3\n",
            "病毒/judgments.csv": JUDGMENTS + "corpusA-12-4\tcorpusA-12-4\tA03\t4\t \t病毒\n",
        },
        {
            "a/uses.csv": DWUG_USES
            + "a\tn\t \t \tu1\t \tan a\t3:4\t \na\tn\t \t \tu2\t \ta\t0:1\t \n",
            "a/instances.csv": "lemma\tidentifier1\tidentifier2\na\tu1\tu2\n",
        },
    ],
}
CASES = [(name, files) for name, sets in EXAMPLES.items() for files in sets]


def encode(files):
    return {name: text.encode() for name, text in files.items()}
