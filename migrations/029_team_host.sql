-- Lanes of other machines that this one has claimed.

-- Id of the run at the machine that it is of; NULL: it is of this one.
ALTER TABLE runs ADD COLUMN origin TEXT;

CREATE TABLE team_claims (
  seq        INTEGER PRIMARY KEY,
  lane       TEXT    NOT NULL, -- id at its home
  epoch      INTEGER NOT NULL, -- of the claim
  rev        INTEGER NOT NULL, -- of the offer
  run        TEXT    NOT NULL, -- id at its home
  repo       TEXT    NOT NULL,
  ticket     TEXT    NOT NULL, -- proves the claim to the board
  bodies     TEXT    NOT NULL, -- JSON: the sealed offer and its run, and the lease
  key        TEXT,             -- that the lane has at its home, once the offer was checked
  lane_id    TEXT REFERENCES lanes (id), -- the lane here; NULL: not begun
  pushed     TEXT,             -- the last checkpoint that the remote has
  pushed_at  INTEGER,
  ending     TEXT,             -- JSON: the result, or why it is given back; said until there is an answer
  ended_at   INTEGER,
  answer     TEXT,             -- of the board
  tries      INTEGER NOT NULL DEFAULT 0, -- that failed since something last succeeded
  why        TEXT,             -- the last failure
  UNIQUE (lane, epoch)
) STRICT;
CREATE INDEX team_claims_open ON team_claims (seq) WHERE answer IS NULL;
