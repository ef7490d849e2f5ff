-- What each active fact could be denied by, so that a new statement meets the old ones of its attribute at once.

CREATE TABLE denials (
    fact INTEGER PRIMARY KEY,
    keys BLOB NOT NULL
) STRICT;

-- Under what was judged is asked at every turn, and such entries are few.
CREATE INDEX ledger_settings ON ledger (seq) WHERE type = 'setting';
