-- JSON: the paths at which the working tree that was tested was not its commit, with what that has there.
ALTER TABLE evidence ADD COLUMN besides TEXT NOT NULL DEFAULT '[]';
