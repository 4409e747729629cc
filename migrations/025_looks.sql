-- When a push was held first, and how often since it went through last.
ALTER TABLE held_pushes ADD COLUMN first_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE held_pushes ADD COLUMN tries    INTEGER NOT NULL DEFAULT 1;
UPDATE held_pushes SET first_at = at;

-- A look at a run asks for events of single types, of which there are few among many.
CREATE INDEX lane_events_by_type ON lane_events (run_id, type, seq);
