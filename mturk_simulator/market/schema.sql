-- The state of the simulator. Instants are seconds since 1970, money is in cents.

CREATE TABLE IF NOT EXISTS setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS request_count (operation TEXT PRIMARY KEY, n_requests INTEGER NOT NULL);

CREATE TABLE IF NOT EXISTS fault (
    serial INTEGER PRIMARY KEY,
    operation TEXT NOT NULL,
    kind TEXT NOT NULL,
    n_left INTEGER NOT NULL,
    seconds REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS requester (
    access_key TEXT PRIMARY KEY,
    balance_cents INTEGER NOT NULL -- what is on hold included
);

CREATE TABLE IF NOT EXISTS token (
    requester TEXT NOT NULL,
    operation TEXT NOT NULL,
    token TEXT NOT NULL,
    used_at REAL NOT NULL,
    made TEXT NOT NULL,
    PRIMARY KEY (requester, operation, token)
);

CREATE TABLE IF NOT EXISTS worker (
    worker_id TEXT PRIMARY KEY,
    country TEXT NOT NULL,
    subdivision TEXT NOT NULL,
    n_approved INTEGER NOT NULL, -- before they came here
    n_rejected INTEGER NOT NULL,
    is_adult INTEGER NOT NULL,
    is_master INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS hit_type (
    serial INTEGER PRIMARY KEY,
    hit_type_id TEXT NOT NULL UNIQUE,
    group_id TEXT NOT NULL UNIQUE,
    requester TEXT NOT NULL,
    content TEXT NOT NULL, -- what it was made with, as JSON
    UNIQUE (requester, content)
);

CREATE TABLE IF NOT EXISTS hit (
    serial INTEGER PRIMARY KEY,
    hit_id TEXT NOT NULL UNIQUE,
    hit_type_id TEXT NOT NULL REFERENCES hit_type (hit_type_id),
    requester TEXT NOT NULL,
    question TEXT NOT NULL,
    annotation TEXT,
    n_places INTEGER NOT NULL,
    reward_cents INTEGER NOT NULL,
    fee_cents INTEGER NOT NULL,
    created_at REAL NOT NULL,
    expires_at REAL NOT NULL,
    stage TEXT NOT NULL DEFAULT 'open' CHECK (stage IN ('open', 'reviewing', 'disposed'))
);

-- One acceptance of one place. An id that was given up is another row's later.
CREATE TABLE IF NOT EXISTS assignment (
    serial INTEGER PRIMARY KEY,
    mturk_assignment_id TEXT NOT NULL,
    hit_id TEXT NOT NULL REFERENCES hit (hit_id),
    worker_id TEXT NOT NULL REFERENCES worker (worker_id),
    state TEXT NOT NULL CHECK (
        state IN ('accepted', 'returned', 'abandoned', 'submitted', 'approved', 'rejected')
    ),
    reward_cents INTEGER NOT NULL,
    fee_cents INTEGER NOT NULL,
    accepted_at REAL NOT NULL,
    deadline_at REAL NOT NULL,
    submitted_at REAL,
    seen_from REAL, -- from when requesters can see that it was submitted
    auto_approval_at REAL,
    approved_at REAL,
    rejected_at REAL,
    answer TEXT,
    feedback TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS assignment_id_held_once ON assignment (mturk_assignment_id)
    WHERE state NOT IN ('returned', 'abandoned');
CREATE UNIQUE INDEX IF NOT EXISTS one_place_per_worker ON assignment (hit_id, worker_id)
    WHERE state NOT IN ('returned', 'abandoned');
CREATE INDEX IF NOT EXISTS assignment_of_worker ON assignment (worker_id);
CREATE INDEX IF NOT EXISTS assignment_due ON assignment (state, deadline_at, auto_approval_at);

CREATE TABLE IF NOT EXISTS bonus (
    serial INTEGER PRIMARY KEY,
    requester TEXT NOT NULL,
    hit_id TEXT NOT NULL,
    mturk_assignment_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    amount_cents INTEGER NOT NULL,
    fee_cents INTEGER NOT NULL,
    reason TEXT NOT NULL,
    granted_at REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS qualification_type (
    serial INTEGER PRIMARY KEY,
    qualification_type_id TEXT NOT NULL UNIQUE,
    requester TEXT NOT NULL,
    name TEXT NOT NULL,
    content TEXT NOT NULL, -- what it was made with, as JSON
    created_at REAL NOT NULL,
    deleted_at REAL
);

CREATE TABLE IF NOT EXISTS qualification (
    serial INTEGER PRIMARY KEY,
    qualification_type_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    score INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('Granted', 'Revoked')),
    granted_at REAL NOT NULL,
    UNIQUE (qualification_type_id, worker_id)
);

CREATE TABLE IF NOT EXISTS qualification_request (
    serial INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL UNIQUE,
    qualification_type_id TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    requested_at REAL NOT NULL,
    is_open INTEGER NOT NULL
);

CREATE TABLE IF NOT EXISTS worker_block (
    serial INTEGER PRIMARY KEY,
    requester TEXT NOT NULL,
    worker_id TEXT NOT NULL,
    reason TEXT NOT NULL,
    UNIQUE (requester, worker_id)
);

-- What workers would find in their mail, and what a requester would be told of events.
CREATE TABLE IF NOT EXISTS message (
    serial INTEGER PRIMARY KEY,
    requester TEXT NOT NULL,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    sent_at REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS notification (
    hit_type_id TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    is_active INTEGER NOT NULL
);

CREATE VIEW IF NOT EXISTS hit_with_places AS
SELECT
    hit.*,
    hit_type.content,
    hit_type.group_id,
    (SELECT count(*) FROM assignment WHERE assignment.hit_id = hit.hit_id
        AND state = 'accepted') AS n_pending,
    (SELECT count(*) FROM assignment WHERE assignment.hit_id = hit.hit_id
        AND state IN ('approved', 'rejected')) AS n_completed,
    n_places - (SELECT count(*) FROM assignment WHERE assignment.hit_id = hit.hit_id
        AND state NOT IN ('returned', 'abandoned')) AS n_available
FROM hit JOIN hit_type USING (hit_type_id);

DROP VIEW IF EXISTS assignment_of_hit; -- an older one in a kept file has fewer columns
CREATE VIEW assignment_of_hit AS
SELECT
    assignment.*, hit.requester, hit.stage, hit.hit_type_id, hit.question, hit_type.content,
    json_extract(hit_type.content, '$.Title') AS title
FROM assignment JOIN hit USING (hit_id) JOIN hit_type USING (hit_type_id);
