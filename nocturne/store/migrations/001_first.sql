-- The first schema. store/SCHEMA.md says what every table and column holds.

CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE ledger (
    seq INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    type TEXT NOT NULL,
    at INTEGER,
    number INTEGER,
    label TEXT,
    command TEXT,
    active INTEGER,
    digest TEXT,
    previous TEXT,
    snapshot INTEGER,
    pass TEXT,
    kind TEXT,
    fact INTEGER,
    origin TEXT,
    accepted INTEGER,
    code TEXT,
    rule TEXT,
    under INTEGER,
    refs TEXT,
    figures TEXT,
    reason TEXT,
    evidence TEXT,
    policy TEXT,
    more TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_snapshots ON ledger (number) WHERE number IS NOT NULL;

CREATE TABLE texts (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    salt BLOB,
    text TEXT,
    CHECK ((salt IS NULL) = (text IS NULL))
) STRICT;

CREATE TABLE names (
    hash TEXT PRIMARY KEY REFERENCES texts (hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE policies (
    digest TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    json TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE lexicons (
    digest TEXT PRIMARY KEY,
    json TEXT NOT NULL
) STRICT;

CREATE TABLE blocks (
    name TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    about TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO blocks VALUES
    ('persona', 1, 'about the assistant'),
    ('human', 2, 'stable facts about the person'),
    ('episodes', 3, 'events in time'),
    ('scratch', 4, 'not consolidated yet'),
    ('schemas', 5, 'patterns over several facts');

CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL REFERENCES texts (hash),
    format TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    reader_version INTEGER NOT NULL,
    state TEXT REFERENCES texts (hash),
    mutation INTEGER NOT NULL REFERENCES ledger (seq)
) STRICT;
CREATE INDEX sources_by_content ON sources (content_hash);

CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES sources (id),
    key TEXT NOT NULL UNIQUE,
    native_id TEXT,
    byte_offset INTEGER NOT NULL,
    position INTEGER NOT NULL,
    session TEXT,
    speaker TEXT,
    provenance TEXT NOT NULL,
    text TEXT NOT NULL,
    said_at INTEGER,
    role TEXT,
    tool_name TEXT,
    tool_call TEXT,
    tool_payload TEXT,
    tool_outcome TEXT,
    active_path INTEGER NOT NULL,
    trust INTEGER NOT NULL,
    mutation INTEGER NOT NULL REFERENCES ledger (seq)
) STRICT;
CREATE INDEX turns_by_source ON turns (source, session, position);

CREATE TABLE facts (
    fact_id INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER,
    text TEXT NOT NULL,
    block TEXT NOT NULL REFERENCES blocks (name),
    category TEXT NOT NULL,
    recorded_at INTEGER NOT NULL,
    layer TEXT NOT NULL,
    speaker TEXT,
    subject TEXT,
    attribute TEXT,
    said_at INTEGER,
    occurred_at INTEGER,
    occurred_grain TEXT,
    confirmed_at INTEGER,
    valid_from INTEGER,
    valid_until INTEGER,
    successor INTEGER,
    active INTEGER NOT NULL,
    retired_by TEXT,
    trust INTEGER NOT NULL,
    quarantined_by TEXT,
    pinned INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    importance INTEGER,
    originals INTEGER NOT NULL,
    retired_seq INTEGER,
    PRIMARY KEY (fact_id, from_seq),
    CHECK (to_seq IS NULL OR to_seq > from_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX facts_by_start ON facts (from_seq);

CREATE TABLE fact_sources (
    fact INTEGER NOT NULL,
    turn INTEGER NOT NULL REFERENCES turns (id),
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    from_seq INTEGER NOT NULL,
    to_seq INTEGER,
    PRIMARY KEY (fact, turn, start, stop, from_seq),
    CHECK (to_seq IS NULL OR to_seq > from_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_sources_by_turn ON fact_sources (turn);

CREATE TABLE lineage (
    mutation INTEGER NOT NULL REFERENCES ledger (seq),
    child INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    role TEXT NOT NULL,
    child_seq INTEGER NOT NULL,
    parent_seq INTEGER NOT NULL,
    PRIMARY KEY (mutation, child, parent, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_by_child ON lineage (child);
CREATE INDEX lineage_by_parent ON lineage (parent);

CREATE TABLE touched (
    fact INTEGER NOT NULL,
    mutation INTEGER NOT NULL,
    PRIMARY KEY (fact, mutation)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
    key TEXT PRIMARY KEY,
    fact INTEGER,
    cause TEXT NOT NULL,
    mutation INTEGER NOT NULL REFERENCES ledger (seq),
    lifted INTEGER REFERENCES ledger (seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE memo (
    key TEXT PRIMARY KEY,
    mutation INTEGER NOT NULL REFERENCES ledger (seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE activation (
    fact INTEGER PRIMARY KEY,
    base INTEGER NOT NULL,
    last_access INTEGER NOT NULL,
    spaced INTEGER NOT NULL,
    labile_until INTEGER
) STRICT;

CREATE TABLE accesses (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    fact INTEGER NOT NULL,
    base INTEGER NOT NULL,
    last_access INTEGER NOT NULL,
    spaced INTEGER NOT NULL,
    labile_until INTEGER
) STRICT;
CREATE INDEX accesses_by_fact ON accesses (fact);

CREATE TABLE quiz_runs (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    snapshot INTEGER NOT NULL,
    baseline INTEGER,
    asked INTEGER NOT NULL,
    recalled INTEGER NOT NULL,
    probed INTEGER NOT NULL,
    absent INTEGER NOT NULL,
    passed INTEGER NOT NULL,
    report TEXT REFERENCES texts (hash)
) STRICT;

CREATE TABLE drift (
    snapshot INTEGER NOT NULL,
    topic TEXT NOT NULL,
    weight INTEGER NOT NULL,
    PRIMARY KEY (snapshot, topic)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    head TEXT NOT NULL,
    pass TEXT NOT NULL,
    batch INTEGER NOT NULL,
    request TEXT NOT NULL,
    proposer TEXT NOT NULL,
    reply TEXT NOT NULL REFERENCES texts (hash),
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX journal_by_request ON journal (request);

CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    df INTEGER NOT NULL
) STRICT;

CREATE TABLE fact_tokens (
    fact INTEGER PRIMARY KEY,
    ids BLOB NOT NULL
) STRICT;

CREATE VIRTUAL TABLE search USING fts5 (tokens, content = '', tokenize = 'ascii');
CREATE VIRTUAL TABLE search_terms USING fts5vocab (search, row);

CREATE TRIGGER ledger_stands BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_stays BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER accesses_stand BEFORE UPDATE ON accesses
BEGIN SELECT RAISE(ABORT, 'accesses are append-only'); END;
CREATE TRIGGER accesses_stay BEFORE DELETE ON accesses
BEGIN SELECT RAISE(ABORT, 'accesses are append-only'); END;
CREATE TRIGGER quiz_runs_stand BEFORE UPDATE ON quiz_runs
BEGIN SELECT RAISE(ABORT, 'quiz runs are append-only'); END;
CREATE TRIGGER quiz_runs_stay BEFORE DELETE ON quiz_runs
BEGIN SELECT RAISE(ABORT, 'quiz runs are append-only'); END;
CREATE TRIGGER policies_stand BEFORE UPDATE ON policies
BEGIN SELECT RAISE(ABORT, 'policies on record are append-only'); END;
CREATE TRIGGER policies_stay BEFORE DELETE ON policies
BEGIN SELECT RAISE(ABORT, 'policies on record are append-only'); END;
CREATE TRIGGER lexicons_stand BEFORE UPDATE ON lexicons
BEGIN SELECT RAISE(ABORT, 'lexicons on record are append-only'); END;
CREATE TRIGGER lexicons_stay BEFORE DELETE ON lexicons
BEGIN SELECT RAISE(ABORT, 'lexicons on record are append-only'); END;
CREATE TRIGGER turns_stand BEFORE UPDATE ON turns
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;
CREATE TRIGGER turns_stay BEFORE DELETE ON turns
BEGIN SELECT RAISE(ABORT, 'turns are append-only'); END;
CREATE TRIGGER facts_stand BEFORE UPDATE OF
    fact_id, from_seq, text, block, category, recorded_at, layer, speaker, subject, attribute, said_at,
    occurred_at, occurred_grain, confirmed_at, valid_from, valid_until, successor, active, retired_by, trust,
    quarantined_by, pinned, namespace, importance, originals, retired_seq
ON facts BEGIN SELECT RAISE(ABORT, 'a version of a fact is never changed'); END;
CREATE TRIGGER facts_close_once BEFORE UPDATE OF to_seq ON facts WHEN old.to_seq IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a version of a fact is closed once'); END;
CREATE TRIGGER facts_stay BEFORE DELETE ON facts
BEGIN SELECT RAISE(ABORT, 'versions of facts are never deleted'); END;
CREATE TRIGGER texts_stand BEFORE UPDATE ON texts
WHEN new.text IS NOT NULL OR new.hash IS NOT old.hash OR new.id IS NOT old.id
BEGIN SELECT RAISE(ABORT, 'a text is erased or left as it is'); END;
CREATE TRIGGER texts_stay BEFORE DELETE ON texts
BEGIN SELECT RAISE(ABORT, 'the name of a text is never deleted'); END;

CREATE VIEW snapshots AS
SELECT 's' || l.number AS snapshot_id,
       l.number AS seq,
       l.label,
       l.at / 1000000.0 AS created_at,
       l.active AS active_count,
       c.text AS command,
       p.name AS policy,
       l.digest AS state_digest,
       l.previous AS previous_digest,
       l.seq AS ledger_seq,
       l.hash
FROM ledger AS l
LEFT JOIN texts AS c ON c.hash = l.command
LEFT JOIN policies AS p ON p.digest = l.policy
WHERE l.number IS NOT NULL;

CREATE VIEW mutations AS
SELECT l.seq AS mutation_id,
       's' || l.snapshot AS snapshot_id,
       l.pass,
       l.kind,
       'm' || l.fact AS item_id,
       COALESCE(l.refs, '{}') AS refs,
       l.accepted,
       r.text AS reason,
       l.code AS rejection_reason,
       l.rule AS policy,
       l.at / 1000000.0 AS created_at,
       l.origin,
       COALESCE(l.figures, '{}') AS figures,
       e.text AS evidence,
       p.name AS policy_name,
       l.hash
FROM ledger AS l
LEFT JOIN texts AS r ON r.hash = l.reason
LEFT JOIN texts AS e ON e.hash = l.evidence
LEFT JOIN ledger AS g ON g.seq = l.under
LEFT JOIN policies AS p ON p.digest = g.policy
WHERE l.type = 'mutation';

CREATE VIEW snapshot_items AS
SELECT 's' || s.number AS snapshot_id,
       'm' || f.fact_id AS item_id,
       f.block,
       t.text,
       f.category,
       (SELECT MIN(x.turn) FROM fact_sources AS x
        WHERE x.fact = f.fact_id AND x.from_seq <= s.seq AND (x.to_seq IS NULL OR x.to_seq > s.seq))
           AS source_turn,
       MAX(COALESCE(f.said_at, f.recorded_at), COALESCE(f.confirmed_at, f.said_at, f.recorded_at))
           / 1000000.0 AS created_at,
       (SELECT m.at FROM ledger AS m WHERE m.seq = f.from_seq) / 1000000.0 AS updated_at,
       f.active,
       f.layer,
       COALESCE(b.text, 'user') AS subject,
       k.text AS speaker,
       f.attribute,
       f.recorded_at,
       f.said_at,
       f.occurred_at,
       f.valid_from,
       f.valid_until,
       'm' || f.successor AS successor,
       f.retired_by,
       f.trust,
       f.pinned,
       f.quarantined_by,
       f.namespace
FROM ledger AS s
CROSS JOIN facts AS f
LEFT JOIN texts AS t ON t.hash = f.text
LEFT JOIN texts AS b ON b.hash = f.subject
LEFT JOIN texts AS k ON k.hash = f.speaker
WHERE s.number IS NOT NULL AND +f.from_seq <= s.seq AND (f.to_seq IS NULL OR f.to_seq > s.seq);

CREATE VIEW items AS
SELECT 'm' || f.fact_id AS item_id,
       f.block,
       t.text,
       f.category,
       (SELECT MIN(x.turn) FROM fact_sources AS x WHERE x.fact = f.fact_id AND x.to_seq IS NULL)
           AS source_turn,
       MAX(COALESCE(f.said_at, f.recorded_at), COALESCE(f.confirmed_at, f.said_at, f.recorded_at))
           / 1000000.0 AS created_at,
       (SELECT m.at FROM ledger AS m WHERE m.seq = f.from_seq) / 1000000.0 AS updated_at,
       f.active,
       f.layer,
       COALESCE(b.text, 'user') AS subject,
       k.text AS speaker,
       f.attribute,
       f.recorded_at,
       f.said_at,
       f.occurred_at,
       f.valid_from,
       f.valid_until,
       'm' || f.successor AS successor,
       f.retired_by,
       f.trust,
       f.pinned,
       f.quarantined_by,
       f.namespace
FROM facts AS f
LEFT JOIN texts AS t ON t.hash = f.text
LEFT JOIN texts AS b ON b.hash = f.subject
LEFT JOIN texts AS k ON k.hash = f.speaker
WHERE f.to_seq IS NULL;
