-- Flags of verified work that somebody has looked at: exactly these, on exactly this commit.
CREATE TABLE accepted_flags (
  lane_id TEXT    NOT NULL REFERENCES lanes (id),
  sha     TEXT    NOT NULL,
  flag    TEXT    NOT NULL, -- with its data
  by      TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (lane_id, sha, flag)
) STRICT, WITHOUT ROWID;
