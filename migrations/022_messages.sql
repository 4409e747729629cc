-- A note that the coordinator wrote for the lane's worker; `told_at` is when it was given to it.
ALTER TABLE reports ADD COLUMN to_worker INTEGER NOT NULL DEFAULT 0;
